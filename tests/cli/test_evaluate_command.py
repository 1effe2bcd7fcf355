"""`sightline evaluate`: what it prints, and every flag."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from sightline import rows

KEYS = {  # what the interface promises
    *("protocol", "images", "metric", "value", "per_delta", "threshold", "mean_iou", "pointing"),
    *("interval", "skipped", "warnings", "ledger", "seconds", "images_per_second"),
}


# What is printed


def test_json_on_standard_output_is_alone_and_complete(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--json", "-")
    assert (answer.code, answer.err) == (0, "")
    result = json.loads(answer.out)
    assert result.keys() >= KEYS
    assert (result["metric"], result["images"], result["skipped"]) == ("MaxBoxAccV2", 6, 0)
    assert result["protocol"]["name"] == "reference-v2"
    assert set(result["per_delta"]) == set(result["threshold"]) == {"30", "50", "70"}
    assert result["value"] == pytest.approx(np.mean(list(result["per_delta"].values())))
    low, high = result["interval"]
    assert 0 <= low <= result["value"] <= high <= 100
    assert result["ledger"]["labels"] == 6
    assert result["ledger"]["entries"][0]["purpose"] == "final-report"


def test_json_in_a_file_leaves_the_text_on_standard_output(scene, sightline, tmp_path):
    file = tmp_path / "new/result.json"
    answer = sightline("evaluate", scene.maps, scene.truth, "--json", file)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("MaxBoxAccV2 ")
    assert json.loads(file.read_text()).keys() >= KEYS


def test_the_text_names_score_interval_protocol_threshold_labels_and_count(scene, sightline):
    text = sightline("evaluate", scene.maps, scene.truth).out
    result = sightline("evaluate", scene.maps, scene.truth, "--json", "-").json
    first, *rest = text.splitlines()
    assert first.startswith(f"MaxBoxAccV2 {result['value']:.2f}, 95 % interval")
    for needed in (
        f"IoU 50   {result['per_delta']['50']:.2f} at threshold {result['threshold']['50']:.3f}",
        "protocol   reference-v2; threshold: oracle on this split",
        "6 boxes of 6 images (2 images a class)",
        "6 scored, 0 skipped",
    ):
        assert any(needed in line for line in rest), needed


def test_the_same_call_gives_the_same_result(evaluate):
    one, two = evaluate("--threads", "1"), evaluate("--threads", "3")
    for result in (one, two):
        for volatile in ("seconds", "images_per_second"):
            del result[volatile]
    assert one == two


def test_the_command_works_as_it_is_installed(scene, python):
    answer = python("-m", "sightline", "evaluate", scene.maps, scene.truth, "--json", "-")
    assert answer.err == ""
    assert answer.json["images"] == 6


def test_every_flag_is_told_in_the_help_and_works(scene, sightline, tmp_path):
    """A flag that is added without being tried here fails this test."""
    predictions = tmp_path / "predictions.csv"
    predictions.write_text("\n".join(f"{name},0,1,2,3,4" for name in scene.ids))
    tried = {
        "--protocol": "exact",
        "--against": "baseline:center-gaussian",
        "--threshold-from": "0.3",
        "--per-image": tmp_path / "images.csv",
        "--per-threshold": tmp_path / "thresholds.npz",
        "--out": tmp_path / "rows",
        "--json": tmp_path / "result.json",
        "--workers": "1",
        "--engine": "local",
        "--split": "val",
        "--normalize": "max",
        "--interpolation": "linear",
        "--masks": scene.maps,
        "--ignore-value": "128",
        "--predictions": predictions,
        "--purpose": "study",
        "--force": None,
        "--on-error": "skip",
        "--seed": "3",
        "--resamples": "20",
        "--threads": "1",
        "--evaluation-size": "16",
        "--levels": "exact",
        "--comparison": ">=",
        "--connectivity": "4",
        "--contours": "largest",
        "--largest-by": "pixels",
        "--holes": "False",
        "--box-ends": "true",
        "--iou-thresholds": "40",
        "--threshold-choice": "joint",
        "--truth-boxes": "first",
        "--map-class": "gt-known",
        "--pointing-tolerance": "2",
    }
    told = flags_of(sightline("evaluate", "--help").out)
    assert told == set(tried)
    for flag, value in tried.items():
        extra = ["--normalize", "min-max"] if flag == "--evaluation-size" else []
        if flag != "--masks":
            given = [flag] if value is None else [flag, value]
            answer = sightline("evaluate", scene.maps, scene.truth, *given, *extra)
            assert (answer.code, answer.err) == (0, ""), flag


def flags_of(text):
    return set(re.findall(r"^│ (--[a-z-]+)", text, re.M)) - {"--help"}


def test_a_baseline_brings_its_own_flags(scene, sightline):
    text = sightline("evaluate", "baseline:center-gaussian", scene.truth, "--help").out
    assert flags_of(text) >= {"--center", "--sigma", "--size"}


def test_the_center_of_the_gaussian_is_an_option(evaluate):
    def shifted(center):
        return evaluate("--center", center, maps="baseline:center-gaussian")

    by_default = evaluate(maps="baseline:center-gaussian")
    assert shifted("112").numbers == by_default.numbers
    assert shifted("111.5")["baseline"] == {"center": 111.5, "sigma": 80.0, "size": 224}
    assert shifted("20")["mean_iou"] != by_default["mean_iou"]
    assert by_default["maps"] == "baseline:center-gaussian"


# Wrong values of flags


@pytest.mark.parametrize(
    "flags",
    [
        ("--threads", "-1"),
        ("--resamples", "0"),
        ("--resamples", "-5"),
        ("--seed", "-1"),
        ("--evaluation-size", "0"),
        ("--evaluation-size", "-3"),
        ("--iou-thresholds", "0"),
        ("--iou-thresholds", "101"),
        ("--iou-thresholds", "50", "50"),
        ("--iou-thresholds",),
        ("--pointing-tolerance", "-1"),
        ("--connectivity", "6"),
        ("--normalize", "sum"),
        ("--purpose", "fun"),
        ("--seed", "one"),
        ("--threshold-choice", "fixed"),
        ("--contours", "largest", "--connectivity", "4"),
        ("--protocol", "reference-v3"),
        ("--against", "nowhere"),
        ("--nonsense",),
        ("--center", "3"),
        ("a third place",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line_and_code_2(scene, sightline, flags):
    answer = sightline("evaluate", scene.maps, scene.truth, *flags)
    answer.refusal()
    assert answer.code == 2


@pytest.mark.parametrize("flags", [("--size", "0"), ("--size", "-4"), ("--sigma", "0")])
def test_wrong_options_of_a_baseline(scene, sightline, flags):
    answer = sightline("evaluate", "baseline:center-gaussian", scene.truth, *flags)
    answer.refusal()
    assert answer.code == 2


def test_a_misspelt_name_brings_the_close_ones(scene, sightline):
    answer = sightline("evaluate", scene.maps, scene.truth, "--protocol", "refrence-v2")
    assert "did you mean reference-v2" in answer.refusal()
    answer = sightline("evaluate", "baseline:centre-gaussian", scene.truth)
    assert "did you mean center-gaussian" in answer.refusal()


def test_relative_places_work(scene, sightline, monkeypatch):
    monkeypatch.chdir(scene.root)
    assert sightline("evaluate", "maps", "truth", "--out", "rows").code == 0
    assert list(rows.find([Path("rows")]))

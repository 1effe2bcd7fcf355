"""`sightline report --out`: what stands on the page, and what is said of what cannot."""

import json
import re
import shutil

import numpy as np
import pytest

from sightline import rows
from sightline.reports import charts, words


def page_of(sightline, measured, out, *flags):
    answer = sightline("report", measured, "--out", out, "--against", "maps", *flags)
    assert answer.code == 0, answer.err
    return (out / "index.html").read_text(encoding="utf-8")


def test_the_page_tells_what_was_compared_what_won_and_what_it_cost(sightline, measured, tmp_path):
    text = page_of(sightline, measured, tmp_path / "out")
    assert "What was compared?" in text
    assert "maps has the highest score" in text
    assert "reference-v2; intervals resample images with seed 0" in text
    assert "no localization labels" in text
    assert "sightline" in text.partition("How these numbers were made")[2]
    for asset in re.findall(r'(?:src|href|data-file)="([^"#:]+)"', text):
        assert (tmp_path / "out" / asset).is_file(), asset


def test_nothing_on_the_page_comes_from_elsewhere(sightline, measured, tmp_path):
    out = tmp_path / "out"
    text = page_of(sightline, measured, out)
    assert "http" not in text
    for file in out.rglob("*"):
        assert not file.is_file() or file.stat().st_size < 5e6
    assert "http" not in re.sub(
        r"http://www\.w3\.org/2000/svg", "", (out / "explorer.js").read_text()
    )


def test_names_with_markup_are_shown_as_they_are(sightline, measured, tmp_path):
    file = next(f for f in rows.find([measured]) if '"worse"' in f.read_text())
    row = json.loads(file.read_text())
    row["result"]["maps"] = "<script>alert(1)</script>" + "long" * 100
    file.write_text(json.dumps(row))
    text = page_of(sightline, measured, tmp_path / "out")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    index = (tmp_path / "out/explorer-0/index.js").read_text()
    assert "<b>'x' & \\\"y\\\".jpg" in index  # data, which scripts set as text


def test_the_explorer_is_left_out_where_images_are_gone(sightline, measured, scene, tmp_path):
    shutil.rmtree(scene.truth / "birds")
    text = page_of(sightline, measured, tmp_path / "out")
    assert "no gallery of" in text
    assert not (tmp_path / "out/explorer-0").exists()


def test_maps_that_are_gone_are_named_and_the_others_shown(sightline, measured, scene, tmp_path):
    shutil.rmtree(scene.root / "worse")
    text = page_of(sightline, measured, tmp_path / "out")
    assert "worse: " in text
    assert "no such folder of score maps" in text
    index = (tmp_path / "out/explorer-0/index.js").read_text()
    assert '"methods":["maps","center-gaussian"]' in index


def test_labels_that_changed_since_are_not_shown_as_the_truth(sightline, measured, scene, tmp_path):
    scene.edit("localization", 1, f"{scene.ids[0]},1,1,9,9")
    text = page_of(sightline, measured, tmp_path / "out")
    assert "the labels changed since the rows" in text


def test_rows_of_arrays_have_no_images(sightline, scene, tmp_path):
    import sightline as sl

    maps = [scene.scores(i) for i in range(6)]
    row = sl.evaluate(maps, [[box] for box in scene.boxes], protocol="reference-v2")
    rows.save(row, tmp_path / "rows/one.row.json")
    answer = sightline("report", tmp_path / "rows", "--against", "arrays", "--out", tmp_path / "o")
    assert answer.code == 0, answer.err
    text = (tmp_path / "o/index.html").read_text()
    assert "measured on arrays: no images to show" in text
    assert "arrays alone" in text


def test_a_gallery_is_drawn_from_a_large_split_and_says_so(sightline, measured, tmp_path):
    page_of(sightline, measured, tmp_path / "out", "--gallery", "4")
    index = (tmp_path / "out/explorer-0/index.js").read_text()
    assert '"of":6' in index
    assert index.count('"id":') == 4
    text = page_of(sightline, measured, tmp_path / "none", "--gallery", "0")
    assert "Threshold explorer" not in text


def test_protocols_are_shown_apart(sightline, measured, scene, tmp_path):
    flags = ("--protocol", "exact", "--out", measured, "--split", "test")
    for maps in (scene.maps, scene.root / "worse"):
        sightline("evaluate", maps, scene.truth, *flags)
    answer = sightline("report", measured, "--against", "maps", "--out", tmp_path / "o")
    assert "(exact)" in answer.out
    assert "(reference-v2)" in answer.out
    assert {f.name for f in (tmp_path / "o").glob("comparison*")} == {
        "comparison-exact.csv",
        "comparison-reference-v2.csv",
    }
    index = (tmp_path / "o/explorer-0/index.js").read_text()
    assert '"name":"exact"' in index
    assert '"name":"reference-v2"' in index


def test_what_may_be_said_follows_from_the_tests():
    line = {"dataset": "pets", "backbone": "", "low": -1.0, "high": 2.0, "holm": 0.4}
    numbers = [
        {"method": "cam", "dataset": "pets", "backbone": "", "score": 60.0},
        {"method": "has", "score": 61.0, "difference": 1.0, "verdict": "noise"} | line,
    ]
    facts = {
        "methods": ["cam", "has"],
        "splits": ["pets test"],
        "images": "9",
        "protocols": "x",
        "labels": ["none"],
        "oracle": True,
        "budgets_differ": False,
        "pond": False,
    }
    said = dict(words.brief(numbers, "cam", facts))
    assert "has has the highest score, 61.0, +1.0 points" in said["What won, and is that noise?"][0]
    assert said["What won, and is that noise?"][0].endswith("Noise explains that.")
    assert any(line.startswith("That has differ") for line in said["What may not be concluded?"])
    assert any("without labels" in line for line in said["What may not be concluded?"])
    better = [numbers[0], numbers[1] | {"verdict": "better", "holm": 0.001}]
    said = dict(words.brief(better, "cam", facts))
    assert said["What won, and is that noise?"][0].endswith("Noise does not explain it.")


@pytest.mark.parametrize("numbers", [[], [{"method": "cam", "dataset": "x", "backbone": ""}]])
def test_a_chart_of_nothing_is_no_chart(numbers):
    assert charts.differences(numbers, "cam") is None
    assert charts.accuracies({}, [50]) is None
    assert charts.precisions({}) is None
    assert charts.distributions({}) is None
    assert charts.learning([]) is None


def test_score_distributions_are_shares_of_all_pixels():
    chart = charts.distributions({"cam": np.array([30, 10, 0, 0])})
    (values,) = (d for d in [chart.spec["data"]["values"]])
    assert [v["share"] for v in values] == [75.0, 25.0, 0.0, 0.0]
    assert [v["score"] for v in values] == [0.125, 0.375, 0.625, 0.875]


def test_trials_are_drawn_over_each_of_their_hyperparameters(sightline, tmp_path):
    for number, (lr, rate) in enumerate([(1e-4, 0.1), (1e-3, 0.2), (1e-2, 0.3), (1e-1, 0.4)]):
        result = {
            "kind": "train",
            "method": "has",
            "backbone": "small-resnet",
            "options": {"drop_rate": rate, "erase_by": "label"},
            "plan": {"lr": lr, "epochs": 1},
            "status": "converged" if number else "diverged",
            "metric": "MaxBoxAccV2",
            "value": 10.0 * number,
            "truth": {"dataset": "pond", "split": "val", "fingerprint": "x"},
        }
        rows.save(rows_of(result), tmp_path / f"trials/{number}/train.row.json")
    answer = sightline("report", tmp_path / "trials", "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    spec = (tmp_path / "out/charts/hyperparameters-0.js").read_text()
    assert "has, small-resnet: lr" in spec
    assert "has, small-resnet: drop_rate" in spec
    assert "erase_by" not in spec  # a word is no axis
    assert '"type":"log"' in spec
    assert spec.count("did not converge") >= 2


def rows_of(result):
    from sightline.types import ResultRow

    return ResultRow(result)

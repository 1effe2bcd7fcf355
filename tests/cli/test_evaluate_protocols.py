"""Presets, thresholds from elsewhere, a second set of maps."""

import json

import numpy as np
import pytest

from sightline import rows

# Protocols


@pytest.mark.parametrize(
    ("protocol", "metric", "deltas"),
    [
        ("reference-v1", "MaxBoxAcc", ["50"]),
        ("reference-v2", "MaxBoxAccV2", ["30", "50", "70"]),
        ("exact", "MaxBoxAccV2", ["30", "50", "70"]),
        ("fixed-threshold", "BoxAcc", ["50"]),
        ("center-row-conference", "MaxBoxAcc", ["50"]),
        ("center-row-journal", "MaxBoxAccV2", ["30", "50", "70"]),
    ],
)
def test_every_preset_for_boxes(evaluate, protocol, metric, deltas):
    result = evaluate("--protocol", protocol)
    assert (result["protocol"]["name"], result["metric"]) == (protocol, metric)
    assert list(result["per_delta"]) == deltas


def test_a_choice_that_differs_from_the_preset_is_part_of_its_name(evaluate):
    result = evaluate("--contours", "largest", "--iou-thresholds", "50", "75")
    name = result["protocol"]["name"]
    assert name == "reference-v2 (contours=largest, iou_thresholds=50/75)"
    assert list(result["per_delta"]) == ["50", "75"]
    assert evaluate("--contours", "all")["protocol"]["name"] == "reference-v2"


def test_a_threshold_for_each_image_is_called_so(evaluate, sightline, scene):
    result = evaluate("--threshold-choice", "per-image-oracle")
    assert "per image" in result["metric"]
    assert result["threshold_from"] == "oracle for each image"
    assert result["value"] >= evaluate()["value"]
    text = sightline("evaluate", scene.maps, scene.truth, "--protocol", "reference-v1").out
    assert "oracle on this split (unknown)" in text


def test_one_threshold_for_all_is_never_better_than_one_for_each(evaluate):
    joint = evaluate("--threshold-choice", "joint")
    assert len(set(joint["threshold"].values())) == 1
    assert joint["value"] <= evaluate()["value"]


# Thresholds from elsewhere


def test_a_threshold_given_as_a_number(evaluate):
    result = evaluate("--threshold-from", "0.35")
    assert (result["metric"], result["threshold_from"]) == ("BoxAccV2", "fixed")
    assert set(result["threshold"].values()) == {0.35}
    assert len(result["ledger"]["entries"]) == 1


def test_a_fixed_threshold_leaves_what_other_thresholds_would_give_alone(evaluate):
    """The oracle of each image ranges over all thresholds, or must not be called one."""
    fixed, searched = evaluate("--threshold-from", "0.9"), evaluate()
    assert fixed["oracle"]["mean_iou"] == pytest.approx(searched["oracle"]["mean_iou"])


def val_and_test(scene, sightline, *flags):
    """Evaluate on a validation split, then on a test split with its thresholds."""
    answer = sightline("evaluate", scene.maps, scene.truth, "--split", "val", *flags)
    assert answer.code == 0, answer.err
    scene.edit("localization", 1, "birds/0.jpg,4,3,10,15")
    scene.edit("localization", 7, "birds/1.jpg,20,3,30,15")


def transferred(scene, sightline, origin):
    return sightline(
        *("evaluate", scene.maps, scene.truth, "--split", "test"),
        *("--threshold-from", origin, "--json", "-"),
    )


def test_thresholds_of_another_split_from_what_json_wrote(scene, sightline, tmp_path):
    file = tmp_path / "val.json"
    val_and_test(scene, sightline, "--purpose", "threshold", "--json", file)
    result = transferred(scene, sightline, file).json
    chosen = json.loads(file.read_text())["threshold"]
    assert (result["threshold"], result["threshold_from"]) == (chosen, "transferred")
    entries = result["ledger"]["entries"]
    assert [(e["split"], e["purpose"], e["labels"]) for e in entries] == [
        ("val", "threshold", 6),
        ("test", "final-report", 7),
    ]
    assert result["ledger"]["labels"] == 13


def test_thresholds_of_another_split_from_a_kept_row(scene, sightline, tmp_path):
    val_and_test(scene, sightline, "--out", tmp_path / "rows")
    (row,) = rows.find([tmp_path / "rows"])
    result = transferred(scene, sightline, row).json
    assert result["threshold"] == rows.load(row).result["threshold"]
    assert [entry["split"] for entry in result["ledger"]["entries"]] == ["val", "test"]
    # the threshold on the test split itself can only be better
    own = sightline("evaluate", scene.maps, scene.truth, "--split", "test", "--json", "-").json
    assert result["value"] <= own["value"]


def test_a_transferred_threshold_of_masks(scene, sightline, tmp_path):
    flags = ("--masks", scene.add_masks(), "--json")
    file = tmp_path / "val.json"
    sightline("evaluate", scene.maps, scene.truth, "--split", "val", *flags, file)
    chosen = json.loads(file.read_text())["threshold"]["mean_iou"]
    result = sightline(
        "evaluate", scene.maps, scene.truth, *flags, "-", "--threshold-from", file
    ).json
    (at,) = result["at_threshold"].values()
    assert list(map(float, result["at_threshold"])) == [chosen]
    assert at["mean_iou"] == pytest.approx(result["mean_iou"])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "5",
        "null",
        "{}",
        '{"ledger": {"entries": []}}',
        '{"threshold": {"30": 0.5}, "ledger": {"entries": []}}',
        '{"threshold": {"30": 7, "50": 7, "70": 7}, "ledger": {"entries": []}}',
        '{"threshold": {"30": null, "50": null, "70": null}, "ledger": {"entries": []}}',
        '{"threshold": {"30": "a", "50": 0.2, "70": 0.2}, "ledger": {"entries": []}}',
        '{"threshold": {"30": NaN, "50": 0.2, "70": 0.2}, "ledger": {"entries": []}}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": [5]}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": [{"split": "v"}]}',
        '{"result": {"threshold": {"30": 0.2, "50": 0.2, "70": 0.2}}, "ledger": null}',
        '{"result": 5, "ledger": []}',
        "\xff\xfe",
    ],
)
def test_what_gives_no_threshold_is_named(scene, sightline, tmp_path, content):
    file = tmp_path / "val.json"
    file.write_bytes(content.encode("latin-1"))
    answer = transferred(scene, sightline, file)
    assert str(file) in answer.refusal()
    assert answer.code == 1


@pytest.mark.parametrize("number", ["1.5", "-0.1", "nan", "inf"])
def test_a_threshold_outside_the_range_of_scores_is_wrong_usage(scene, sightline, number):
    answer = sightline("evaluate", scene.maps, scene.truth, f"--threshold-from={number}")
    answer.refusal()
    assert answer.code == 2


def test_a_result_that_is_not_there(scene, sightline, tmp_path):
    answer = transferred(scene, sightline, tmp_path / "val.json")
    assert str(tmp_path / "val.json") in answer.refusal()
    assert answer.code == 2


# A second set of maps


def test_a_set_of_maps_against_itself_differs_in_nothing(scene, evaluate):
    test = evaluate("--against", scene.maps)["against"]
    assert (test["difference"], test["low"], test["high"], test["p_value"]) == (0, 0, 0, 1)
    assert (test["images"], test["maps"]) == (6, "maps")


def test_better_maps_against_worse(scene, evaluate, sightline):
    result = evaluate("--against", "baseline:center-gaussian")
    test = result["against"]
    alone = evaluate(maps="baseline:center-gaussian")
    assert test["value"] == pytest.approx(alone["value"])
    assert test["difference"] == pytest.approx(result["value"] - alone["value"])
    assert test["low"] <= test["difference"] <= test["high"]
    assert 0 < test["p_value"] <= 1
    text = sightline(
        "evaluate", scene.maps, scene.truth, "--against", "baseline:center-gaussian"
    ).out
    assert f"difference {test['difference']:+.2f}" in text
    opposite = evaluate("--against", scene.maps, maps="baseline:center-gaussian")["against"]
    assert opposite["difference"] == pytest.approx(-test["difference"])
    assert opposite["p_value"] == test["p_value"]


def second_maps(scene):
    """Copy the maps, then spoil the third of them."""
    folder = scene.root / "second"
    scene.maps.rename(folder)
    for i in range(6):
        scene.save(i, scene.scores(i))
    file = folder / "birds/2.npy"
    np.save(file, np.full((3, 3), np.nan))
    return folder, file


def test_bad_input_in_the_second_set_stops_too(scene, sightline):
    folder, file = second_maps(scene)
    message = sightline("evaluate", scene.maps, scene.truth, "--against", folder).refusal()
    assert str(file) in message


def test_bad_input_in_the_second_set_is_listed_too(scene, sightline):
    folder, file = second_maps(scene)
    flags = ("--against", folder, "--on-error", "skip")
    result = sightline("evaluate", scene.maps, scene.truth, *flags, "--json", "-").json
    assert (result["images"], result["against"]["images"]) == (6, 5)
    assert any(str(file) in line for line in result["left_out"])


def test_a_comparison_is_of_the_images_that_both_sets_have(scene, evaluate):
    folder, _ = second_maps(scene)
    scene.file(0).unlink()
    test = evaluate("--against", folder, "--on-error", "skip")["against"]
    for i in (0, 2):
        for name in ("image_ids", "class_labels", "image_sizes", "localization"):
            lines = (scene.truth / f"{name}.txt").read_text().split("\n")
            kept = [line for line in lines if not line.startswith(f"birds/{i}.jpg")]
            scene.list(name, *kept)
        (folder / f"birds/{i}.npy").unlink()
        scene.file(i).unlink(missing_ok=True)
    alone = evaluate("--against", folder)["against"]
    for key in ("images", "difference", "low", "high", "p_value", "value"):
        assert test[key] == alone[key], key

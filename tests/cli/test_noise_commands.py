"""`sightline noise`: ground truths on disk that everything else can read, and refusals."""

import csv
import json

import numpy as np
import pytest

from sightline import rows
from sightline.data.truth import read_truth


def test_boxes_are_a_ground_truth_a_level(sightline, scene, tmp_path):
    out = tmp_path / "noisy"
    words = ["noise", "boxes", scene.truth, "--out", out, "--levels", 0, 40, "--gallery", 2]
    found = sightline(*words, "--json", "-").json
    assert [line["level"] for line in found["levels"]] == [0, 40]
    assert found["levels"][0]["mean_iou"] == 100
    assert found["levels"][1]["mean_iou"] < 90
    assert sum(found["levels"][1]["iou_histogram"]) == 6
    assert found["ledger"][0]["purpose"] == "study"
    assert (out / "noise.png").is_file()
    same = out / "truth-noisy-boxes-00" / "val" / "localization.txt"
    assert same.read_text() == (scene.truth / "localization.txt").read_text()
    truth = read_truth(out / "truth-noisy-boxes-40", split="val")
    assert truth.split.dataset == "truth-noisy-boxes-40"
    assert truth.split.labels.tolist() == scene.labels
    mark = json.loads((same.parent / "provenance.json").read_text())
    assert (mark["level"], mark["from"]["dataset"]) == (0, "truth")


def test_achieved_overlap_is_that_of_the_written_boxes(sightline, scene, tmp_path):
    found = sightline(
        "noise", "boxes", scene.truth, "--out", tmp_path / "n", "--levels", 50, "--json", "-"
    ).json
    folder = tmp_path / "n" / "truth-noisy-boxes-50" / "val"
    words = ["evaluate", f"boxes:{folder}", scene.truth, "--split", "val", "--purpose", "study"]
    again = sightline(*words, "--json", "-").json
    assert found["levels"][0]["mean_iou"] == pytest.approx(again["value"])
    assert found["levels"][0]["acc_50"] == pytest.approx(again["per_delta"]["50"])


def test_masks_keep_what_is_to_be_ignored(sightline, scene, tmp_path):
    scene.add_masks()
    out = tmp_path / "eroded"
    words = ["noise", "masks", scene.truth, "--masks", scene.masks, "--out", out, "--levels", 0, 50]
    found = sightline(*words, "--json", "-").json
    assert found["levels"][1]["removed"] == pytest.approx(50, abs=0.5)
    assert found["levels"][1]["error"] == pytest.approx(25, abs=0.25)
    with (out / "levels.csv").open() as file:
        assert [line["level"] for line in csv.DictReader(file)] == ["0", "50"]
    words = ["evaluate", scene.maps, out / "truth-eroded-masks-00", "--split", "val"]
    noisy = sightline(*words, "--purpose", "study", "--json", "-").json
    words = ["evaluate", scene.maps, scene.truth, "--masks", scene.masks, "--split", "val"]
    assert noisy["value"] == sightline(*words, "--purpose", "study", "--json", "-").json["value"]


def test_the_same_call_writes_the_same_and_another_is_refused(sightline, scene, tmp_path):
    words = ["noise", "boxes", scene.truth, "--out", tmp_path / "n", "--gallery", 0]
    assert sightline(*words).code == 0
    first = rows.load(tmp_path / "n" / "noise.row.json")
    assert sightline(*words).code == 0
    assert rows.result_hash(rows.load(tmp_path / "n" / "noise.row.json")) == rows.result_hash(first)
    assert "holds other noise" in sightline(*words, "--seed", 1).refusal()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--levels", 101], "101 is not a percentage"),
        (["--levels", 5, 5], "given twice"),
        (["--seed", -1], "--seed starts at 0"),
        (["--gallery", -1], "--gallery"),
    ],
)
def test_what_means_nothing_is_refused(sightline, scene, tmp_path, flags, says):
    words = ["noise", "boxes", scene.truth, "--out", tmp_path / "n"]
    assert says in sightline(*words, *flags).refusal()
    assert not (tmp_path / "n").exists()


def test_out_is_needed_and_must_be_free(sightline, scene, tmp_path):
    assert "--out is missing" in sightline("noise", "boxes", scene.truth).refusal()
    assert "is not empty" in sightline("noise", "boxes", scene.truth, "--out", tmp_path).refusal()


def test_masks_are_needed_for_masks(sightline, scene, tmp_path):
    said = sightline("noise", "masks", scene.truth, "--out", tmp_path / "n").refusal()
    assert "has no mask" in said
    assert np.all([path.name != "noise.row.json" for path in tmp_path.rglob("*")])

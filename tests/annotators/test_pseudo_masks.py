"""Pseudo masks as a ground truth: written by one command, taken unchanged by the others."""

import importlib.util
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from sightline import rows
from sightline.cli.main import main
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import read_truth

NAMES = ("a.png", "b.png", "dark.png")


def read(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rectangle(number):
    inside = np.zeros((24, 32), np.uint8)
    inside[6 : 14 + 4 * number, 8:24] = 1
    inside[0:3, 28:31] = 1  # a second region, which a mask keeps
    return inside


@pytest.fixture
def place(tmp_path):
    """A split with masks, whose objects are bright; in the last image nothing is to be seen."""
    folder = tmp_path / "own" / "val"
    (folder / "images").mkdir(parents=True)
    (folder / "masks").mkdir()
    for number, name in enumerate(NAMES):
        inside = rectangle(number)
        shown = inside * (0 if name == "dark.png" else 200)
        cv2.imwrite(str(folder / "images" / name), np.stack([shown] * 3, 2))
        cv2.imwrite(str(folder / "masks" / name), inside * 255)
    lists = {
        "image_ids": NAMES,
        "class_labels": [f"{name},0" for name in NAMES],
        "image_sizes": [f"{name},32,24" for name in NAMES],
        "localization": [f"{name},masks/{name}," for name in NAMES],
    }
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(lines))
    return tmp_path / "own"


def annotated(place, tmp_path, *more):
    model = read("small_onnx").brightness(tmp_path / "m.onnx")
    out, told = tmp_path / "pseudo", tmp_path / "told.json"
    common = ["--data", str(place), "--split", "val", "--images", str(place / "val" / "images")]
    words = ["annotate", "saliency", *common, "--model", str(model), "--workers", "1"]
    words += ["--mean", "0", "0", "0", "--std", "1", "1", "1", "--cache", str(tmp_path / "cache")]
    assert main([*words, "--masks", "--out", str(out), "--json", str(told), *more]) == 0
    return out / "val", json.loads(told.read_text())


def test_masks_are_a_ground_truth_of_what_lies_above_the_threshold(place, tmp_path):
    folder, told = annotated(place, tmp_path)
    truth = read_truth(folder, split="val")
    assert truth.split.ids == NAMES[:2]
    masks = truth.masks("study", Ledger())
    for number in (0, 1):
        np.testing.assert_array_equal(read_mask(masks, number, None), rectangle(number))
    assert (folder / "no_box.txt").read_text() == "dark.png,the map is the same everywhere\n"
    assert told["outcomes"]["box"] == 2
    assert told["ledger"] == []
    mark = json.loads((folder / "provenance.json").read_text())
    assert mark["from"]["labels"] == "pseudo masks; no localization label"


def test_they_are_compared_with_the_true_ones_as_a_study(place, tmp_path):
    folder, told = annotated(place, tmp_path, "--stages", "--true-masks", str(place / "val"))
    row = rows.load(folder / "pseudo-masks.row.json")
    sizes = [int(rectangle(number).sum()) for number in range(3)]
    found, every = sum(sizes[:2]), sum(sizes)
    assert row.result["iou"] == pytest.approx(100 * found / every)  # the dark image found nothing
    assert row.result["error"] == pytest.approx(100 * (1 - (found / every + 1) / 2))
    assert (row.result["images"], row.result["masks"]) == (3, 2)
    assert [entry.purpose for entry in row.ledger] == ["study"]
    assert told["stages"]["masks"]["iou"] == row.result["iou"]


def test_noise_takes_them_unchanged(place, tmp_path, capsys):
    folder, _ = annotated(place, tmp_path)
    out = tmp_path / "noisy"
    words = ["noise", "masks", str(folder), "--split", "val", "--levels", "0", "50"]
    assert main([*words, "--gallery", "0", "--out", str(out)]) == 0
    capsys.readouterr()
    level = next(out.glob("*-50")) / "val"
    made = read_truth(level, split="val")
    half = read_mask(made.masks("study", Ledger()), 0, None)
    whole = int(rectangle(0).sum())
    assert half.sum() == whole - round(whole * 50 / 100)


def test_annotators_of_boxes_have_no_masks(place, tmp_path, capsys):
    words = ["annotate", "center", "--data", str(place), "--split", "val", "--masks"]
    assert (
        main([*words, "--images", str(place / "val" / "images"), "--out", str(tmp_path / "o")]) == 2
    )
    told = capsys.readouterr().err.strip().splitlines()
    assert told == [
        "sightline: --masks: center gives boxes alone; masks come from cam, clip or saliency"
    ]


def test_a_folder_of_something_else_is_not_written_over(place, tmp_path, capsys):
    folder, _ = annotated(place, tmp_path)
    (folder / "provenance.json").write_text('{"made_by": "sightline annotate center"}')
    model = tmp_path / "m.onnx"
    words = ["annotate", "saliency", "--data", str(place), "--split", "val", "--masks"]
    words += ["--images", str(place / "val" / "images"), "--model", str(model)]
    assert main([*words, "--out", str(folder.parent)]) == 2
    assert "holds something else" in capsys.readouterr().err

"""`sightline data show`: the sheet, its legend, what it consumed, and what it left out."""

import json

import cv2
import numpy as np
import pytest

from sightline.drawing.annotated import GAZE, HATCH, PART_COLORS, Known, annotated
from sightline.drawing.legend import OTHER, part_colors, with_legend
from sightline.drawing.overlay import TRUE


def pictures(scene, folder="images"):
    for name in scene.ids:
        file = scene.root / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        shade = np.random.default_rng(0).integers(0, 255, (24, 32, 3), np.uint8)
        cv2.imwrite(str(file.with_suffix(".png")), shade)
        file.with_suffix(".png").rename(file)
    return scene.root / folder


def test_a_sheet_tells_its_labels(scene, sightline, tmp_path):
    out = tmp_path / "new/sheet.png"
    words = ["data", "show", scene.truth, "--images", pictures(scene), "--out", out, "--side", 64]
    report = sightline(*words, "--json", "-").json
    assert sorted(report["ids"]) == sorted(scene.ids)
    assert report["left_out"] == []
    (entry,) = report["ledger"]
    assert (entry["kind"], entry["purpose"], entry["split"]) == ("boxes", "study", "unknown")
    assert entry["labels"] == 6
    sheet = cv2.imread(str(out))[:, :, ::-1]
    assert sheet.shape[0] > 64 + 18
    assert (sheet == TRUE).all(2).any()
    assert "6 boxes of 6 images" in sightline(*words).out


def test_the_same_seed_gives_the_same_sheet(scene, sightline, tmp_path):
    images = pictures(scene)
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        flags = ["--images", images, "--out", tmp_path / f"{name}.png", "--seed", seed]
        assert sightline("data", "show", scene.truth, *flags, "--count", 2).code == 0
    one, two, three = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert one == two != three


def test_looking_at_test_labels_is_logged_once_for_each_sheet(scene, sightline, openings_log):
    words = [
        "data",
        "show",
        scene.truth,
        "--images",
        pictures(scene),
        "--out",
        scene.root / "s.png",
    ]
    sightline(*words, "--split", "val")
    assert not openings_log.exists()
    for seed in (0, 0, 1):
        answer = sightline(*words, "--split", "test", "--seed", seed, "--count", 3)
        assert "split test, for study" in answer.out
    lines = [json.loads(line) for line in openings_log.read_text().splitlines()]
    assert [line["protocol"] for line in lines] == ["data show"] * 2
    assert {line["split"] for line in lines} == {"test"}


def test_images_that_cannot_be_used(scene, sightline, tmp_path):
    images = pictures(scene)
    (images / scene.ids[0]).write_bytes(b"")
    (images / scene.ids[1]).unlink()
    words = ["data", "show", scene.truth, "--images", images, "--out", tmp_path / "s.png"]
    assert scene.ids[1] in sightline(*words).refusal()
    pictures(scene)
    (images / scene.ids[0]).write_bytes(b"")
    assert "is empty" in sightline(*words).refusal()
    report = sightline(*words, "--on-error", "skip", "--json", "-").json
    assert len(report["ids"]) == 5
    assert any(scene.ids[0] in text for text in report["left_out"])


def test_colors_go_to_the_most_frequent_parts():
    bits = np.ones((2, 2), np.uint8)
    known = [Known(parts=[("head", bits), (f"p{i:02}", bits)]) for i in range(30)]
    colors = part_colors(known)
    assert colors["head"] == PART_COLORS[0]
    assert len({color for color in colors.values() if color != OTHER}) == 21
    assert list(colors.values()).count(OTHER) == 31 - 21


def test_a_part_has_the_color_of_its_name():
    gray = np.full((20, 20, 3), 100, np.uint8)
    bits = np.zeros((20, 20), np.uint8)
    bits[:10] = 1
    one = annotated(gray, Known(parts=[("head", bits)]), 20, {"head": (255, 0, 0)})
    other = annotated(
        gray, Known(parts=[("x", bits * 0), ("head", bits)]), 20, {"head": (255, 0, 0)}
    )
    assert (one == other).all()
    assert one[2, 2, 0] > one[2, 2, 1]


@pytest.mark.parametrize("width", [60, 200, 900])
def test_the_legend_tells_what_is_drawn_and_no_more(width):
    mask = np.zeros((9, 9), np.uint8)
    mask[2:4] = 255
    sheet = np.full((10, width, 3), 7, np.uint8)
    known = [Known(mask=mask)]
    made = with_legend(sheet, known, {"a part": (1, 2, 3)})
    assert made.shape[1] == width
    assert (made[:10] == 7).all()
    strip = made[10:]
    assert (strip == HATCH).all(2).any()
    assert (strip == (1, 2, 3)).all(2).any()
    assert not (strip == TRUE).all(2).any()
    assert not (strip == GAZE).all(2).any()
    assert (with_legend(sheet, [Known()], {}) == sheet).all()


@pytest.mark.parametrize("place", ["pets-small:{}/pets", "{}/pascal_part", "{}/coco256"])
def test_real_photographs(shared, sightline, tmp_path, place):
    flags = ["--split", "val", "--count", 6, "--out", tmp_path / "s.png"]
    assert sightline("data", "show", place.format(shared / "data"), *flags).code == 0
    assert cv2.imread(str(tmp_path / "s.png")).shape[0] > 240

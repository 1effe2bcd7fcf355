"""Counting cues, and the remedies as arithmetic."""

import cv2
import numpy as np
import pytest

from sightline.data.ledger import Ledger
from sightline.data.truth import read_truth
from sightline.errors import UsageError
from sightline.illposedness.cues import CueWorld, read_cues

CUES = {1: "feet", 2: "head", 3: "water", 4: "grass"}


def world(feet=1.0, water=4.0):
    """Ducks show little of feet and much water; of hens it is head, feet and grass."""
    pixels = np.array([[feet, 3.0], [3.0, 1.0], [water, 1.0], [1.0, 4.0]])
    return CueWorld(
        ("feet", "head", "water", "grass"),
        np.array([True, True, False, False]),
        ("duck", "hen"),
        pixels,
        (10, 10),
    )


def test_posterior_and_ratio_of_counts():
    made = world()
    np.testing.assert_allclose(made.posterior()[:, 0], [0.25, 0.75, 0.8, 0.2])
    found = made.verdict(0)
    assert found.ratio == pytest.approx(0.25 / 0.8)
    assert (made.cues[found.weakest], made.cues[found.strongest]) == ("feet", "water")


def test_classes_count_alike_however_many_images_they_have():
    made = world()
    pixels = made.pixels * [1, 5]
    more = CueWorld(made.cues, made.foreground, made.classes, pixels, (10, 50))
    np.testing.assert_allclose(more.posterior(), made.posterior())


def test_cues_that_a_class_never_shows_do_not_count():
    pixels = world().pixels
    pixels[0, 0] = 0
    made = CueWorld(
        *(getattr(world(), n) for n in ("cues", "foreground", "classes")), pixels, (1, 1)
    )
    assert made.cues[made.verdict(0).weakest] == "head"


def test_more_of_a_rare_cue_crosses_1():
    made = world()
    assert made.verdict(0).ratio < 1
    # f / (f + 3) > 4 / 5 if f > 12; head, 3 / 4, is then what is weakest
    assert made.with_more("feet", 0, 12.5).posterior()[0, 0] > 0.8
    ample = made.with_more("feet", 0, 100).with_more("head", 0, 100)
    assert ample.verdict(0).ratio > 1
    assert ample.best(0).value == 1
    assert made.pixels[0, 0] == 1  # the world itself stays


def test_background_images_cross_1():
    made = world(feet=4.0)  # 4/7 against 4/5
    assert made.verdict(0).ratio < 1
    # 4 / (5 + b) < 4 / 7 if b > 2: water alone, in an image of no class
    few, enough = (made.with_background_images("water", 1, b) for b in (1.9, 2.1))
    assert few.verdict(0).ratio < 1 < enough.verdict(0).ratio
    assert enough.best(0).value == 1
    assert enough.classes == ("duck", "hen", "nothing")


def test_background_images_show_no_object():
    with pytest.raises(UsageError, match="'feet' is the object's"):
        world().with_background_images("feet", 1, 1)


@pytest.fixture
def place(tmp_path):
    """Two images of a duck and a hen, their masks and their cues."""
    folder, cues = tmp_path / "own" / "val", tmp_path / "cues"
    for part in (folder / "masks", cues):
        part.mkdir(parents=True)
    names = ("duck.jpg", "hen.jpg")
    for name, under in zip(names, (3, 4), strict=True):
        values = np.full((8, 10), under, np.uint8)
        values[2:4, 2:6], values[4, 2:6] = 2, 1
        mask = np.zeros((8, 10), np.uint8)
        mask[2:5, 2:7] = 255  # one column more than the cues of the object
        cv2.imwrite(str(folder / "masks" / f"{name[:-4]}.png"), mask)
        cv2.imwrite(str(cues / f"{name[:-4]}.png"), values)
    (cues / "cues.csv").write_text("cue,value\n" + "".join(f"{c},{v}\n" for v, c in CUES.items()))
    lists = {
        "image_ids": names,
        "class_labels": [f"{name},{i}" for i, name in enumerate(names)],
        "image_sizes": [f"{name},10,8" for name in names],
        "localization": [f"{name},masks/{name[:-4]}.png," for name in names],
        "class_names": ("duck", "hen"),
    }
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(lines))
    return folder, cues


def test_cues_of_any_data(place):
    folder, cues = place
    ledger = Ledger()
    made = read_cues(read_truth(folder, split="val"), cues, ledger)
    assert made.cues == ("feet", "head", "water", "grass")
    assert made.foreground.tolist() == [True, True, False, False]
    np.testing.assert_array_equal(made.pixels, [[4, 4], [8, 8], [68, 0], [0, 68]])
    assert made.strayed == pytest.approx(6 / 160)  # the column more, of water and grass
    assert [entry.kind for entry in ledger.entries] == ["masks"]
    assert made.verdict(0).ratio == pytest.approx(0.5)


def change(name, text):
    return lambda folder, cues: (cues / name).write_text(text)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda f, c: (c / "cues.csv").unlink(), "cues.csv: cannot be read; write cue,value"),
        (change("cues.csv", "cue,value\n"), "cues.csv: names no cue"),
        (change("cues.csv", "cue,value\nfeet,one\n"), "cues.csv: cannot be read"),
        (change("cues.csv", "cue,value\nfeet,1\n"), "duck.png: holds 2, which cues.csv does not"),
        (lambda f, c: (c / "hen.png").unlink(), "has no map of cues for hen.jpg; write it as PNG"),
    ],
)
def test_cues_that_cannot_be_read(place, spoil, told):
    spoil(*place)
    with pytest.raises(UsageError) as caught:
        read_cues(read_truth(place[0], split="val"), place[1], Ledger())
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)

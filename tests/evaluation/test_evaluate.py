"""The call from Python: arrays and settings, wrong ones included."""

import numpy as np
import pytest

import sightline as sl
from sightline.errors import DataError, UsageError

MAPS = [np.random.default_rng(i).random((20, 30)) for i in range(4)]
BOXES = [[[1, 2, 10, 12]]] * 4


def test_arrays_by_number_are_those_in_order():
    expected = sl.evaluate(MAPS, BOXES)
    numbered = sl.evaluate(dict(enumerate(MAPS)), dict(enumerate(BOXES)))
    assert numbered.result["value"] == expected.result["value"]
    assert numbered.result["interval"] == expected.result["interval"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("normalize", "z-score"),
        ("interpolation", "nearest"),
        ("on_error", "ignore"),
        ("purpose", "curiosity"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_and_not_passed_over(setting, value):
    with pytest.raises(UsageError, match=f"{setting} '{value}' does not exist; there are "):
        sl.evaluate(MAPS, BOXES, **{setting: value})


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ([["duck"]] * 4, "neither boxes nor a mask"),
        ([[1, 2, 3]] * 4, "neither boxes nor a mask"),
        ([[[1, 2, 10, 12, 0.9]]] * 4, "boxes are rows of four"),
        ([255 * (m > 0.5).astype(np.uint8) for m in MAPS], "foreground is 1 in arrays"),
    ],
)
def test_arrays_that_are_no_ground_truth(truth, words):
    with pytest.raises(DataError, match=words):
        sl.evaluate(MAPS, truth)

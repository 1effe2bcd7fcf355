"""The curve as labels grow, by hand."""

import pytest

from sightline.errors import UsageError
from sightline.protocol.fewshot import Point, crossing, curve, standard_error

POINTS = [
    Point("cam", 0, 0, 40.0),
    Point("cam", 0, 1, 60.0),
    Point("cam", 0, 2, float("nan"), converged=False),
    Point("cam", 1, 0, 50.0),
    Point("cam", 1, 1, 56.0),
    Point("few-shot", 1, 0, 48.0),
    Point("few-shot", 1, 1, 50.0),
    Point("few-shot", 5, 0, 80.0),
    Point("cam", 5, 0, 60.0),
]


def test_mean_standard_error_and_the_center_as_zero():
    lines = {(x["method"], x["per_class"]): x for x in curve(POINTS, 45.0)}
    one = lines["cam", 1]
    assert (one["mean"], one["above_center"]) == (53, 8)
    assert one["standard_error"] == pytest.approx(3)  # deviations of 3: sqrt(18 / 1) / sqrt(2)
    assert lines["few-shot", 5]["standard_error"] is None


def test_without_labels_all_trials_stand_beside_the_converged_ones():
    line = next(x for x in curve(POINTS, 45.0) if x["per_class"] == 0)
    assert (line["draws"], line["not_converged"]) == (3, 1)
    assert line["mean"] == 50
    assert line["mean_over_all"] == pytest.approx((40 + 60 + 45) / 3)


def test_where_few_shot_passes_cam():
    lines = curve(POINTS, 45.0)
    assert crossing(lines, "few-shot", "cam") == 5
    assert crossing(lines, "cam", "few-shot") == 1
    assert crossing(lines, "spg", "cam") is None


def test_zero_converged_is_no_mean():
    (line,) = curve([Point("cam", 1, 0, 1.0, converged=False)], 45.0)
    assert (line["mean"], line["above_center"], line["not_converged"]) == (None, None, 1)


def test_a_draw_that_comes_twice_is_refused():
    with pytest.raises(UsageError, match="came twice"):
        curve([Point("cam", 1, 0, 1.0), Point("cam", 1, 0, 2.0)], 0)
    with pytest.raises(UsageError, match="no result"):
        curve([], 0)
    assert standard_error([1.0]) is None

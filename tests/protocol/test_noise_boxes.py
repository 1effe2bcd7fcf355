"""Noisy boxes: each step by hand, and what no draw may break."""

import numpy as np
import pytest

from sightline.protocol.noise_boxes import (
    LEVELS,
    Deformation,
    clipped,
    deformation,
    deformed,
    noisy,
)

BOX = np.array([[10.0, 20.0, 50.0, 40.0]])  # 40 x 20 about (30, 30)
SIZE = np.array([[100, 80]])


def how(scale=1.0, x=0.0, y=0.0, aspect=1.0):
    return Deformation(np.array([scale]), np.array([[x, y]]), np.array([aspect]))


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (how(), [10, 20, 50, 40]),
        (how(scale=1.5), [0, 15, 60, 45]),
        (how(x=0.25, y=-0.5), [20, 10, 60, 30]),
        (how(scale=0.5, x=0.5), [30, 25, 50, 35]),  # half of the scaled side, 10, not of the first
        (how(aspect=0.25), [20, 10, 40, 50]),  # 20 x 40: a quarter of the aspect, the same area
    ],
)
def test_each_step_as_reckoned_by_hand(steps, wanted):
    assert deformed(BOX, steps)[0] == pytest.approx(wanted)


def test_quantiles_span_the_ranges_of_a_level():
    low, middle, high = (deformation(np.full((1, 5), q), 0.2) for q in (0.0, 0.5, 1.0))
    assert (low.scale[0], middle.scale[0], high.scale[0]) == pytest.approx((0.8, 1.0, 1.2))
    assert low.shift[0] == pytest.approx([-0.2, -0.2])
    assert high.shift[0] == pytest.approx([0.2, 0.2])


def test_the_aspect_changes_with_the_probability_of_the_level():
    quantiles = np.array([[0.5, 0.5, 0.5, 0.19, 1.0], [0.5, 0.5, 0.5, 0.21, 1.0]])
    assert deformation(quantiles, 0.2).aspect == pytest.approx([1.2, 1.0])


def test_boxes_are_clipped_to_their_images_in_whole_pixels():
    out = np.array([[-5.4, 10.6, 120.0, 30.2], [99.8, 79.9, 130.0, 90.0], [3.1, 3.1, 3.2, 3.2]])
    found = clipped(out, np.repeat(SIZE, 3, axis=0))
    assert found.tolist() == [[0, 11, 100, 30], [99, 79, 100, 80], [3, 3, 4, 4]]


@pytest.mark.parametrize("level", LEVELS)
def test_no_draw_leaves_the_image_or_loses_the_box(level):
    rng = np.random.default_rng(1)
    sizes = rng.integers(20, 300, (500, 2))
    first = rng.random((500, 2)) * (sizes - 10)
    boxes = np.hstack([first, first + 2 + rng.random((500, 2)) * (sizes - first - 2)]).round()
    worse = noisy(boxes, sizes, level, 3)
    assert (worse[:, :2] >= 0).all()
    assert (worse[:, 2:] <= sizes).all()
    assert (worse[:, 2:] - worse[:, :2] >= 1).all()
    assert (worse == worse.round()).all()


def test_seeds_and_levels_draw_their_own_numbers():
    boxes, sizes = np.repeat(BOX, 8, axis=0), np.repeat(SIZE, 8, axis=0)
    same = noisy(boxes, sizes, 30, 0)
    assert (noisy(boxes, sizes, 30, 0) == same).all()
    assert (noisy(boxes, sizes, 30, 1) != same).any()
    assert (noisy(boxes, sizes, 25, 0) != same).any()
    assert len(np.unique(same, axis=0)) > 1


def test_level_zero_changes_nothing():
    assert (noisy(BOX, SIZE, 0, 0) == BOX).all()

"""The box that holds more edges than the mean."""

from itertools import combinations

import numpy as np
import pytest

from sightline.annotators import edge
from sightline.annotators.contract import Item, Nothing
from sightline.errors import UsageError


def slowly(cells):
    """Try every rectangle."""
    height, width = cells.shape
    rows, columns = combinations(range(height + 1), 2), list(combinations(range(width + 1), 2))
    return max(cells[a:b, c:d].sum() for a, b in rows for c, d in columns)


@pytest.mark.parametrize("seed", range(12))
def test_the_heaviest_rectangle_is_the_heaviest(seed):
    cells = np.random.default_rng(seed).normal(-0.2, 1, (6, 9))
    (x0, y0, x1, y1), total = edge.heaviest(cells)
    assert total == pytest.approx(slowly(cells))
    assert cells[y0:y1, x0:x1].sum() == pytest.approx(total)


def test_where_all_is_below_the_mean_one_cell_is_left():
    cells = -np.arange(1.0, 13).reshape(3, 4)
    assert edge.heaviest(cells) == ((0, 0, 1, 1), -1.0)


def test_of_equals_the_first():
    cells = np.full((3, 3), -1.0)
    cells[0, 2] = cells[2, 0] = 5.0
    assert edge.heaviest(cells)[0] == (2, 0, 3, 1)


def picture():
    image = np.full((120, 160, 3), 128, np.uint8)
    image[40:100, 60:140] = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    return image


def box(image, **options):
    source = edge.open(edge.Options(**options), None)
    return source.propose(image, Item("a.png"))


def test_a_rough_patch_on_a_smooth_ground_is_found():
    made = box(picture())
    assert made.boxes[0] == pytest.approx([60, 40, 140, 100], abs=160 / 32)
    assert 0.9 < made.scores[0] <= 1


def test_a_larger_weight_is_never_wider():
    image = picture()
    image[10:30, 10:30] = np.random.default_rng(1).integers(100, 156, (20, 20, 3), np.uint8)
    areas = [
        np.prod(np.diff(box(image, weight=w).boxes[0].reshape(2, 2), axis=0)) for w in (0, 1, 3)
    ]
    assert areas[0] >= areas[1] >= areas[2]
    assert areas[0] > areas[2]


def test_a_plain_image_has_no_box():
    assert box(np.full((50, 50, 3), 77, np.uint8)) == Nothing("the image has no edge")


def test_options_are_checked():
    with pytest.raises(UsageError, match="--grid: 2 is not from 4 to 64"):
        edge.Options(grid=2)

"""Merging by alpha shapes: connected, covering, minimal, and tighter than the convex hull."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from sightline.parts.alpha_shapes import circumradii, convex_hull, merge


def pieces(mask: np.ndarray) -> int:
    return cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)[0] - 1


def rectangle(y0: int, y1: int, x0: int, x1: int, size: int = 80) -> np.ndarray:
    mask = np.zeros((size, size), bool)
    mask[y0:y1, x0:x1] = True
    return mask


def radius_by_all_pixels(union: np.ndarray) -> float:
    """Find the critical radius from the definition: every pixel is a point, every radius tried."""
    points = np.argwhere(union)
    simplices = Delaunay(points).simplices
    radii = circumradii(points[simplices].astype(float))
    labels = cv2.connectedComponents(union.astype(np.uint8), connectivity=8)[1]
    own = labels[points[:, 0], points[:, 1]]
    for radius in np.unique(radii):
        groups = {int(n): {int(n)} for n in np.unique(own)}
        for triangle in simplices[radii <= radius]:
            joined = set().union(*(groups[int(n)] for n in own[triangle]))
            groups |= dict.fromkeys(joined, joined)
        if len({id(group) for group in groups.values()}) == 1:
            return float(radius)
    return float("inf")


def test_two_pieces_become_one_that_is_tighter_than_their_hull() -> None:
    upper, lower = rectangle(10, 30, 10, 50), rectangle(40, 60, 20, 70)
    merged = merge([upper, lower])
    union = upper | lower
    assert pieces(union) == 2
    assert pieces(merged.mask) == 1
    assert (merged.mask | union).sum() == merged.mask.sum()
    assert union.sum() < merged.mask.sum() < convex_hull(union).sum()


def test_the_radius_of_a_gap_is_known() -> None:
    """Columns of pixels g apart, one pixel long each way: triangles of height g on a base of 1."""
    left, right = rectangle(20, 40, 10, 20), rectangle(20, 40, 26, 36)
    gap = 26 - 19  # between the outermost centers
    expected = np.hypot(gap, 1) / 2  # the half diagonal of a rectangle of 1 x gap
    assert merge([left, right]).radius == pytest.approx(expected, rel=1e-12)


def test_pieces_that_hang_together_stay_as_they_are() -> None:
    first, second = rectangle(10, 30, 10, 30), rectangle(30, 50, 30, 50)  # they meet at a corner
    merged = merge([first, second])
    assert merged.radius == 0
    assert (merged.mask == (first | second)).all()


def test_pixels_in_a_line_are_joined_by_it() -> None:
    mask = np.zeros((9, 20), bool)
    mask[4, [2, 9, 15]] = True
    merged = merge([mask])
    assert merged.mask[4, 2:16].all()
    assert merged.mask.sum() == 14


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(*(st.integers(0, 20) for _ in range(2)), *(st.integers(2, 8) for _ in range(2))),
        min_size=2,
        max_size=4,
    )
)
def test_any_regions_are_joined_at_the_radius_of_the_definition(
    boxes: list[tuple[int, int, int, int]],
) -> None:
    masks = [rectangle(y, y + h, x, x + w, 30) for y, x, h, w in boxes]
    union = np.logical_or.reduce(masks)
    merged = merge(masks)
    assert pieces(merged.mask) == 1
    assert (merged.mask >= union).all()
    assert (merged.mask <= convex_hull(union)).all()
    if pieces(union) > 1:
        assert merged.radius == pytest.approx(radius_by_all_pixels(union), rel=1e-9)

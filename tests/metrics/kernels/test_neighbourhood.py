"""Tables of what a pixel adds, against OpenCV's components and polygon areas."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.metrics.kernels.neighbourhood import (
    EDGE_NEIGHBOURS,
    HEIGHTEN,
    JOIN,
    LEAD,
    NO_PIECE,
    START,
    STEPS,
    WIDEN,
    pieces_table,
    pixel_area_table,
    polygon_area_table,
    roles_table,
)

STATES = range(256)


def patch(state):
    """Draw the neighbours of a state around an empty center."""
    drawn = np.zeros((3, 3), np.uint8)
    for i, (dy, dx) in enumerate(STEPS):
        drawn[1 + dy, 1 + dx] = state >> i & 1
    return drawn


@pytest.mark.parametrize("connectivity", [4, 8])
def test_pieces_name_one_neighbour_of_each_component_that_touches_the_center(connectivity):
    for state in STATES:
        labels = cv2.connectedComponents(patch(state), connectivity=connectivity)[1]
        touching = EDGE_NEIGHBOURS if connectivity == 4 else range(8)
        at = {i: int(labels[1 + STEPS[i][0], 1 + STEPS[i][1]]) for i in touching}
        named = [int(i) for i in pieces_table(connectivity)[state] if i != NO_PIECE]
        assert all(i in at for i in named)
        assert sorted(at[i] for i in named) == sorted({label for label in at.values() if label})


@pytest.mark.parametrize("connectivity", [4, 8])
def test_no_piece_stands_only_at_the_end(connectivity):
    for row in pieces_table(connectivity):
        assert (np.diff((row == NO_PIECE).astype(int)) >= 0).all()


@pytest.mark.parametrize("connectivity", [4, 8])
def test_a_pixel_without_a_role_can_change_neither_box_nor_first_pixel(connectivity):
    touching = EDGE_NEIGHBOURS if connectivity == 4 else range(8)
    for state, roles in enumerate(roles_table(connectivity)):
        steps = [STEPS[i] for i in touching if state >> i & 1]
        pieces = (pieces_table(connectivity)[state] != NO_PIECE).sum()
        assert bool(roles & START) == (not steps)
        assert bool(roles & JOIN) == (pieces > 1)
        if steps:
            assert roles & WIDEN or any(dx == 0 for _, dx in steps)
            assert roles & HEIGHTEN or any(dy == 0 for dy, _ in steps)
            assert bool(roles & LEAD) == all(step > (0, 0) for step in steps)


@settings(max_examples=60)
@given(st.integers(0, 2**16 - 1), st.randoms(use_true_random=False))
def test_areas_that_single_pixels_add_sum_up_to_the_polygon(bits, random):
    """Any order of adding the pixels of a filled component ends at OpenCV's area."""
    drawn = np.zeros((8, 8), np.uint8)
    drawn[2:6, 2:6] = np.array([bits >> i & 1 for i in range(16)]).reshape(4, 4)
    contours = cv2.findContours(drawn, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[-2]
    filled = cv2.drawContours(np.zeros_like(drawn), contours, -1, 1, cv2.FILLED)
    pixels = list(zip(*np.nonzero(filled), strict=True))
    random.shuffle(pixels)
    present, area, count = np.zeros_like(filled), 0, 0
    for y, x in pixels:
        state = sum(int(present[y + dy, x + dx]) << i for i, (dy, dx) in enumerate(STEPS))
        area += int(polygon_area_table()[state])
        count += int(pixel_area_table()[state])
        present[y, x] = 1
    assert area == 2 * sum(cv2.contourArea(contour) for contour in contours)
    assert count == filled.sum()

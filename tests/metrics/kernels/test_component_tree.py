"""The tree's own promises: filled holes at every threshold, links, and tidy segments."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.metrics.kernels.component_tree import (
    AREA,
    FIRST,
    HIGH,
    LOW,
    grow,
)
from sightline.metrics.kernels.hole_filling import fill_holes
from sightline.metrics.kernels.neighbourhood import (
    pieces_table,
    pixel_area_table,
    roles_table,
)
from sightline.metrics.kernels.pixel_order import end_of

from ..maps import HAND_MADE, score_maps


def levels_of(score_map):
    levels = (score_map * 255).astype(np.int32)
    return levels, int(levels.max())


def assert_filled(levels, top):
    filled = fill_holes(levels, top, pieces_table(4), roles_table(4))
    for k in np.unique(levels):
        bits = (levels >= k).astype(np.uint8)
        contours = cv2.findContours(bits, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[-2]
        expected = cv2.drawContours(np.zeros_like(bits), contours, -1, 1, cv2.FILLED)
        assert (filled >= k).astype(np.uint8).tolist() == expected.tolist(), f"level {k}"
    assert set(np.unique(filled)) <= set(np.unique(levels))


@pytest.mark.parametrize("name", HAND_MADE)
def test_filling_raises_exactly_what_outlines_enclose_at_each_threshold(name):
    assert_filled(*levels_of(HAND_MADE[name]))


@settings(max_examples=200)
@given(score_maps(largest=14))
def test_filling_any_map(score_map):
    assert_filled(*levels_of(score_map))


@settings(max_examples=100)
@given(score_maps(), st.sampled_from([4, 8]))
def test_segments_by_area_count_the_pixels_of_each_component_at_each_threshold(
    score_map, connectivity
):
    levels, top = levels_of(score_map)
    tables = pieces_table(connectivity), roles_table(connectivity), pixel_area_table()
    segments = grow(levels, top, *tables, True)
    frame_width = levels.shape[1] + 2
    for k in np.unique(levels):
        bits = (levels >= k).astype(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(bits, connectivity=connectivity)
        expected = set()
        for label in range(1, count):
            x, y, w, h, area = stats[label].tolist()
            row, column = divmod(int(np.argmax(labels == label)), levels.shape[1])
            first = (row + 1) * frame_width + column + 1
            expected.add((x, y, x + w - 1, y + h - 1, area, first))
        there = segments[(segments[:, LOW] <= k) & (k <= segments[:, HIGH])]
        found = [(*row[:4], row[AREA], row[FIRST]) for row in there.tolist()]
        assert len(found) == len(expected)
        assert set(found) == expected


@given(npst.arrays(np.int32, 12, elements=st.integers(0, 11)), st.integers(0, 11))
def test_links_lead_to_their_end_and_are_shortened(links, node):
    links = np.minimum(links, np.arange(12, dtype=np.int32))  # downward only: no circle
    before = links.copy()
    end = node
    while before[end] != end:
        end = before[end]
    assert end_of(links, node) == end
    assert links[node] == end
    assert all(links[i] in (before[i], end) for i in range(12))

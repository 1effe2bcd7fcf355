"""The tree of components against the definition: the same boxes at every threshold."""

from itertools import product

import cv2
import numpy as np
import pytest
from hypothesis import given, settings

from sightline.metrics import box
from sightline.metrics.kernels import fast_components, reference
from sightline.metrics.protocol import preset

from ..maps import (
    HAND_MADE,
    distinct_thresholds,
    large_map,
    make_protocol,
    picture,
    protocols,
    score_maps,
)

COMPARISON = {"quantized": ">", "exact": ">="}
ALL = [
    make_protocol(
        levels=levels,
        comparison=COMPARISON[levels],
        connectivity=connectivity,
        holes=holes,
        box_ends="true",
    )
    for levels, connectivity, holes in product(COMPARISON, (4, 8), (False, True))
]
LARGEST = [
    make_protocol(
        levels=levels,
        comparison=COMPARISON[levels],
        connectivity=connectivity,
        contours="largest",
        largest_by=by,
        box_ends="true",
    )
    for levels, (by, connectivity) in product(
        COMPARISON, (("polygon", 8), ("pixels", 4), ("pixels", 8))
    )
]
V1, V2 = preset("reference-v1"), preset("reference-v2")
POLYGON = preset("reference-v1", box_ends="true")


def pixel_boxes(corners):
    return {tuple(int(corner) for corner in box) for box in corners}


def released_boxes(score_map, threshold, many):
    """Do what the released evaluator does, with OpenCV alone."""
    height, width = score_map.shape
    picture = (score_map * 255).astype(np.uint8)
    level = int(threshold * np.max(picture))
    bits = cv2.threshold(picture, level, 255, cv2.THRESH_BINARY)[1]
    contours = cv2.findContours(bits, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)[-2]
    if not contours:
        return {(0, 0, 0, 0)}
    rectangles = map(cv2.boundingRect, contours if many else [max(contours, key=cv2.contourArea)])
    return {(x, y, min(x + w, width - 1), min(y + h, height - 1)) for x, y, w, h in rectangles}


def assert_same_boxes(score_map, protocol, thresholds=None):
    found = box.map_boxes(score_map, protocol)
    for t in distinct_thresholds(score_map, protocol) if thresholds is None else thresholds:
        fast = pixel_boxes(box.boxes_at(found, t, protocol))
        slow = pixel_boxes(reference.boxes_at(score_map, t, protocol) - [0, 0, 1, 1])
        assert fast == slow, f"{protocol} at {t}"


@pytest.mark.parametrize("name", HAND_MADE)
def test_all_boxes_of_hand_made_maps(name):
    for protocol in ALL:
        assert_same_boxes(HAND_MADE[name], protocol)


@pytest.mark.parametrize("name", HAND_MADE)
def test_largest_box_of_hand_made_maps(name):
    for protocol in LARGEST:
        assert_same_boxes(HAND_MADE[name], protocol)


@pytest.mark.parametrize("name", HAND_MADE)
def test_largest_box_of_hand_made_maps_turned_round(name):
    for turned in (HAND_MADE[name][::-1], HAND_MADE[name][:, ::-1], HAND_MADE[name].T):
        for protocol in LARGEST[:3]:
            assert_same_boxes(turned, protocol)


@settings(max_examples=300)
@given(score_maps(), protocols(box_ends="true"))
def test_boxes_of_any_map(score_map, protocol):
    assert_same_boxes(score_map, protocol)


@pytest.mark.parametrize("shape", [(500, 700), (700, 500), (224, 224), (1, 3000), (3000, 1)])
@pytest.mark.parametrize("kind", ["smooth", "noisy", "drawn"])
def test_boxes_of_large_maps_at_some_thresholds(shape, kind):
    score_map = large_map(kind, shape)
    for protocol in (V2, POLYGON, preset("exact", holes=True), preset("exact", contours="largest")):
        ends_apart = make_protocol(
            **{k: v for k, v in protocol.as_dict().items() if k != "name"} | {"box_ends": "true"}
        )
        assert_same_boxes(score_map, ends_apart, [0, 0.25, 0.6, 0.95])


@pytest.mark.parametrize("name", HAND_MADE)
@pytest.mark.parametrize("many", [False, True], ids=["v1", "v2"])
def test_the_definition_is_the_released_evaluator(name, many):
    protocol = V2 if many else V1
    for t in distinct_thresholds(HAND_MADE[name], protocol):
        slow = pixel_boxes(reference.boxes_at(HAND_MADE[name], t, protocol))
        assert slow == released_boxes(HAND_MADE[name], t, many)


@settings(max_examples=150)
@given(score_maps())
def test_the_definition_is_the_released_evaluator_on_any_map(score_map):
    for protocol in (V1, V2):
        for t in distinct_thresholds(score_map, protocol):
            slow = pixel_boxes(reference.boxes_at(score_map, t, protocol))
            assert slow == released_boxes(score_map, t, protocol is V2)


@settings(max_examples=150)
@given(score_maps(largest=16))
def test_the_largest_polygon_is_opencvs_choice_ties_included(score_map):
    levels = (score_map * 255).astype(np.int32)
    winners = fast_components.largest_polygon(levels, int(levels.max()))
    for level in np.unique(levels):
        bits = (levels >= level).astype(np.uint8)
        contours = cv2.findContours(bits, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)[-2]
        largest = max(contours, key=cv2.contourArea)
        x, y, w, h = cv2.boundingRect(largest)
        assert winners[level, :4].tolist() == [x, y, x + w - 1, y + h - 1]
        assert winners[level, fast_components.AREA] == 2 * cv2.contourArea(largest)


@pytest.mark.parametrize(
    ("by", "expected"), [("polygon", {(6, 0, 8, 2)}), ("pixels", {(0, 0, 2, 2)})]
)
def test_of_equal_areas_opencv_takes_the_last_and_the_pixel_count_the_first(by, expected):
    squares = picture("###...###", "###...###", "###...###")
    protocol = preset("exact", contours="largest", largest_by=by)
    assert pixel_boxes(box.boxes_at(box.map_boxes(squares, protocol), 1.0, protocol)) == expected


def test_a_polygon_encloses_holes_and_pixels_do_not():
    ring_and_block = picture("#####.....", "#...#.####", "#...#.####", "#...#.####", "#####.####")
    choices = {"contours": "largest", "levels": "exact", "comparison": ">="}
    by_polygon = preset("reference-v1", **choices)
    by_pixels = preset("reference-v1", **choices, largest_by="pixels")
    found = [
        box.boxes_at(box.map_boxes(ring_and_block, p), 1.0, p).tolist()
        for p in (by_polygon, by_pixels)
    ]
    assert found == [[[0, 0, 4, 4]], [[0, 0, 4, 4]]]
    wider = np.pad(ring_and_block, ((0, 0), (0, 1)), mode="edge")
    found = [
        box.boxes_at(box.map_boxes(wider, p), 1.0, p).tolist() for p in (by_polygon, by_pixels)
    ]
    assert found == [[[0, 0, 4, 4]], [[6, 1, 10, 4]]]


@pytest.mark.parametrize(
    ("connectivity", "holes", "expected"),
    [
        (8, False, {(0, 0, 2, 2)}),
        (8, True, {(0, 0, 2, 2)}),  # around the hole run the very pixels of the ring
        (4, False, {(1, 0, 1, 0), (0, 1, 0, 1), (2, 1, 2, 1), (1, 2, 1, 2)}),
        (4, True, {(1, 0, 1, 0), (0, 1, 0, 1), (2, 1, 2, 1), (1, 2, 1, 2)}),
    ],
)
def test_diagonal_neighbours_belong_together_only_with_eight(connectivity, holes, expected):
    rhombus = picture(".#.", "#.#", ".#.")
    protocol = preset("exact", connectivity=connectivity, holes=holes)
    assert pixel_boxes(box.boxes_at(box.map_boxes(rhombus, protocol), 1.0, protocol)) == expected


@pytest.mark.parametrize(
    ("rows", "connectivity", "expected"),
    [
        (("####", "#..#", "####"), 8, {(0, 0, 3, 2)}),
        (("#####", "#...#", "#.#.#", "#...#", "#####"), 8, {(0, 0, 4, 4), (2, 2, 2, 2)}),
        (("######", "######", "##.###", "######"), 8, {(0, 0, 5, 3), (1, 1, 3, 3)}),
        (("######", "######", "##.###", "#####."), 8, {(0, 0, 5, 3), (1, 1, 3, 3)}),
        (("######", "#.####", "##.###", "###.##"), 8, {(0, 0, 5, 3), (0, 0, 2, 2), (1, 1, 3, 3)}),
        (("######", "#.####", "##.###", "###.##"), 4, {(0, 0, 5, 3)}),
        (("##.##", "##.##"), 8, {(0, 0, 1, 1), (3, 0, 4, 1)}),
    ],
)
def test_a_hole_is_background_that_cannot_reach_the_edge(rows, connectivity, expected):
    protocol = preset("exact", holes=True, connectivity=connectivity)
    found = box.boxes_at(box.map_boxes(picture(*rows), protocol), 1.0, protocol)
    assert pixel_boxes(found) == expected


def test_many_levels_cost_no_more_segments_than_pixels():
    score_map = large_map("noisy", (60, 80))
    found = box.map_boxes(score_map, preset("exact"))
    assert found.top + 1 == score_map.size
    assert len(found.segments) <= 2 * score_map.size

"""What a map's boxes reach, against the definition, at every threshold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.metrics.box import level_of, map_boxes, measure, painted, points_at
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.kernels import reference
from sightline.metrics.protocol import preset, threshold_grid

from .maps import (
    HAND_MADE,
    distinct_thresholds,
    large_map,
    picture,
    protocols,
    score_maps,
    some_boxes,
    true_boxes,
)

GRID = threshold_grid()


def slow_overlap(score_map, threshold, truth, protocol):
    return reference.overlaps(
        score_map, truth, replace(protocol, threshold_choice="fixed", thresholds=(threshold,))
    )[0]


def reached(score_map, threshold, truth, protocol):
    wanted = truth[:1] if protocol.truth_boxes == "first" else truth
    return reference.best_overlap(score_map, threshold, wanted, protocol)


def hits_at(measurement, position):
    """Tell for which IoU thresholds a run of the measurement covers a position or score."""
    group, above, up_to = measurement.hits.T
    return set(group[(above < position) & (position <= up_to)].astype(int))


def hits_of(overlap, protocol):
    return {i for i, delta in enumerate(protocol.iou_thresholds) if overlap >= delta / 100}


@pytest.mark.parametrize("name", HAND_MADE)
@pytest.mark.parametrize(
    "protocol",
    [
        preset("reference-v1"),
        preset("reference-v2"),
        preset("exact"),
        preset("center-row-journal", comparison=">=", connectivity=4),
    ],
    ids=lambda protocol: protocol.name,
)
def test_overlaps_of_hand_made_maps_at_all_thresholds(name, protocol):
    truth = some_boxes(HAND_MADE[name].shape, ends=protocol.box_ends)
    found = measure(HAND_MADE[name], truth, protocol)
    assert found.overlaps.tolist() == reference.overlaps(HAND_MADE[name], truth, protocol).tolist()


@settings(max_examples=200)
@given(st.data(), score_maps(), protocols())
def test_overlaps_and_hits_of_any_map_and_protocol(data, score_map, protocol):
    truth = data.draw(true_boxes(score_map.shape, protocol.box_ends))
    found = measure(score_map, truth, protocol)
    searched = protocol.levels == "exact"
    thresholds = data.draw(st.lists(st.sampled_from(GRID), max_size=5))
    if not searched:
        thresholds.extend(distinct_thresholds(score_map, protocol))
    for t in thresholds:
        position = int(np.searchsorted(GRID, t))
        slow = slow_overlap(score_map, t, truth, protocol)
        assert found.overlaps[position] == slow
        assert hits_at(found, t if searched else position) == hits_of(slow, protocol)


@settings(max_examples=200)
@given(st.data(), score_maps(), protocols(levels="exact"))
def test_exact_hits_at_every_score_that_occurs(data, score_map, protocol):
    truth = data.draw(true_boxes(score_map.shape, protocol.box_ends))
    found = measure(score_map, truth, protocol)
    best = 0.0
    for t in distinct_thresholds(score_map, protocol):
        if 0 <= t <= 1:
            slow = reached(score_map, t, truth, protocol)
            best = max(best, slow)
            assert hits_at(found, t) == hits_of(slow, protocol)
    assert found.oracle == best
    assert ((found.hits[:, 2] >= 0) & (found.hits[:, 2] <= 1)).all()


def test_a_strict_comparison_of_exact_scores_leaves_out_the_threshold_itself():
    score_map = picture("5##", "555")
    protocol = preset("exact", comparison=">", threshold_choice="fixed", thresholds=(0.5,))
    assert measure(score_map, np.array([[1.0, 0, 3, 1]]), protocol).overlaps.tolist() == [1.0]
    everything = preset("exact", threshold_choice="fixed", thresholds=(0.5,))
    assert measure(score_map, np.array([[0.0, 0, 3, 2]]), everything).overlaps.tolist() == [1.0]


def test_no_threshold_beyond_1_is_searched_for_the_empty_box_of_the_reference():
    protocol = preset("exact", box_ends="reference")
    assert measure(np.eye(9), np.zeros((1, 4)), protocol).oracle < 0.5
    faint = measure(np.eye(9) / 2, np.zeros((1, 4)), protocol)
    assert faint.oracle == 1.0
    assert faint.hits[0].tolist() == [0, 0.5, 1.0]


@settings(max_examples=150)
@given(st.data(), st.lists(score_maps(largest=7), min_size=1, max_size=4))
def test_the_exact_maximum_over_several_maps_is_the_maximum_over_all_their_scores(data, maps):
    protocol = data.draw(protocols(levels="exact", truth_boxes="best"))
    truths = [data.draw(true_boxes(score_map.shape, protocol.box_ends)) for score_map in maps]
    collected = BoxAccumulator(protocol)
    for score_map, truth in zip(maps, truths, strict=True):
        collected.add(measure(score_map, truth, protocol))
    result = collected.compute()
    for delta in protocol.iou_thresholds:
        best = reference.best_accuracy(maps, truths, delta / 100, protocol)
        assert result["per_delta"][str(delta)] == pytest.approx(best, abs=1e-9)
        threshold = result["threshold"][str(delta)]
        if threshold is not None:  # the threshold named is one that gives the score
            hits = [
                slow_overlap(score_map, threshold, truth, protocol) >= delta / 100
                for score_map, truth in zip(maps, truths, strict=True)
            ]
            assert 100 * np.mean(hits) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", ["reference-v1", "reference-v2"])
@pytest.mark.parametrize("delta", [30, 50, 70])
def test_the_quantized_maximum_over_several_maps(name, delta):
    protocol = preset(name, iou_thresholds=(delta,))
    maps = [HAND_MADE[shown] for shown in ("noise", "rings uneven", "faded cross", "sparse")]
    truths = [some_boxes(score_map.shape, n=1)[:1] for score_map in maps]
    collected = BoxAccumulator(protocol)
    for score_map, truth in zip(maps, truths, strict=True):
        collected.add(measure(score_map, truth, protocol))
    best = reference.best_accuracy(maps, truths, delta / 100, protocol)
    assert collected.compute()["value"] == pytest.approx(best, abs=1e-9)


@settings(max_examples=100)
@given(st.data(), score_maps(), protocols(), st.booleans())
def test_given_thresholds_count_alone(data, score_map, protocol, own):
    truth = data.draw(true_boxes(score_map.shape, protocol.box_ends))
    number = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    given_ones = tuple(data.draw(st.lists(number, min_size=3, max_size=3)))
    thresholds = given_ones if own else given_ones[:1]
    searched = protocol
    protocol = replace(searched, threshold_choice="transferred", thresholds=thresholds)
    found = measure(score_map, truth, protocol)
    slow = reference.overlaps(score_map, truth, protocol)
    assert found.overlaps.tolist() == slow.tolist()
    wanted = {i for i, d in enumerate((30, 50, 70)) if slow[i if own else 0] >= d / 100}
    assert hits_at(found, 0) == wanted
    assert found.oracle == measure(score_map, truth, searched).oracle


@pytest.mark.parametrize("kind", ["smooth", "noisy", "drawn"])
@pytest.mark.parametrize("shape", [(500, 700), (224, 224)])
def test_overlaps_of_large_maps_at_some_thresholds(kind, shape):
    score_map = large_map(kind, shape)
    for name in ("reference-v1", "reference-v2", "exact"):
        protocol = preset(name)
        truth = some_boxes(shape, ends=protocol.box_ends)
        found = measure(score_map, truth, protocol)
        for position in (0, 137, 500, 998):
            slow = slow_overlap(score_map, GRID[position], truth, protocol)
            assert found.overlaps[position] == slow


@pytest.mark.parametrize("comparison", [">", ">="])
@pytest.mark.parametrize("top", [0, 1, 7, 94, 254, 255])
def test_every_threshold_asks_for_the_level_that_the_released_evaluator_cuts_at(comparison, top):
    protocol = preset("reference-v2", comparison=comparison)
    score_map = np.array([[0, top / 255 + 1e-9]])
    found = map_boxes(score_map, protocol)
    assert found.top == top
    cut = [int(t * np.uint8(top)) + (comparison == ">") for t in GRID]
    assert level_of(found, GRID, protocol).tolist() == cut


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_number_types_and_memory_layouts_do_not_matter(dtype):
    score_map = (HAND_MADE["noise of few levels"]).astype(dtype)
    truth = some_boxes(score_map.shape)
    plain = measure(score_map.astype(float), truth, preset("exact"))
    for layout in (np.asfortranarray(score_map), np.repeat(score_map, 2, axis=1)[:, ::2]):
        assert measure(layout, truth, preset("exact")).overlaps.tolist() == plain.overlaps.tolist()


def test_maps_found_before_give_the_same_measurement():
    score_map = HAND_MADE["rings uneven"]
    protocol = preset("exact")
    truth = some_boxes(score_map.shape)
    again = measure(score_map, truth, protocol, found=map_boxes(score_map, protocol))
    assert again.hits.tolist() == measure(score_map, truth, protocol).hits.tolist()


def test_only_the_first_true_box_counts_where_the_protocol_says_so():
    score_map = picture("##....", "##....", "......")
    boxes = np.array([[3, 0, 5, 2], [0, 0, 2, 2]], float)
    assert measure(score_map, boxes, preset("exact")).oracle == 1.0
    first = preset("exact", truth_boxes="first")
    assert measure(score_map, boxes, first).oracle < 0.5
    assert measure(score_map, boxes, preset("exact")).pointing
    assert not measure(score_map, boxes, first).pointing


@pytest.mark.parametrize(
    ("ends", "box", "painted_pixels"),
    [
        ("reference", (1, 0, 2, 1), ["011", "011", "000"]),
        ("true", (1, 0, 2, 1), ["010", "000", "000"]),
        ("true", (0.4, 0.6, 2.4, 2.5), ["000", "110", "000"]),
        ("true", (0.5, 0.5, 2.5, 2.5), ["110", "110", "000"]),
        ("true", (0.0, 0.0, 3.0, 3.0), ["111", "111", "111"]),
        ("reference", (0, 0, 2, 2), ["111", "111", "111"]),
    ],
)
def test_a_box_is_painted_where_it_holds_pixel_centers(ends, box, painted_pixels):
    mask = painted(np.array([box], float), 3, 3, preset("exact", box_ends=ends))
    assert ["".join(map(str, row)) for row in mask] == painted_pixels


@pytest.mark.parametrize(
    ("tolerance", "expected"), [(0, False), (2, False), (3, True), (4, True), (99, True)]
)
def test_the_pointing_game_tolerates_a_distance(tolerance, expected):
    scores = picture("#.......", "........")
    inside = np.zeros((2, 8), np.uint8)
    inside[:, 3:5] = 1
    assert points_at(scores, inside, tolerance) is expected


def test_the_pointing_game_is_lost_on_an_ignored_pixel_and_without_any_object():
    scores = picture("#..", "...")
    ignored = np.array([[255, 0, 0], [0, 0, 0]], np.uint8)
    assert not points_at(scores, ignored, 0)
    assert not points_at(scores, ignored, 50)


def test_of_equal_peaks_the_first_in_reading_order_points():
    scores = picture(".5.", "#.#", "#..")
    inside = np.zeros((3, 3), np.uint8)
    inside[1, 0] = 1
    assert points_at(scores, inside, 0)

"""Best overlaps over ranges of thresholds, and the runs that hit."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.metrics.geometry import iou
from sightline.metrics.kernels.fast_boxes import (
    FIXED_POINT,
    best_overlap,
    fixed_point,
    hit_ranges,
)


@st.composite
def segments(draw, side=20, most=9):
    """Draw boxes in a square with a range of thresholds each; also the highest threshold."""
    top = draw(st.integers(0, 40))
    rows = []
    for _ in range(draw(st.integers(0, most))):
        x0, x1 = sorted(draw(st.tuples(*[st.integers(0, side - 1)] * 2)))
        y0, y1 = sorted(draw(st.tuples(*[st.integers(0, side - 1)] * 2)))
        low, high = sorted(draw(st.tuples(*[st.integers(0, top)] * 2)))
        rows.append((x0, y0, x1, y1, low, high, 0, 0))
    return np.array(rows, np.int32).reshape(-1, 8), top


BOX = st.tuples(*[st.integers(0, 19)] * 4).map(
    lambda c: (min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3]))
)


@given(segments(), st.lists(BOX, min_size=1, max_size=3), st.booleans())
def test_best_overlap_is_the_maximum_over_the_segments_of_each_threshold(drawn, truth, reference):
    rows, top = drawn
    truth = np.array(truth, float)
    expected = np.zeros(top + 2)
    for k in range(top + 1):
        boxes = rows[(rows[:, 4] <= k) & (k <= rows[:, 5]), :4] + np.array([0, 0, 1, 1.0])
        boxes = np.minimum(boxes, 19) if reference else boxes
        ends = "reference" if reference else "true"
        expected[k] = iou(boxes, truth, ends).max(initial=0)
    if reference:
        expected[top + 1] = iou(np.zeros((1, 4)), truth, "reference").max()
    assert best_overlap(rows, top, 20, 20, truth, reference).tolist() == expected.tolist()


def test_no_true_box_is_never_met():
    rows = np.array([[0, 0, 3, 3, 0, 5, 0, 0]], np.int32)
    assert not best_overlap(rows, 5, 9, 9, np.zeros((0, 4)), True).any()


@given(npst.arrays(np.float64, st.integers(0, 40), elements=st.sampled_from([0.1, 0.5, 0.9])))
def test_runs_cover_exactly_the_positions_that_hit(overlap):
    covered = np.zeros(len(overlap), int)
    runs = hit_ranges(overlap, 0.5).tolist()
    for start, end in runs:
        assert start < end
        covered[start:end] += 1
    assert covered.tolist() == (overlap >= 0.5).astype(int).tolist()
    assert all(end < start for (_, end), (start, _) in pairwise(runs))


@given(npst.arrays(np.float64, (5, 7), elements=st.floats(0, 1)), st.permutations(range(5)))
def test_fixed_point_sums_do_not_depend_on_the_order(overlaps, order):
    forward, shuffled = np.zeros(7, np.int64), np.zeros(7, np.int64)
    for row in range(5):
        forward += fixed_point(overlaps[row])
        shuffled += fixed_point(overlaps[order[row]])
    assert forward.tolist() == shuffled.tolist()
    assert np.allclose(forward / FIXED_POINT, overlaps.sum(axis=0), rtol=0, atol=1e-11)

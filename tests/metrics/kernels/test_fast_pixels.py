"""Counts over pixels: histograms at the exact edges of their bins, levels, peaks and shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.metrics.kernels import fast_pixels, reference
from sightline.metrics.protocol import threshold_grid

EDGES = np.append(threshold_grid(), 1.0)
NEAR_EDGES = np.clip(np.concatenate([EDGES, np.nextafter(EDGES, -1), np.nextafter(EDGES, 2)]), 0, 1)
SCORES = st.one_of(st.sampled_from(NEAR_EDGES), st.floats(0, 1))
CODES = st.sampled_from([0, 1, 255])


@st.composite
def scored_masks(draw):
    shape = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    scores = draw(npst.arrays(np.float64, shape, elements=SCORES))
    return scores, draw(npst.arrays(np.uint8, shape, elements=CODES))


def all_edges():
    scores = NEAR_EDGES.reshape(3, -1)
    codes = np.random.default_rng(0).choice([0, 1, 1, 255], scores.shape)
    return scores, codes.astype(np.uint8)


def test_each_score_at_an_edge_falls_into_the_bin_that_begins_there():
    on_edges = fast_pixels.histograms(EDGES[None], np.ones((1, 1001), np.uint8), 1000)
    assert on_edges.tolist() == [[1] * 1001, [0] * 1001]


def test_the_number_just_below_an_edge_falls_into_the_bin_before():
    below = np.nextafter(EDGES[1:], 0)[None]
    counts = fast_pixels.histograms(below, np.ones(below.shape, np.uint8), 1000)
    assert counts[0].tolist() == [1] * 1000 + [0]


def test_the_number_just_above_an_edge_falls_into_its_bin():
    above = np.nextafter(EDGES[:-1], 1)[None]
    counts = fast_pixels.histograms(above, np.zeros(above.shape, np.uint8), 1000)
    assert counts[1].tolist() == [1] * 1000 + [0]


def test_histograms_at_and_beside_all_edges():
    scores, codes = all_edges()
    expected = reference.histograms(scores, codes)
    assert fast_pixels.histograms(scores, codes, 1000).tolist() == expected.tolist()


@given(scored_masks())
def test_histograms_of_any_scores(drawn):
    expected = reference.histograms(*drawn)
    assert fast_pixels.histograms(*drawn, 1000).tolist() == expected.tolist()


@given(scored_masks(), st.sampled_from([1, 2, 3, 7, 10, 100, 255, 4096]))
def test_histograms_of_any_number_of_bins(drawn, n):
    scores, codes = drawn
    edges = np.append(np.arange(n) * (1 / n), [1.0, 2.0])
    expected = [np.histogram(scores[codes == code], edges)[0].tolist() for code in (1, 0)]
    assert fast_pixels.histograms(scores, codes, n).tolist() == expected


@pytest.mark.parametrize("n", [49, 98, 103, 107, 161, 1000])
def test_edges_whose_product_rounds_down_stay_in_their_bin(n):
    edges = (np.arange(n) * (1 / n))[None]
    counts = fast_pixels.histograms(edges, np.ones((1, n), np.uint8), n)
    assert counts[0].tolist() == [1] * n + [0]


def test_every_code_above_one_is_ignored():
    scores, codes = np.full((1, 256), 0.5), np.arange(256, dtype=np.uint8)[None]
    assert fast_pixels.histograms(scores, codes, 10).sum(axis=1).tolist() == [1, 1]
    assert fast_pixels.counts_at(scores, codes, 0.5, False).tolist() == [1, 1, 0, 0]


@given(scored_masks(), SCORES, st.booleans())
def test_counts_at_a_threshold(drawn, threshold, strict):
    scores, codes = drawn
    positive = scores > threshold if strict else scores >= threshold
    expected = [
        np.sum(positive & (codes == 1)),
        np.sum(positive & (codes == 0)),
        np.sum(~positive & (codes == 0)),
        np.sum(~positive & (codes == 1)),
    ]
    assert fast_pixels.counts_at(scores, codes, threshold, strict).tolist() == expected


def test_counts_at_an_edge_agree_with_the_histogram():
    scores, codes = all_edges()
    on, off = fast_pixels.histograms(scores, codes, 1000)
    for i in range(0, 1001, 50):
        counts = fast_pixels.counts_at(scores, codes, EDGES[i], False)
        assert counts.tolist() == [on[i:].sum(), off[i:].sum(), off[:i].sum(), on[:i].sum()]


@given(scored_masks())
def test_levels_are_cut_as_the_released_evaluator_cuts_them(drawn):
    scores = drawn[0]
    assert fast_pixels.quantized(scores).tolist() == (scores * 255).astype(np.uint8).tolist()


@given(npst.arrays(np.float64, npst.array_shapes(min_dims=2, max_dims=2), elements=st.floats()))
def test_range_and_soundness(scores):
    low, high, sound = fast_pixels.value_range(scores)
    assert sound == np.isfinite(scores).all()
    if sound:
        assert (low, high) == (scores.min(), scores.max())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)])
def test_one_bad_value_anywhere_is_noticed(bad, place):
    scores = np.full((3, 3), 0.5)
    scores[place] = bad
    assert not fast_pixels.value_range(scores)[2]


@given(
    npst.arrays(
        np.float64, npst.array_shapes(min_dims=2, max_dims=2), elements=st.sampled_from([0, 0.5, 1])
    )
)
def test_the_peak_is_the_first_of_the_highest_scores(scores):
    y, x = np.unravel_index(np.argmax(scores), scores.shape)
    assert fast_pixels.peak(scores) == (x, y)


@given(scored_masks())
def test_energy_is_the_share_of_the_scores_on_the_object(drawn):
    scores, codes = drawn
    total = scores[codes <= 1].sum()
    expected = scores[codes == 1].sum() / total if total > 0 else 0.0
    assert fast_pixels.energy_inside(scores, codes) == pytest.approx(expected, rel=1e-12)


@given(scored_masks(), st.integers(0, 8), st.integers(0, 8))
def test_distance_to_the_nearest_foreground_pixel(drawn, x, y):
    rows, columns = np.nonzero(drawn[1] == 1)
    expected = np.hypot(rows - y, columns - x).min(initial=np.inf)
    assert fast_pixels.distance_to(drawn[1], x, y) == pytest.approx(expected, rel=1e-12)

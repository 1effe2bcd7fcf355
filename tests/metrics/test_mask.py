"""PxAP and its companions: against the definition, against pixels, and at given thresholds."""

import math
import tracemalloc

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.errors import DataError
from sightline.metrics import mask as mask_module
from sightline.metrics.kernels import reference
from sightline.metrics.mask import (
    MaskAccumulator,
    MaskEvidence,
    average_precision,
    measure_mask,
)
from sightline.metrics.protocol import preset, threshold_grid

PIXELS = preset("pixels")
GIVEN = preset("pixels", threshold_choice="fixed", thresholds=(0.2, 0.5, 0.7))
LEVELS = np.append(threshold_grid(), 1.0)


@st.composite
def scored_masks(draw, most=4, shape=(4, 5)):
    """Draw maps of scores that tie often, with masks; the first has some foreground."""
    n = draw(st.integers(1, most))
    scores = draw(
        npst.arrays(np.float64, (n, *shape), elements=st.sampled_from([0, 0.1, 0.3, 0.9995, 1]))
    )
    codes = draw(npst.arrays(np.uint8, (n, *shape), elements=st.sampled_from([0, 1, 255])))
    codes[0, 0, 0] = 1
    return scores, codes


def accumulated(scores, codes, protocol=PIXELS):
    collected = MaskAccumulator(protocol)
    for i, (score_map, mask) in enumerate(zip(scores, codes, strict=True)):
        collected.update(score_map, mask, image=f"{i:03}")
    return collected


def random_set(n, seed=3, shape=(12, 12)):
    rng = np.random.default_rng(seed)
    codes = rng.choice([0, 0, 0, 1, 255], (n, *shape)).astype(np.uint8)
    scores = np.clip(rng.normal(0.4 + 0.2 * (codes == 1), 0.2), 0, 1)
    return scores, codes


COUNTS = npst.arrays(np.int64, (2, 9), elements=st.integers(0, 5)).filter(lambda c: c[0].sum())


@given(COUNTS)
def test_average_precision_walks_the_curve_from_above(counts):
    found = average_precision(counts[0], counts[1])
    assert found == pytest.approx(reference.average_precision(*counts.tolist()), abs=1e-10)


@given(st.lists(COUNTS, min_size=1, max_size=4))
def test_average_precision_of_many_sets_at_once(sets):
    both = np.array(sets)
    one_by_one = [average_precision(*counts) for counts in both]
    assert average_precision(both[:, 0], both[:, 1]).tolist() == one_by_one


def test_average_precision_without_foreground_is_no_number():
    assert np.isnan(average_precision(np.zeros(5, int), np.ones(5, int)))


@given(scored_masks())
def test_the_score_pools_all_pixels_of_all_images(drawn):
    scores, codes = drawn
    counts = reference.histograms(scores.ravel(), codes.ravel())
    expected = reference.average_precision(*counts.tolist())
    assert accumulated(*drawn).compute()["value"] == pytest.approx(expected, abs=1e-9)


@given(scored_masks())
def test_the_curve_gives_precision_and_recall_of_all_pixels(drawn):
    scores, codes = drawn
    curve = accumulated(*drawn).curve()
    assert curve.thresholds.tolist() == LEVELS.tolist()
    for i in (0, 100, 300, 301, 999, 1000):
        reached, on = scores >= LEVELS[i], codes == 1
        positives = (reached & (codes <= 1)).sum()
        assert curve.recall[i] == (reached & on).sum() / on.sum()
        if positives:
            assert curve.precision[i] == (reached & on).sum() / positives
        else:
            assert np.isnan(curve.precision[i])


@given(scored_masks())
def test_mean_overlap_is_the_mean_iou_of_the_masks_at_each_threshold(drawn):
    collected = accumulated(*drawn)
    mean = collected.mean_overlap()
    for i in (0, 99, 100, 300, 1000):
        overlaps = []
        for scores, codes in zip(*drawn, strict=True):
            reached, on, known = scores >= LEVELS[i], codes == 1, codes <= 1
            union = ((reached | on) & known).sum()
            overlaps.append((reached & on).sum() / union if union else 0)
        assert mean[i] == pytest.approx(np.mean(overlaps), abs=1e-12)
    result = collected.compute()
    best = result["threshold"]["mean_iou"]
    assert result["mean_iou"] == pytest.approx(100 * mean[np.searchsorted(LEVELS, best)], abs=1e-12)
    assert result["mean_iou"] == pytest.approx(100 * mean.max(), abs=1e-12)
    assert 100 * collected.overlaps_at_best().mean() == pytest.approx(result["mean_iou"], abs=1e-9)


@given(scored_masks())
def test_rates_at_the_best_and_at_given_thresholds_are_those_of_the_pixels(drawn):
    scores, codes = drawn
    result = accumulated(*drawn, GIVEN).compute()
    best = result["threshold"]["mean_iou"]
    for threshold, rates in (
        (best, result["at_mean_iou_threshold"]),
        *((t, result["at_threshold"][f"{t:g}"]) for t in GIVEN.thresholds),
    ):
        reached, on, known = scores >= threshold, codes == 1, codes <= 1
        hits = (reached & on).sum()
        assert rates["PxRec"] == pytest.approx(100 * hits / on.sum())
        assert rates["PxAcc"] == pytest.approx(100 * ((reached == on) & known).sum() / known.sum())
        if (reached & known).any():
            assert rates["PxPrec"] == pytest.approx(100 * hits / (reached & known).sum())
        else:
            assert math.isnan(rates["PxPrec"])


def test_a_strict_comparison_leaves_out_the_threshold_itself():
    protocol = preset("pixels", threshold_choice="fixed", thresholds=(0.5,), comparison=">")
    counts = [
        measure_mask([[0.5, 0.6]], np.array([[1, 1]], np.uint8), p).at_threshold.tolist()
        for p in (protocol, preset("pixels", threshold_choice="fixed", thresholds=(0.5,)))
    ]
    assert counts == [[[1, 0, 0, 1]], [[2, 0, 0, 0]]]


def test_mean_iou_at_given_thresholds_is_the_mean_over_images():
    scores, codes = random_set(4)
    at = accumulated(scores, codes, GIVEN).compute()["at_threshold"]
    overlaps = []
    for score_map, code in zip(scores, codes, strict=True):
        reached, on, known = score_map >= 0.5, code == 1, code <= 1
        overlaps.append((reached & on).sum() / ((reached | on) & known).sum())
    assert at["0.5"]["mean_iou"] == pytest.approx(100 * np.mean(overlaps), abs=1e-12)


@settings(max_examples=40)
@given(scored_masks(), st.data())
def test_evidence_scores_a_resample_as_if_its_images_were_repeated(drawn, data):
    scores, codes = drawn
    weight = st.integers(0, 3)
    weights = data.draw(npst.arrays(np.int32, (2, len(scores)), elements=weight))
    weights[:, 0] = 1
    found = accumulated(scores, codes).evidence().score(weights)
    for value, row in zip(found, weights, strict=True):
        repeated = np.repeat(scores, row, axis=0), np.repeat(codes, row, axis=0)
        counts = reference.histograms(*repeated)
        assert value == pytest.approx(reference.average_precision(*counts.tolist()), abs=1e-9)


def test_the_number_of_images_converted_at_a_time_changes_nothing(monkeypatch):
    evidence = accumulated(*random_set(23)).evidence()
    weights = np.random.default_rng(0).integers(0, 3, (7, 23)).astype(np.int32)
    whole = evidence.score(weights).tolist()
    monkeypatch.setattr(mask_module, "RESAMPLE_IMAGES", 5)
    assert evidence.score(weights).tolist() == whole


def test_evidence_of_equal_weights_is_the_score():
    collected = accumulated(*random_set(9))
    once = np.ones((1, 9), np.int32)
    assert collected.evidence().score(once)[0] == collected.compute()["value"]


def test_chosen_and_stacked_evidence_keep_each_image():
    evidence = accumulated(*random_set(6)).evidence()
    keep = np.array([True, False, True, True, False, False])
    weights = np.array([[1, 0, 2, 3, 0, 0]], np.int32)
    assert evidence.chosen(keep).score(weights[:, keep]) == evidence.score(weights)
    both = evidence.stacked(evidence)
    assert both.images == 12
    assert both.score(np.hstack([weights, 0 * weights])) == evidence.score(weights)
    assert both.score(np.hstack([0 * weights, weights])) == evidence.score(weights)


def test_histograms_of_large_maps_keep_their_counts():
    shape = (300, 300)  # 90,000 equal pixels, more than 16 bits count
    mask = np.ones(shape, np.uint8)
    mask[:, :10] = 0
    collected = accumulated([np.full(shape, 0.5), np.eye(300)], [mask, mask])
    assert np.sum(collected.evidence().histograms) == 2 * 90_000
    counts = reference.histograms(
        np.concatenate([np.full(shape, 0.5), np.eye(300)]), np.concatenate([mask, mask])
    )
    expected = reference.average_precision(*counts.tolist())
    assert collected.compute()["value"] == pytest.approx(expected, abs=1e-9)


def test_a_mask_of_another_size_is_brought_to_the_map_by_its_nearest_pixels():
    codes = np.zeros((10, 14), np.uint8)
    codes[3:9, 2:6] = 1
    codes[:, 12:] = 255
    scores = np.random.default_rng(1).random((6, 7))
    resized = cv2.resize(codes, (7, 6), interpolation=cv2.INTER_NEAREST)
    assert accumulated([scores], [codes]).compute() == accumulated([scores], [resized]).compute()


def test_boolean_masks_are_masks():
    scores, codes = random_set(2)
    boolean = accumulated(scores, codes == 1).compute()
    assert boolean == accumulated(scores, (codes == 1).astype(np.uint8)).compute()


@given(scored_masks())
def test_pointing_and_energy_are_means_over_the_images(drawn):
    result = accumulated(*drawn).compute()
    pointing, energy = [], []
    for scores, codes in zip(*drawn, strict=True):
        pointing.append(codes.ravel()[scores.argmax()] == 1)
        total = scores[codes <= 1].sum()
        energy.append(scores[codes == 1].sum() / total if total else 0)
    assert result["pointing"] == pytest.approx(100 * np.mean(pointing))
    assert result["energy"] == pytest.approx(100 * np.mean(energy))


def test_what_cannot_be_scored_says_so():
    with pytest.raises(ValueError, match="no image was scored"):
        MaskAccumulator().compute()
    with pytest.raises(ValueError, match="no mask has any foreground"):
        accumulated([np.ones((2, 2))], [np.zeros((2, 2))]).compute()
    with pytest.raises(TypeError, match="one kind"):
        MaskEvidence(np.zeros((1, 2, 3))).stacked(object())


def test_bytes_per_image_are_counted():
    assert 2 * 1001 * 2 <= accumulated(*random_set(3)).bytes_per_image < 2 * 1001 * 2 + 100


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.full((9, 9), -0.5), "outside"),
        (np.full((9, 9), 200.0), "outside"),
        (np.full((9, 9), np.nan), "map holds NaN"),
        (np.full((9, 9), np.inf), "map holds infinite values"),
        (np.ones((9, 9, 1)), "3 dimensions"),
        (np.ones((0, 9)), "map is empty"),
    ],
)
def test_unsound_maps_are_refused_by_name_and_not_counted(scores, words):
    collected = MaskAccumulator()
    with pytest.raises(DataError, match=words) as caught:
        collected.update(scores, np.ones((9, 9)), image="bird.png")
    assert str(caught.value).startswith("bird.png: ")
    assert len(collected.records) == 0


@pytest.mark.parametrize(
    "mask",
    [[[0, 2]], [[0.5, 1]], [[256, 1]], [[-1, 1]], [[np.nan, 1]], [1, 0], np.ones((1, 2, 1)), [[]]],
)
def test_what_is_no_mask_is_refused_by_name_and_not_counted(mask):
    collected = MaskAccumulator()
    with pytest.raises(DataError, match=r"^bird.png: mask "):
        collected.update([[0.5, 0.5]], mask, image="bird.png")
    assert len(collected.records) == 0


def test_evidence_holds_no_copies():
    first, second = accumulated(*random_set(6)), accumulated(*random_set(6))
    held = {id(histogram) for histogram in first._histograms + second._histograms}
    both = first.evidence().stacked(second.evidence().chosen(np.ones(6, bool)))
    assert {id(histogram) for histogram in both.histograms} == held


def test_the_summary_of_many_images_holds_a_few_of_them_at_a_time():
    collected = MaskAccumulator()
    for _ in range(2000):
        collected.add(measure_mask(np.full((1, 1), 0.5), np.uint8([[1]]), preset("pixels")))
    tracemalloc.start()
    collected.compute()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2000 * 1001 * 8 / 4  # a quarter of the overlaps of all

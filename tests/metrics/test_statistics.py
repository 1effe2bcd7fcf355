"""Intervals and paired tests: against plain loops, and against what must hold of any of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from sightline.metrics import statistics
from sightline.metrics.box import measure
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.kernels import reference
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import preset
from sightline.metrics.statistics import bootstrap, paired_test

from .maps import blobs

DELTAS = (30, 50, 70)
BOX_PROTOCOLS = ["reference-v1", "reference-v2", "exact", "center-row-journal"]


@dataclass(frozen=True)
class Mean:
    """The simplest evidence: a number for each image, and their weighted mean."""

    values: np.ndarray

    @property
    def images(self):
        return len(self.values)

    def score(self, weights):
        return weights @ self.values / np.maximum(1, weights.sum(axis=1))

    def stacked(self, other):
        return Mean(np.concatenate([self.values, other.values]))


def box_evidence(name, n=12, seed=0, shift=0, **choices):
    maps, truths = blobs(n, seed, levels=20)
    collected = BoxAccumulator(preset(name, **choices))
    for score_map, truth in zip(maps, truths, strict=True):
        collected.update(np.roll(score_map, shift, axis=1), truth)
    return collected.evidence()


def mask_evidence(n=12, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    collected = MaskAccumulator()
    for _ in range(n):
        mask = rng.choice([0, 0, 1, 255], (9, 9)).astype(np.uint8)
        scores = 0.4 + 0.2 * (mask == 1) + rng.normal(0, noise, mask.shape)
        collected.update(np.clip(scores, 0, 1), mask)
    return collected.evidence()


EVIDENCE = {
    **{name: (lambda name=name, **how: box_evidence(name, **how)) for name in BOX_PROTOCOLS},
    "pixels": mask_evidence,
}
ANY_EVIDENCE = pytest.mark.parametrize("make", EVIDENCE.values(), ids=EVIDENCE)


def picked_images(n, resamples, seed):
    return np.random.default_rng(seed).integers(n, size=(resamples, n))


@pytest.mark.parametrize("name", ["reference-v1", "reference-v2", "center-row-journal"])
def test_every_resample_chooses_its_threshold_again(name):
    protocol = preset(name)
    maps, truths = blobs(12, levels=20)
    pairs = zip(maps, truths, strict=True)
    overlaps = np.array([measure(m, t, protocol).overlaps for m, t in pairs])
    scores = []
    for picked in picked_images(12, 80, seed=5):
        hits = [overlaps[picked] >= delta / 100 for delta in protocol.iou_thresholds]
        accuracy = 100 * np.mean(hits, axis=1)  # (IoU thresholds, thresholds)
        joint = protocol.threshold_choice == "joint"
        best = accuracy.mean(axis=0).max() if joint else accuracy.max(axis=1).mean()
        scores.append(best)
    found = bootstrap(box_evidence(name), seed=5, resamples=80)
    assert (found.low, found.high) == pytest.approx(np.quantile(scores, [0.025, 0.975]).tolist())
    assert found.high > found.low


def test_every_resample_chooses_among_all_scores_that_occur():
    protocol = preset("exact")
    maps, truths = blobs(6, levels=20)
    collected = BoxAccumulator(protocol)
    for score_map, truth in zip(maps, truths, strict=True):
        collected.update(score_map, truth)
    scores = []
    for picked in picked_images(6, 12, seed=2):
        drawn = [maps[i] for i in picked], [truths[i] for i in picked]
        best = [reference.best_accuracy(*drawn, delta / 100, protocol) for delta in DELTAS]
        scores.append(np.mean(best))
    found = bootstrap(collected.evidence(), seed=2, resamples=12, level=0.8)
    assert (found.low, found.high) == pytest.approx(np.quantile(scores, [0.1, 0.9]).tolist())


def test_every_resample_pools_the_pixels_of_its_images():
    evidence = mask_evidence()
    scores = []
    for picked in picked_images(12, 40, seed=1):
        counts = np.sum(np.array(evidence.histograms)[picked], axis=0, dtype=int)
        scores.append(reference.average_precision(*counts.tolist()))
    found = bootstrap(evidence, seed=1, resamples=40)
    assert (found.low, found.high) == pytest.approx(np.quantile(scores, [0.025, 0.975]).tolist())


@ANY_EVIDENCE
def test_the_same_seed_gives_the_same_interval_and_another_another(make):
    evidence = make()
    assert bootstrap(evidence, seed=3) == bootstrap(evidence, seed=3)
    assert bootstrap(evidence, seed=3, level=0.5) != bootstrap(evidence, seed=4, level=0.5)


@ANY_EVIDENCE
def test_how_many_weights_are_drawn_at_a_time_changes_nothing(make, monkeypatch):
    evidence, other = make(), make(seed=1)
    whole = bootstrap(evidence, resamples=50), paired_test(evidence, other, resamples=50)
    monkeypatch.setattr(statistics, "CHUNK_ENTRIES", 90)
    assert (bootstrap(evidence, resamples=50), paired_test(evidence, other, resamples=50)) == whole


@ANY_EVIDENCE
def test_a_wider_level_gives_a_wider_interval(make):
    evidence = make()
    narrow, wide = (bootstrap(evidence, level=level) for level in (0.5, 0.99))
    assert wide.low <= narrow.low < narrow.high <= wide.high
    assert (wide.level, wide.resamples, wide.seed) == (0.99, 1000, 0)


def test_a_single_image_leaves_no_doubt():
    interval = bootstrap(Mean(np.array([40.0])), resamples=10)
    assert (interval.low, interval.high) == (40.0, 40.0)


def test_every_resample_draws_as_many_images_as_there_are():
    drawn = np.concatenate(list(statistics._draws(np.random.default_rng(0), 7, 500)))
    assert drawn.shape == (500, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert abs(drawn.mean(axis=0) - 1).max() < 0.2


@ANY_EVIDENCE
def test_identical_maps_do_not_differ(make):
    result = paired_test(make(), make(), resamples=60)
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)
    assert result.images == 12


@ANY_EVIDENCE
def test_a_strong_difference_is_found(make):
    worse = {"noise": 2.0} if make is mask_evidence else {"shift": 9}
    result = paired_test(make(n=40), make(n=40, **worse), resamples=199)
    assert result.difference > 10
    assert result.low > 0
    assert result.p_value == 1 / 200


@ANY_EVIDENCE
def test_exchanging_the_two_turns_the_sign(make):
    first, second = (
        make(n=20),
        make(n=20, **({"seed": 1} if make is mask_evidence else {"shift": 2})),
    )
    one_way = paired_test(first, second, resamples=99)
    other_way = paired_test(second, first, resamples=99)
    assert one_way.difference == -other_way.difference != 0
    assert (one_way.low, one_way.high) == pytest.approx((-other_way.high, -other_way.low))
    assert one_way.p_value == other_way.p_value


@ANY_EVIDENCE
def test_the_difference_is_that_of_the_two_scores(make):
    first, second = make(), make(seed=1)
    once = np.ones((1, 12), np.int32)
    expected = first.score(once) - second.score(once)
    assert paired_test(first, second, resamples=5).difference == pytest.approx(expected[0])


def test_the_interval_of_a_difference_resamples_both_maps_of_an_image_together():
    values = np.random.default_rng(0).normal(50, 20, 60)
    result = paired_test(Mean(values + 3), Mean(values), resamples=200)
    assert (result.low, result.high) == pytest.approx((3, 3))  # the spread of images cancels
    assert result.p_value == 1 / 201


def test_the_p_value_exchanges_the_maps_of_random_images():
    rng = np.random.default_rng(4)
    first, second = rng.normal(1, 4, (2, 15))
    result = paired_test(Mean(first), Mean(second), resamples=400)
    signs = rng.choice([-1, 1], (4000, 15))
    permuted = np.abs((signs * (first - second)).mean(axis=1))
    expected = (permuted >= abs((first - second).mean())).mean()
    assert 0.05 < expected < 0.95
    assert result.p_value == pytest.approx(expected, abs=0.08)


def test_p_values_are_uniform_where_nothing_differs():
    rng = np.random.default_rng(11)
    p_values = np.array(
        [
            paired_test(Mean(first), Mean(second), seed=i, resamples=99).p_value
            for i, (first, second) in enumerate(rng.normal(50, 10, (400, 2, 25)))
        ]
    )
    for level in (0.05, 0.25, 0.5, 0.75):
        spread = np.sqrt(level * (1 - level) / len(p_values))
        assert (p_values <= level).mean() == pytest.approx(level, abs=4 * spread)


def test_p_values_of_searched_thresholds_are_no_smaller_than_uniform():
    """Accuracies of few images are often equal, which makes p-values larger, never smaller."""
    rng = np.random.default_rng(2)
    together = box_evidence("reference-v2", n=40)
    p_values = []
    for i in range(80):
        halves = rng.permutation(40)
        first, second = (
            together.chosen(np.isin(np.arange(40), part)) for part in (halves[:20], halves[20:])
        )
        p_values.append(paired_test(first, second, seed=i, resamples=99).p_value)
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p_values) <= level) <= level + 4 * np.sqrt(level / 80)


@pytest.mark.parametrize("name", BOX_PROTOCOLS)
def test_hits_of_the_second_set_do_not_leak_into_the_first(name):
    evidence = box_evidence(name)
    nothing = evidence.only(np.zeros(12, bool))
    result = paired_test(evidence, nothing, resamples=20)
    score = evidence.score(np.ones((1, 12), np.int32))[0]
    assert result.difference == pytest.approx(score)
    assert paired_test(nothing, replace(nothing), resamples=20).p_value == 1


def test_only_the_same_images_under_the_same_protocol_are_compared():
    with pytest.raises(ValueError, match="12 images cannot be paired with 9"):
        paired_test(box_evidence("exact"), box_evidence("exact", n=9))
    for other in ("reference-v1", "exact", "center-row-journal"):
        with pytest.raises(ValueError, match="same protocol"):
            paired_test(box_evidence("reference-v2"), box_evidence(other))


def test_resamples_without_any_foreground_are_left_out():
    collected = MaskAccumulator()
    for i in range(4):
        scores = np.random.default_rng(i).random((4, 4))
        collected.update(scores, (scores > 0.3) * (i == 0))
    interval = bootstrap(collected.evidence(), resamples=100)
    assert 0 < interval.low <= interval.high <= 100
    assert np.isnan(bootstrap(collected.evidence(), seed=6, resamples=1).low)


@pytest.mark.long
@pytest.mark.parametrize("name", ["reference-v2", "exact"])
def test_intervals_cover_the_score_of_the_population(name):
    population = box_evidence(name, n=3000, seed=21)
    truth = population.score(np.ones((1, 3000), np.int32))[0]
    rng = np.random.default_rng(0)
    covered = []
    for i in range(200):
        keep = np.zeros(3000, bool)
        keep[rng.choice(3000, 300, replace=False)] = True
        interval = bootstrap(population.chosen(keep), seed=i, resamples=400)
        covered.append(interval.low <= truth <= interval.high)
    assert 0.85 <= np.mean(covered) <= 1  # searching the threshold pulls samples upward


def test_resampling_tells_how_far_it_is(monkeypatch):
    evidence, other = (Mean(np.arange(30.0)), Mean(np.ones(30)))
    monkeypatch.setattr(statistics, "CHUNK_ENTRIES", 30 * 40)
    told: list[int] = []
    bootstrap(evidence, resamples=100, report=told.append)
    assert told == [40, 80, 100]
    told.clear()
    paired_test(evidence, other, resamples=100, report=told.append)
    assert told == [40, 80, 100, 140, 180, 200]

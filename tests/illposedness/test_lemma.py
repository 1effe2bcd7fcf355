"""Pixel accuracy, the ratio, and the lemma on discrete cues."""

import numpy as np
import pytest

from sightline.errors import UsageError
from sightline.illposedness import example
from sightline.illposedness.lemma import best_px_acc, px_acc, verdict

EVEN = np.ones(6)


def test_the_ducks_of_figure_3():
    told = [outcome for _, p, t in example.PATCHES for outcome in [example.outcome(p, t)]]
    assert told == ["TP", "TP", "TP", "FP", "FN", "TN"]
    made = px_acc(example.POSTERIOR, example.FOREGROUND, EVEN, example.THRESHOLD)
    assert made == pytest.approx(4 / 6)
    found = verdict(example.POSTERIOR, example.FOREGROUND)
    assert found.ratio == pytest.approx(0.3 / 0.4)
    assert not found.separable
    names = [example.PATCHES[i][0] for i in (found.weakest, found.strongest)]
    assert names == ["duck's feet", "water"]
    best = best_px_acc(example.POSTERIOR, example.FOREGROUND, EVEN)
    assert (best.value, best.threshold) == (pytest.approx(5 / 6), 0.7)


def test_feet_seen_more_often_mend_the_example():
    posterior = example.POSTERIOR.copy()
    posterior[4] = 0.41
    found = verdict(posterior, example.FOREGROUND)
    assert found.separable
    assert best_px_acc(posterior, example.FOREGROUND, EVEN).value == 1
    for tau in (np.nextafter(found.above, 1), found.up_to):
        assert px_acc(posterior, example.FOREGROUND, EVEN, tau) == 1
    for tau in (found.above, np.nextafter(found.up_to, 1)):
        assert px_acc(posterior, example.FOREGROUND, EVEN, tau) < 1


@pytest.mark.parametrize("seed", range(200))
def test_accuracy_is_1_exactly_when_the_ratio_exceeds_1(seed):
    dice = np.random.default_rng(seed)
    count = int(dice.integers(2, 7))
    scores = dice.integers(0, 5, count) / 4  # with ties, and with zeros
    foreground = np.arange(count) < dice.integers(1, count)
    weights = dice.random(count) + 0.1
    found, best = verdict(scores, foreground), best_px_acc(scores, foreground, weights)
    assert (best.value == pytest.approx(1)) == found.separable
    assert found.separable == (found.ratio > 1)
    tried = [px_acc(scores, foreground, weights, tau) for tau in [*scores, np.inf]]
    assert best.value == pytest.approx(max(tried))
    assert best.value == pytest.approx(px_acc(scores, foreground, weights, best.threshold))


def test_a_tie_is_not_separable():
    found = verdict(np.array([0.5, 0.5]), np.array([True, False]))
    assert (found.ratio, found.separable) == (1, False)


def test_background_that_never_goes_with_the_class():
    found = verdict(np.array([0.2, 0.0]), np.array([True, False]))
    assert (found.ratio, found.separable) == (np.inf, True)


def test_where_nothing_is_told_apart_all_is_background():
    best = best_px_acc(np.zeros(4), np.array([True, False, False, False]), np.ones(4))
    assert (best.value, best.threshold) == (0.75, np.inf)


@pytest.mark.parametrize("all_of", [True, False])
def test_one_kind_of_cue_is_no_question(all_of):
    with pytest.raises(UsageError, match="a cue of the object and one of the background"):
        verdict(np.array([0.1, 0.2]), np.full(2, all_of))

"""Kendall's tau by hand, ties included; which trials are ranked; how they spread."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from sightline.errors import UsageError
from sightline.protocol import ranking
from sightline.protocol.ranking import between_sets, between_splits, kendall, spread, transfer

from .made import final, trial


@pytest.mark.parametrize(
    ("first", "second", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 2, 3, 4], [1, 3, 2, 4], 4 / 6),  # one of six pairs discordant
        ([1, 1, 2], [1, 2, 3], 2 / np.sqrt(2 * 3)),  # one pair tied in the first
        ([1, 1, 2, 3], [5, 5, 5, 6], 3 / np.sqrt(5 * 3)),
        ([1, 1, 2], [1, 2, 2], 1 / np.sqrt(2 * 2)),
    ],
)
def test_tau_by_hand(first, second, tau):
    assert kendall(first, second) == pytest.approx(tau)


def test_tau_of_equal_scores_means_nothing():
    assert np.isnan(kendall([1, 1, 1], [1, 2, 3]))


@pytest.mark.parametrize("seed", range(5))
def test_tau_agrees_with_scipy(seed):
    first, second = np.random.default_rng(seed).integers(0, 6, (2, 15))
    assert kendall(first, second) == pytest.approx(kendalltau(first, second, variant="b").statistic)


def test_only_converged_trials_are_ranked_and_the_others_counted():
    pairs = [(1, 1), (2, 2), (3, 0), (float("nan"), 4), (4, 4)]
    found = transfer(pairs, converged=[True, True, False, True, True])
    assert (found.tau, found.trials, found.left_out) == (1, 3, 2)
    assert found.low <= found.tau <= found.high


@pytest.mark.parametrize("converged", [[False, False], [True, False]])
def test_a_ranking_needs_two(converged):
    with pytest.raises(UsageError, match=r"of 2 trials converged"):
        transfer([(1, 1), (2, 2)], converged=converged)


def test_each_trial_meets_the_test_score_of_its_own_folder(tmp_path):
    trials, finals = [], []
    for number, (val, test) in enumerate([(50, 40), (60, 45), (40, 42)]):
        folder = tmp_path / str(number)
        trials.append(trial(folder, value=val, options={"x": number}))
        finals.append(final(folder, value=test))
    trials.append(trial(tmp_path / "bad", value=float("nan"), status="diverged"))
    (found,) = between_splits(trials, finals).values()
    assert found.tau == pytest.approx(1 / 3)
    assert (found.first, found.second, found.left_out) == ((50, 60, 40), (40, 45, 42), 1)


def test_proxy_meets_full_by_configuration_whatever_the_folder(tmp_path):
    proxy = [trial(tmp_path / f"p{i}", value=v, lr=i) for i, v in enumerate([10, 20, 30], 1)]
    full = [trial(tmp_path / f"f{i}", value=v, lr=4 - i) for i, v in enumerate([33, 22, 11], 1)]
    ((key, found),) = between_sets(proxy, full).items()
    assert key == ("cam", "pets", "small")
    assert found.tau == 1
    assert found.second == (11, 22, 33)
    with pytest.raises(UsageError, match="share no configuration"):
        between_sets(proxy, [trial(tmp_path / "o", value=1, lr=9)])


def test_spread_and_the_share_below_the_center(tmp_path):
    trials = [trial(tmp_path / str(i), value=v) for i, v in enumerate([40, 50, 60, 70])]
    trials.append(trial(tmp_path / "x", value=float("nan"), status="diverged"))
    (found,) = spread(trials, center={"pets": 55.0}.get)
    assert (found["trials"], found["not_converged"]) == (5, 1)
    assert (found["min"], found["median"], found["max"], found["mean"]) == (40, 55, 70, 55)
    assert found["worse_than_center"] == 50


def test_a_method_of_which_nothing_converged_is_still_listed(tmp_path):
    (found,) = spread([trial(tmp_path / "x", value=float("nan"), status="diverged")])
    assert (found["trials"], found["not_converged"]) == (1, 1)
    assert "mean" not in found
    assert ranking.RESAMPLES == 1000

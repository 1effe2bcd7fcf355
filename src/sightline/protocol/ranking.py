"""Whether one ranking of trials carries over to another, and how they spread.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Table 3 and
Figures 6 and 13. Between the splits: each trial's score on train-fullsup and on the test split.
Between proxy and full: each configuration trained on either. Only trials that converged on both
sides are ranked; the others are counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import rows
from sightline.errors import UsageError
from sightline.protocol.results import CONVERGED, Result
from sightline.training.plan import Plan, as_plain

Floats = NDArray[np.float64]
RESAMPLES = 1000
DATA_OPTIONS = ("seed",)  # of a plan: what does not make another configuration


@dataclass(frozen=True, slots=True)
class Transfer:
    """Two scores of each trial, and how far their orders agree."""

    tau: float  # Kendall's tau-b
    low: float
    high: float
    first: tuple[float, ...]
    second: tuple[float, ...]
    left_out: int  # trials that did not converge, or have no score, on one side or the other

    @property
    def trials(self) -> int:
        """Count the trials that were ranked."""
        return len(self.first)


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """Give Kendall's tau-b: concordant less discordant pairs, ties counted as neither.

    Formula:
        (P - Q) / sqrt((P + Q + T) (P + Q + U)), with T and U the pairs tied in one of both alone
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    x = np.sign(a[:, None] - a[None, :])[np.triu_indices(len(a), 1)]
    y = np.sign(b[:, None] - b[None, :])[np.triu_indices(len(b), 1)]
    scale = np.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    return float((x * y).sum() / scale) if scale else float("nan")


def transfer(
    pairs: Sequence[tuple[float, float]], *, converged: Sequence[bool] | None = None, seed: int = 0
) -> Transfer:
    """Rank trials by either score; the interval resamples trials."""
    sound = [
        pair
        for i, pair in enumerate(pairs)
        if (converged is None or converged[i]) and np.isfinite(pair).all()
    ]
    if len(sound) < 2:
        raise UsageError(
            f"{len(sound)} of {len(pairs)} trials converged with a score on both sides: a ranking"
            " needs two or more"
        )
    both = np.array(sound)
    rng = np.random.default_rng(seed)
    drawn = [both[rng.integers(len(both), size=len(both))] for _ in range(RESAMPLES)]
    taus = np.array([kendall(*one.T) for one in drawn])
    taus = taus[np.isfinite(taus)]
    low, high = np.quantile(taus, [0.025, 0.975]) if len(taus) else (np.nan, np.nan)
    return Transfer(
        tau=kendall(*both.T),
        low=float(low),
        high=float(high),
        first=tuple(both[:, 0].tolist()),
        second=tuple(both[:, 1].tolist()),
        left_out=len(pairs) - len(sound),
    )


def configuration(trial: Result) -> str:
    """Identify a configuration by all that was chosen for it, wherever it was trained.

    What an older row does not mention was as it is by default.
    """
    run = trial.row.result
    plan = {k: v for k, v in (as_plain(Plan()) | run["plan"]).items() if k not in DATA_OPTIONS}
    return rows.canonical([run["method"], run["backbone"], run["options"], plan])


def converged(trial: Result) -> bool:
    """Tell whether a training run converged."""
    return bool(trial.row.result.get("status", CONVERGED) == CONVERGED)


def between_splits(
    trials: Sequence[Result],
    finals: Sequence[Result],
    recorded: Mapping[tuple[Path, str], float] | None = None,
) -> dict[tuple[str, str, str], Transfer]:
    """Pair each trial's validation score with the test score that lies in the same folder.

    Args:
        trials: training runs.
        finals: measured on the test split.
        recorded: what records of epochs say of the last one, by folder and metric.
    """
    tests = {**(recorded or {}), **{(f.file.parent, f.metric): f.value for f in finals}}
    groups: dict[tuple[str, str, str], list[tuple[float, float, bool]]] = {}
    for trial in trials:
        final = tests.get((trial.file.parent, trial.metric), float("nan"))
        entry = (trial.value, final, converged(trial))
        groups.setdefault((trial.method, trial.dataset, trial.backbone), []).append(entry)
    return {
        key: transfer([one[:2] for one in members], converged=[one[2] for one in members])
        for key, members in sorted(groups.items())
        if sum(one[2] and np.isfinite(one[1]) for one in members) > 1
    }


def between_sets(
    first: Sequence[Result], second: Sequence[Result]
) -> dict[tuple[str, str, str], Transfer]:
    """Pair the scores of each configuration in two sets of trials, such as proxy and full."""
    others = {configuration(trial): trial for trial in second}
    groups: dict[tuple[str, str, str], list[tuple[float, float, bool]]] = {}
    for trial in first:
        other = others.get(configuration(trial))
        if other:
            fine = converged(trial) and converged(other)
            key = (trial.method, trial.dataset, trial.backbone)
            groups.setdefault(key, []).append((trial.value, other.value, fine))
    if not groups:
        raise UsageError("the two sets of trials share no configuration")
    return {
        key: transfer([one[:2] for one in members], converged=[one[2] for one in members])
        for key, members in sorted(groups.items())
    }


def scores(trials: Sequence[Result]) -> dict[tuple[str, str, str], tuple[Floats, int]]:
    """Give each method's scores on validation, and how many trials did not converge."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for trial in trials:
        groups.setdefault((trial.method, trial.dataset, trial.backbone), []).append(trial)
    found = {}
    for key, members in sorted(groups.items()):
        good = [one for one in members if converged(one)]
        values = np.array([one.value for one in good if np.isfinite(one.value)])
        found[key] = values, len(members) - len(good)
    return found


def spread(
    trials: Sequence[Result], *, center: Callable[[str], float | None] = lambda dataset: None
) -> list[dict[str, Any]]:
    """Tell how each method's trials spread, and how many are worse than the center baseline."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for trial in trials:
        groups.setdefault((trial.method, trial.dataset, trial.backbone), []).append(trial)
    return [
        {"method": m, "dataset": d, "backbone": b, **_spread(members, center(d))}
        for (m, d, b), members in sorted(groups.items())
    ]


def _spread(trials: Sequence[Result], center: float | None) -> Mapping[str, Any]:
    good = [t for t in trials if converged(t)]
    values = np.array([t.value for t in good if np.isfinite(t.value)])
    found: dict[str, Any] = {"trials": len(trials), "not_converged": len(trials) - len(good)}
    if len(values) < len(good):
        found["not_evaluated"] = len(good) - len(values)
    if not len(values):
        return found
    names = ("min", "quartile", "median", "upper_quartile", "max")
    found |= dict(zip(names, map(float, np.quantile(values, (0, 0.25, 0.5, 0.75, 1))), strict=True))
    found["mean"] = float(values.mean())
    if center is not None:
        found["center"] = center
        found["worse_than_center"] = 100 * float((values < center).mean())
    return found

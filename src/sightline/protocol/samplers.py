"""Optuna's samplers, for those who want more than random draws; they learn from trials that ended.

They draw numbers from 0 to 1 that the feasible ranges turn into options, so that ranges that hang
on each other are no matter of theirs. Trials are asked for in groups of a fixed size: what is drawn
follows from the seed and from what earlier groups gave, not from who was done first.
"""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sightline.errors import UsageError

Sampler = Literal["random", "tpe", "gp", "cma-es", "qmc"]
GROUP = 8  # trials drawn at a time
CLASSES = {
    "tpe": ("TPESampler", {"constant_liar": True}),
    "gp": ("GPSampler", {}),
    "cma-es": ("CmaEsSampler", {}),
    "qmc": ("QMCSampler", {}),
}


def suggest(
    sampler: Sampler,
    seed: int,
    names: Sequence[str],
    past: Sequence[tuple[Mapping[str, float], float | None]],
    count: int,
) -> list[dict[str, float]]:
    """Ask for a group of draws.

    Args:
        sampler: which of them.
        seed: of all that it draws.
        names: of the options.
        past: what was drawn for each earlier trial, and what came of it; one that gave nothing
            counts as bad as the worst.
        count: how many to ask for.
    """
    optuna = _optuna()
    name, options = CLASSES[sampler]
    ranges = {each: optuna.distributions.FloatDistribution(0.0, 1.0) for each in names}
    made = getattr(optuna.samplers, name)(seed=seed + len(past), **options)
    study = optuna.create_study(direction="maximize", sampler=made)
    worst = min((value for _, value in past if value is not None), default=0.0)
    for drawn, value in past:
        study.add_trial(
            optuna.trial.create_trial(
                params=dict(drawn),
                distributions=ranges,
                value=worst if value is None else value,
            )
        )
    asked = [study.ask(ranges) for _ in range(count)]
    return [{each: min(one.params[each], 1 - 2**-53) for each in names} for one in asked]


def _optuna() -> Any:
    try:
        optuna = importlib.import_module("optuna")
    except ImportError:
        raise UsageError(
            "Optuna is not installed; pip install 'sightline[optuna]', or --sampler random"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna

"""What a search draws: the feasible ranges of a method's options and of what all methods share.

    feasible    learning rate and score-map resolution (Choe et al.)
    realistic   learning rate, weight decay, and the factor and step of its schedule (Murtaza et
                al.); shared configurations times draws of the method's own options, as a grid

What is drawn follows from the seed, the number of the draw and the option's name alone: another
number of trials, or another order of options, changes nothing. What methods share is drawn alike
for all of them, so that none is lucky with its learning rates.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from sightline.errors import UsageError
from sightline.hyperparameters import Choice, Distribution, LogUniform, Whole, space
from sightline.training.plan import RESOLUTIONS

Space = Literal["feasible", "realistic"]
Quantile = Callable[[str], float]  # option -> a number drawn evenly from [0, 1)
RATE = LogUniform(1e-5, 1)


@dataclass(frozen=True, slots=True)
class Ranges:
    """What is drawn, for the plan that all methods share and for the method's options."""

    shared: Mapping[str, Distribution]
    own: Mapping[str, Distribution]
    defaults: Mapping[str, Any]  # of options, for ranges that hang on one that is not drawn

    def values(self, quantile: Quantile, own_quantile: Quantile | None = None) -> dict[str, Any]:
        """Turn evenly drawn numbers into a configuration."""
        found = drawn(self.shared, quantile, {})
        return found | drawn(self.own, own_quantile or quantile, self.defaults)


def ranges(
    kind: Space,
    options: type,
    *,
    resolutions: Iterable[int],
    epochs: int,
    steps: tuple[int, int] | None = None,
    fixed: Mapping[str, Any],
) -> Ranges:
    """List what a search draws.

    Args:
        kind: the papers' space.
        options: a method's.
        resolutions: of the backbone's features.
        epochs: of a trial; steps of the schedule are from a tenth of them on, 2 at least, to all
            but a tenth.
        steps: these instead.
        fixed: values that are given, and not drawn.
    """
    shared: dict[str, Distribution] = {"lr": RATE}
    if kind == "realistic":
        low, high = steps or (max(2, epochs // 10), epochs - epochs // 10)
        if low < 1:
            raise UsageError(f"--steps: {low} is no number of epochs")
        shared |= {"weight_decay": RATE, "decay_factor": RATE}
        shared["decay_every"] = Whole(low, max(low, high))
    else:
        here = tuple(resolutions)
        usual = tuple(side for side in RESOLUTIONS.values if side in here)
        shared["resolution"] = Choice(*(usual or here))
    defaults = {item.name: item.default for item in fields(options)} | dict(fixed)
    return Ranges(_without(shared, fixed), _without(space(options), fixed), defaults)


def _without(ranges: Mapping[str, Distribution], fixed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in ranges.items() if name not in fixed}


def drawn(
    ranges: Mapping[str, Distribution], quantile: Quantile, known: Mapping[str, Any]
) -> dict[str, Any]:
    """Draw each option, those that bounds of others name before these."""
    found: dict[str, Any] = {}

    def draw(name: str, waiting: tuple[str, ...]) -> None:
        if name in waiting:
            raise ValueError(f"the ranges of {', '.join(waiting)} hang on each other")
        for other in named_by(ranges[name]):
            if other in ranges and other not in found:
                draw(other, (*waiting, name))
        if name not in found:
            found[name] = ranges[name].draw(quantile(name), {**known, **found})

    for name in ranges:
        draw(name, ())
    return {name: found[name] for name in ranges}


def named_by(limit: Any) -> list[str]:
    """List the options that a range's bounds name."""
    bounds = (getattr(limit, "low", None), getattr(limit, "high", None))
    return [bound for bound in bounds if isinstance(bound, str)]


def even(seed: int, *place: object) -> float:
    """Draw a number evenly from [0, 1) for a place: the same everywhere and always."""
    text = "\n".join(map(str, (seed, *place)))
    digest = hashlib.sha256(text.encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def configurations(
    ranges: Ranges, *, seed: int, method: str, start: int, stop: int, own_draws: int = 0
) -> list[dict[str, Any]]:
    """Draw the configurations from one number to another.

    Args:
        ranges: what is drawn.
        seed: of all draws.
        method: whose own options are drawn.
        start: the first number.
        stop: the number behind the last.
        own_draws: draws of the method's own options that each shared configuration is paired with;
            0 draws both anew each time.
    """
    found = []
    for number in range(start, stop):
        shared, own = divmod(number, own_draws) if own_draws else (number, number)
        found.append(ranges.values(_at(seed, "shared", shared), _at(seed, method, own)))
    return found


def _at(seed: int, *place: object) -> Quantile:
    return lambda name: even(seed, *place, name)

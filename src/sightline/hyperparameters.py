"""Hyperparameters are declared once: a field, its default, its feasible range and distribution.

    threshold: Annotated[float, "what is erased", Uniform(0, 1)] = 0.6

Flags, validation, the search space and the documentation are derived from that line. A bound may
name another option of the same dataclass, which is then drawn first. What no search should draw has
a limit instead of a distribution, or a `Literal` type: that is how readings of a paper are named.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Protocol, get_args, get_origin, get_type_hints

from sightline.errors import UsageError

Bound = float | str


class Limit(Protocol):
    """The feasible range of an option."""

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""


class Distribution(Limit, Protocol):
    """The feasible range of an option, and how a search draws from it."""

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> Any:
        """Turn a number drawn evenly from [0, 1) into a value."""


def _bound(bound: Bound, others: Mapping[str, Any]) -> float:
    return float(others[bound]) if isinstance(bound, str) else bound


@dataclass(frozen=True, slots=True)
class Uniform:
    """Any number from low to high, all alike."""

    low: Bound
    high: Bound

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> float:
        """Turn a number drawn evenly from [0, 1) into a value."""
        low, high = _bound(self.low, drawn), _bound(self.high, drawn)
        return low + quantile * (high - low)

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        low, high = _bound(self.low, others), _bound(self.high, others)
        return "" if low <= value <= high else f"{value:g} is not from {low:g} to {high:g}"


@dataclass(frozen=True, slots=True)
class LogUniform:
    """Any positive number from low to high, all orders of magnitude alike."""

    low: float
    high: float

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> float:
        """Turn a number drawn evenly from [0, 1) into a value."""
        return self.low * math.pow(self.high / self.low, quantile)

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is; a search's range is no limit."""
        return "" if value >= 0 and math.isfinite(value) else f"{value:g} is not positive"


@dataclass(frozen=True, slots=True)
class ReciprocalUniform:
    """One over a number drawn evenly from (0, 2], less one half: the prior of a mixed area."""

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> float:
        """Turn a number drawn evenly from [0, 1) into a value."""
        return 1 / (2 * (1 - quantile)) - 0.5

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        return "" if value >= 0 and math.isfinite(value) else f"{value:g} is not from 0 on"


@dataclass(frozen=True, slots=True)
class Whole:
    """Any whole number from low to high, both included."""

    low: int
    high: int

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> int:
        """Turn a number drawn evenly from [0, 1) into a value."""
        return self.low + int(quantile * (self.high - self.low + 1))

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        inside = self.low <= value <= self.high
        return "" if inside else f"{value} is not from {self.low} to {self.high}"


@dataclass(frozen=True, slots=True, init=False)
class Choice:
    """One of some values, all alike."""

    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        object.__setattr__(self, "values", values)

    def draw(self, quantile: float, drawn: Mapping[str, Any]) -> Any:
        """Turn a number drawn evenly from [0, 1) into a value."""
        return self.values[int(quantile * len(self.values))]

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        known = ", ".join(map(str, self.values))
        return "" if value in self.values else f"{value} is none of {known}"


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A limit that no search draws from: any number from low on."""

    low: float

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        fine = value >= self.low and math.isfinite(value)
        return "" if fine else f"{value:g} is not from {self.low:g} on"


def space(declared: type) -> dict[str, Distribution]:
    """List what a search may draw, in the order of the fields."""
    return {name: limit for name, limit in limits(declared).items() if hasattr(limit, "draw")}


def limits(declared: type) -> dict[str, Any]:
    """List the feasible ranges, searched or not, in the order of the fields."""
    hints = get_type_hints(declared, include_extras=True)
    found: dict[str, Any] = {}
    for item in fields(declared):
        hint = hints[item.name]
        kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        if get_origin(kind) is Literal:
            found[item.name] = _Named(get_args(kind))
        for extra in getattr(hint, "__metadata__", ()):
            if hasattr(extra, "refusal"):
                found[item.name] = extra
    return found


@dataclass(frozen=True, slots=True)
class _Named:
    values: tuple[Any, ...]

    def refusal(self, value: Any, others: Mapping[str, Any]) -> str:
        return Choice(*self.values).refusal(value, others)


def validate(options: Any) -> None:
    """Refuse values outside their feasible range; call it in `__post_init__`."""
    values = {item.name: getattr(options, item.name) for item in fields(options)}
    for name, limit in limits(type(options)).items():
        refusal = limit.refusal(values[name], values)
        if refusal:
            raise UsageError(f"--{name.replace('_', '-')}: {refusal}")

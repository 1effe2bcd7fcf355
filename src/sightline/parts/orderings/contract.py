"""What an ordering is given and what it gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.types import Fixation

Mask = NDArray[np.bool_]  # (height, width)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """An object: where its parts are, and where subjects looked, in the same pixels."""

    parts: Mapping[str, Mask]
    whole: Mask
    fixations: tuple[Fixation, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A part with what it got."""

    part: str
    value: float  # a probability, or 0 where an ordering has none to give


class Ordering(Protocol):
    """What the file of an ordering has."""

    NEEDS: str  # "fixations", "masks" or nothing
    Options: type

    def order(
        self, category: str, parts: Sequence[str], objects: Iterable[Seen], options: Any
    ) -> list[Ranked]:
        """Put all parts of a category in order.

        Args:
            category: its name.
            parts: its parts, in the scheme's order; all of them are given back.
            objects: those of the category, one at a time; only where `NEEDS` says so.
            options: of type `Options`.
        """


def ranked(parts: Sequence[str], values: Mapping[str, float]) -> list[Ranked]:
    """Sort parts by falling value, equal ones by name, and make the values sum to one."""
    total = sum(values.values())
    shares = {part: values.get(part, 0.0) / total if total else 0.0 for part in parts}
    return [Ranked(part, shares[part]) for part in sorted(parts, key=lambda p: (-shares[p], p))]

"""A random order, one a category.

Paper: Sarvadevabhatla et al., 'Part'ly first among equals, 2016, supplement C, section 1.2
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from sightline.hyperparameters import AtLeast, validate
from sightline.parts.orderings.contract import Ranked, Seen

NEEDS = ""


@dataclass(frozen=True, slots=True)
class Options:
    """Of what is drawn."""

    seed: Annotated[int, "of the order; each category draws its own", AtLeast(0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


def order(
    category: str, parts: Sequence[str], objects: Iterable[Seen], options: Options
) -> list[Ranked]:
    """Draw an order: parts are sorted by a hash, the same on every machine."""

    def drawn(part: str) -> str:
        text = f"{options.seed} {category} {part}"
        return hashlib.sha256(text.encode()).hexdigest()

    return [Ranked(part, 0.0) for part in sorted(parts, key=drawn)]

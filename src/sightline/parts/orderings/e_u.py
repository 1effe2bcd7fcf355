"""Fixations in a part, counted (E_U).

Paper: Sarvadevabhatla et al., 'Part'ly first among equals, 2016, section 4.1
"""

from collections.abc import Iterable, Sequence

from sightline.parts.orderings import densities
from sightline.parts.orderings.contract import Ranked, Seen
from sightline.parts.orderings.densities import Options

NEEDS = "fixations"
__all__ = ["NEEDS", "Options", "order"]


def order(
    category: str, parts: Sequence[str], objects: Iterable[Seen], options: Options
) -> list[Ranked]:
    """Put parts in the order of their fixations."""
    return densities.order(category, parts, objects, options, by_position=False, by_area=False)

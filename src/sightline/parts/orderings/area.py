"""Large parts first, by their mean share of the object.

Paper: none
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sightline.parts.orderings.contract import Ranked, Seen, ranked

NEEDS = "masks"


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing can be chosen."""


def order(
    category: str, parts: Sequence[str], objects: Iterable[Seen], options: Options
) -> list[Ranked]:
    """Put parts in the order of their mean share over the objects that have them."""
    shares: dict[str, list[float]] = defaultdict(list)
    for one in objects:
        area = int(one.whole.sum())
        for part, mask in one.parts.items():
            shares[part].append(int(mask.sum()) / area)
    return ranked(parts, {part: sum(of) / len(of) for part, of in shares.items()})

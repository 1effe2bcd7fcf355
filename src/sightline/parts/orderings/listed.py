"""The order in which the part scheme lists them, or the reverse.

Paper: none
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from sightline.parts.orderings.contract import Ranked, Seen

NEEDS = ""


@dataclass(frozen=True, slots=True)
class Options:
    """Which end is first."""

    reverse: Annotated[bool, "begin with the last part"] = False


def order(
    category: str, parts: Sequence[str], objects: Iterable[Seen], options: Options
) -> list[Ranked]:
    """Take the parts as they are listed."""
    return [Ranked(part, 0.0) for part in (reversed(parts) if options.reverse else parts)]

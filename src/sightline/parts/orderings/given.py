"""An order given as a table of category and part.

Paper: none
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.errors import DataError, Problem
from sightline.parts.orderings.contract import Ranked, Seen
from sightline.parts.prepared import read_table

NEEDS = ""
COLUMNS = ("category", "part")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the order is written."""

    file: Annotated[Path, "CSV with the columns category and part, in the order to add them"]


def order(
    category: str, parts: Sequence[str], objects: Iterable[Seen], options: Options
) -> list[Ranked]:
    """Read the parts of a category; those that are not listed come last, in the scheme's order."""
    listed: list[str] = []
    for line, row in read_table(options.file, COLUMNS):
        if row["category"] != category:
            continue
        part = row["part"]
        if part not in parts or part in listed:
            what = f"'{part}' is listed twice" if part in listed else f"{category} has no '{part}'"
            remedy = f"its parts are {', '.join(parts)}"
            raise DataError([Problem(what, str(options.file), line, remedy=remedy)])
        listed.append(part)
    if not listed:
        what = f"lists no part of '{category}'"
        raise DataError([Problem(what, str(options.file), remedy="add lines category,part")])
    return [Ranked(part, 0.0) for part in [*listed, *(p for p in parts if p not in listed)]]

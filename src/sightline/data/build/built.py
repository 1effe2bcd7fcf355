"""What a recipe hands back to be printed, and its tables on disk."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sightline.errors import UsageError
from sightline.rows import write_whole

Row = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Built:
    """What was made: a few figures, tables by name, and the files that hold the result."""

    summary: tuple[tuple[str, str | int | float], ...]
    tables: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    written: tuple[Path, ...] = ()


def write_tables(tables: Mapping[str, Sequence[Row]], folder: Path) -> tuple[Path, ...]:
    """Write each table as NAME.csv; an empty one is none, and takes that of an earlier run away."""
    written = []
    for name, lines in tables.items():
        file = folder / f"{name.replace(' ', '_')}.csv"
        if lines:
            write_whole(file, _as_csv(lines))
            written.append(file)
        else:
            file.unlink(missing_ok=True)
    return tuple(written)


def _as_csv(lines: Sequence[Row]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(lines)
    return text.getvalue()


def one_of(name: str, value: str, *known: str) -> None:
    """Refuse an option's value that means nothing."""
    if value not in known:
        raise UsageError(f"{name} is '{value}'; it is one of {', '.join(known)}")


def need(sound: bool, what: str) -> None:
    """Refuse options that make no sense."""
    if not sound:
        raise UsageError(what)

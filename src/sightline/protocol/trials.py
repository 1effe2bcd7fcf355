"""The table of trials: what was drawn, on disk before the first of them begins."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sightline.errors import DataError, Problem
from sightline.rows import plain, write_whole

TABLE, NUMBER = "trials.csv", "trial"
QUANTILE = "quantile of "  # columns of what a sampler that learns was given

Draw = dict[str, Any]


def read(folder: Path) -> list[Draw]:
    """Read what was drawn, if anything was."""
    file = folder / TABLE
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            lines = list(csv.DictReader(stream))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, csv.Error) as error:
        raise _broken(file, 0, f"cannot be read ({error})") from None
    found = []
    for number, line in enumerate(lines):
        if line.get(NUMBER) != str(number) or None in line or None in line.values():
            raise _broken(file, number + 2, f"is not trial {number}")
        found.append({name: _value(text) for name, text in line.items() if name != NUMBER})
    return found


def _broken(file: Path, line: int, what: str) -> DataError:
    return DataError([Problem(what, str(file), line, remedy="restore it, or name another --out")])


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def write(folder: Path, draws: Sequence[Mapping[str, Any]]) -> None:
    """Keep what was drawn, one line a trial, each number to its last digit."""
    names = [NUMBER, *draws[0]] if draws else [NUMBER]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for number, draw in enumerate(draws):
        writer.writerow([number, *(_text(value) for value in draw.values())])
    write_whole(folder / TABLE, text.getvalue())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value))


def values(draw: Draw) -> Draw:
    """Leave out what only the sampler is concerned with."""
    return {name: value for name, value in draw.items() if not name.startswith(QUANTILE)}


def quantiles(draw: Draw) -> dict[str, float]:
    """Give what the sampler said."""
    return {
        name.removeprefix(QUANTILE): float(value)
        for name, value in draw.items()
        if name.startswith(QUANTILE)
    }

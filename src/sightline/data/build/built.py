"""What a recipe hands back to be printed, its tables on disk, and whose a folder is."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sightline.errors import DataError, Problem, UsageError
from sightline.rows import plain, write_whole

Row = Mapping[str, str | int | float]
NOTE, PROBLEMS = "recipe.json", "problems.csv"


class SkippableError(DataError):
    """Problems that `--on-error skip` would leave out."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was made: a few figures, tables by name, and the files that hold the result."""

    summary: tuple[tuple[str, str | int | float], ...]
    tables: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    written: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A folder that one recipe fills, with one set of options."""

    out: Path
    made: Mapping[str, Any]

    def note(self) -> None:
        """Write down what the folder is made from, before anything else is written into it."""
        write_whole(self.out / NOTE, json.dumps(self.made, indent=1) + "\n")


def claim(out: Path, recipe: str, options: Any, seed: int) -> Claim:
    """Refuse a folder that holds anything but what the same call has left there."""
    made = {"recipe": recipe, "seed": seed, "options": plain(asdict(options))}
    if (out / NOTE).is_file():
        if json.loads((out / NOTE).read_text(encoding="utf-8")) != made:
            what = "holds what another recipe or other options made"
            raise UsageError(f"{out} {what} (see {NOTE}); choose another --out or delete it")
    elif out.is_dir() and any(not _is_ours(path.name) for path in out.iterdir()):
        raise UsageError(f"{out} is not empty; choose a new folder with --out")
    return Claim(out, made)


def _is_ours(name: str) -> bool:
    return name.startswith(".") or name == PROBLEMS


def stop_or_skip(problems: Sequence[Problem], on_error: str, out: Path) -> None:
    """Stop at problems, unless they are to be skipped and listed."""
    if problems and on_error != "skip":
        raise SkippableError(problems)
    list_problems(problems, out)


def list_problems(problems: Sequence[Problem], out: Path) -> Path:
    """Write a table of problems; where there are none, that of an earlier run goes."""
    file = out / PROBLEMS
    if problems:
        write_whole(file, _as_csv([{"problem": str(problem)} for problem in problems]))
    else:
        file.unlink(missing_ok=True)
    return file


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


def need(sound: bool, what: str) -> None:
    """Refuse options that make no sense."""
    if not sound:
        raise UsageError(what)

"""`sightline data make`: build a data set or a benchmark split by a named recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from sightline.cli.options import command_for
from sightline.cli.output import deliver, table
from sightline.errors import DataError, SightlineError, UsageError

ROWS = 20  # of a table that are printed
INTERRUPTED = "stopped; the same command finishes what was begun"
DESCRIPTION = """\
Build a data set or a benchmark split.

example:
  sightline data make pond --out pond --images 600 --size 64 --seed 0
"""


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags of every recipe."""

    name: Annotated[str, tyro.conf.Positional] = ""
    """which recipe; 'sightline list builder' tells all"""
    out: Path | None = None
    """folder to write to"""
    seed: int = 0
    """of everything that is drawn"""
    workers: int = 0
    """how many work at once; 0 uses every processor"""
    json: str = ""
    """write what was built as JSON to this file, or - for standard output"""
    options: tyro.conf.Suppress[Any] = None

    def run(self) -> None:
        """Build, and print what was built."""
        import os

        from sightline import registry

        if self.out is None:
            raise UsageError("--out is missing; name the folder to write to")
        if self.seed < 0 or self.workers < 0:
            raise UsageError("--seed and --workers start at 0")
        module = registry.load("builder", self.name)
        workers = self.workers or os.cpu_count() or 1
        try:
            built = module.make(self.options, self.out, seed=self.seed, workers=workers)
        except DataError as error:
            raise SightlineError(_listed(error, self)) from None
        except KeyboardInterrupt:
            raise SightlineError(INTERRUPTED) from None
        deliver(_as_json(self, built), _as_text(self, built), self.json)


def _listed(error: DataError, command: Common) -> str:
    """Name the first problem, and the table of all if they are several."""
    from sightline.data.build.built import SkippableError, list_problems

    assert command.out
    text, others = str(error.problems[0]), len(error.problems) - 1
    if others:
        text += f" (and {others} more, all in {list_problems(error.problems, command.out)})"
    skips = isinstance(error, SkippableError)
    return f"{text}; --on-error skip goes on without" if skips else text


def _as_json(command: Common, built: Any) -> dict[str, Any]:
    return {
        "name": command.name,
        "out": command.out,
        "seed": command.seed,
        "summary": dict(built.summary),
        "tables": {name: list(rows) for name, rows in built.tables.items()},
    }


def _as_text(command: Common, built: Any) -> str:
    lines = [f"{label:<24} {value}" for label, value in built.summary]
    for name, rows in built.tables.items():
        if not rows:
            continue
        shown = [{key: str(value) for key, value in row.items()} for row in rows]
        lines += ["", f"{name}:", table(shown[:ROWS])]
        hidden = len(shown) - ROWS
        lines += [f"... and {hidden} more; all are in {command.out}"] if hidden > 0 else []
    return "\n".join(lines)


def command(arguments: Sequence[str]) -> type:
    """Build the flags: a recipe brings its own options."""
    return command_for("builder", arguments, Common, DESCRIPTION)

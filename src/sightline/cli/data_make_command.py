"""`sightline data make`: build a data set or a benchmark split by a named recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from sightline.cli.options import command_for
from sightline.cli.output import deliver, table
from sightline.errors import UsageError

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
        built = module.make(self.options, self.out, seed=self.seed, workers=workers)
        deliver(_as_json(self, built), _as_text(built), self.json)


def _as_json(command: Common, built: Any) -> dict[str, Any]:
    return {
        "name": command.name,
        "out": command.out,
        "seed": command.seed,
        "summary": dict(built.summary),
        "tables": {name: list(rows) for name, rows in built.tables.items()},
    }


def _as_text(built: Any) -> str:
    lines = [f"{label:<24} {value}" for label, value in built.summary]
    for name, rows in built.tables.items():
        shown = [{key: str(value) for key, value in row.items()} for row in rows]
        lines += ["", f"{name}:", table(shown)]
    return "\n".join(lines)


def command(arguments: Sequence[str]) -> type:
    """Build the flags: a recipe brings its own options."""
    return command_for("builder", arguments, Common, DESCRIPTION)

"""`sightline data check`: is a ground truth whole, and what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from sightline.cli.output import deliver


@dataclass(frozen=True)
class Command:
    """Tell whether a ground truth is whole: its counts, and every problem found.

    example:
      sightline data check cub:data/CUB --split test
    """

    truth: Annotated[str, tyro.conf.Positional]
    """reference folder, COCO .json, VOC folder, image folder, .csv, or dataset:FOLDER"""
    split: str = ""
    """name of the split, and its subfolder if there is one"""
    masks: Path | None = None
    """folder that mask names are relative to; masks are then read, too"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    json: str = ""
    """write counts and problems as JSON to this file, or - for standard output"""

    def run(self) -> int:
        """Check and print; the exit code is 1 if anything is wrong."""
        from sightline.data.check import check

        report = check(self.truth, self.split, self.masks, self.ignore_value)
        counts = [f"  {name:<24} {value}" for name, value in report["counts"].items()]
        warnings = [
            f"  warning: {name.replace('_', ' ')}: {n}" for name, n in report["warnings"].items()
        ]
        problems = [f"  problem: {text}" for text in report["problems"]]
        many = "problem" if len(problems) == 1 else "problems"
        verdict = f"{len(problems)} {many}" if problems else "whole"
        lines = [
            f"{self.truth} (split {report['split']}): {verdict}",
            *counts,
            *warnings,
            *problems,
        ]
        deliver(report, "\n".join(lines), self.json)
        return 1 if problems else 0


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

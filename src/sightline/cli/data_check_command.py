"""`sightline data check`: is a ground truth whole, and what is wrong with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from sightline.cli.output import deliver
from sightline.errors import printable

SHOWN = 10  # problems with one remedy that are printed
NAMED = 5  # names that are printed of what is unusual


@dataclass(frozen=True)
class Command:
    """Tell whether a ground truth is whole: its counts, what is unusual, every problem found.

    Without --split, all splits that a folder holds are checked. Pictures and masks are read. What
    is missing is named, with how to get it. No ledger has an entry of it: positions of sound labels
    are not told.

    example:
      sightline data check cub:data/CUB_200_2011
    """

    truth: Annotated[str, tyro.conf.Positional]
    """data set's folder, reference folder, COCO .json, VOC folder, image folder, .csv, or
    dataset:FOLDER (see 'sightline data list')"""
    split: str = ""
    """name of the split: train, val, test, or any other of its names; val:6 draws six a class"""
    images: Path | None = None
    """folder that image ids are relative to, where it is not found beside the lists"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    fast: bool = False
    """read the headers of pictures alone, and no masks"""
    on_error: Literal["stop", "skip"] = "stop"
    """what the exit code says of a problem: skip lists what is to be left out, and ends with 0 if
    anything is left"""
    json: str = ""
    """write counts and problems as JSON to this file, or - for standard output"""

    def run(self) -> int:
        """Check and print; the exit code is 1 if anything is wrong."""
        from sightline.data.check import Options, check

        options = Options(self.images, self.masks, self.ignore_value, decode=not self.fast)
        report = check(self.truth, self.split, options)
        lines = [f"{self.truth} (split {report['split']}): {_verdict(report)}"]
        for name, part in report.get("splits", {"": report}).items():
            lines += [f"{name}: {_verdict(part)}"] if name else []
            lines += _lines(part)
        if self.on_error == "skip":
            lines += [f"  left out: {name}" for name in report["left_out"]]
        deliver(report, "\n".join(map(printable, lines)), self.json)
        usable = self.on_error == "skip" and report["counts"].get("images", 0)
        return 1 if report["problems"] and not usable else 0


def _verdict(report: Mapping[str, Any]) -> str:
    count = len(report["problems"])
    return f"{count} {'problem' if count == 1 else 'problems'}" if count else "whole"


def _lines(report: Mapping[str, Any]) -> list[str]:
    problems = report["problems"]
    unusual = [
        f"  unusual: {remark}: {len(names)} ({_listed(names)})"
        for remark, names in report["unusual"].items()
    ]
    return [
        *(f"  {name:<24} {value}" for name, value in report["counts"].items()),
        *(f"  note: {note}" for note in report["notes"]),
        *(f"  warning: {name.replace('_', ' ')}: {n}" for name, n in report["warnings"].items()),
        *unusual,
        *_shown(problems),
    ]


def _shown(problems: Sequence[str]) -> Iterator[str]:
    """Yield the first problems of every kind: those with one remedy."""
    kinds: dict[str, list[str]] = {}
    for text in problems:
        kinds.setdefault(text.rpartition("; ")[2], []).append(text)
    for texts in kinds.values():
        yield from (f"  problem: {text}" for text in texts[:SHOWN])
        if len(texts) > SHOWN:
            yield f"  ... and {len(texts) - SHOWN} more like it; --json has them all"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

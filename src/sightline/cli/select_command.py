"""`sightline select`: what each selection criterion would have picked, and what that costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sightline.cli.output import deliver, table
from sightline.errors import DataError, SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.protocol.selection_tables import Group


@dataclass(frozen=True)
class Command:
    """Choose epoch and configuration by each criterion, and say what that is worth in a test.

    RUNS are folders of 'sightline train' or folders of them. What is measured after every epoch is
    recorded once, from checkpoints kept with --keep every: pass --record the first time, with
    --pseudo NAME=FOLDER for each pseudo ground truth and --test for the test split, which is then
    opened for a study.

    criteria:
      class-accuracy, weight-norm, box-area-variance   no localization label
      ground-truth, NAME of a pseudo ground truth      add :30, :50, :70, :v2, :iou or :pxap

    example:
      sightline select runs --record --test --pseudo ss=annotated/selective-search

      cam, small-resnet, pets
      criterion        configuration  epoch  validation  test   against_ground_truth
      class-accuracy   trial-03       9      61.2        41.30  -6.10 [-9.2, -1.4]
      ...
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """folders of runs, or folders that hold them"""
    criteria: tuple[str, ...] = ()
    """what to choose by; all that were recorded if not given"""
    record: bool = False
    """record what is lacking"""
    pseudo: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=FOLDER ...")] = ()
    """with --record: pseudo ground truths of the validation split"""
    test: bool = False
    """with --record: open the test split, as a study"""
    by: Literal["auto", "boxes", "masks"] = "auto"
    """with --record: measure with boxes, where there are any, or with masks"""
    thresholds: int = 1000
    """with --record: score thresholds to keep; 100 make the records a tenth as large"""
    window: int = 5
    """epochs over which box-area-variance compares; 2 for ImageNet in the released code"""
    out: Path | None = None
    """folder for the tables as CSV, and for the figures"""
    json: str = ""
    """write everything as JSON to this file, or - for standard output"""

    def run(self) -> None:
        """Record what is lacking if asked to, select, print."""
        from sightline.protocol import epochs, selection_tables
        from sightline.protocol.criteria import parse

        if self.window < 2:
            raise UsageError("--window compares 2 epochs or more")
        left_out = []
        if self.record:
            left_out = self._record()
        elif self.pseudo or self.test or self.by != "auto" or self.thresholds != 1000:
            what = "--pseudo, --test, --by and --thresholds say what to record"
            raise UsageError(f"{what}; pass --record too")
        records = [r for r in epochs.find(self.runs) if r.facts.get("status") != "diverged"]
        if not records:
            raise UsageError(
                f"{self.runs[0]}: holds no record of epochs; pass --record, for runs trained with"
                " --keep every"
            )
        masks = records[0].by_masks
        names = self.criteria or _all(records[0])
        criteria = [parse(name, masks=masks) for name in dict.fromkeys(names)]
        groups = selection_tables.grouped(records, criteria, window=self.window)
        if self.out:
            from sightline.protocol.selection_files import write

            write(groups, self.out)
        text = [_as_text(groups, self.out), *(f"left out {line}" for line in left_out)]
        deliver({**_as_json(groups), "left_out": left_out}, "\n".join(text), self.json)

    def _record(self) -> list[str]:
        """Record every run; tell of those that cannot be, which others need not suffer for."""
        from sightline.protocol.recording import Recording, record

        asked = Recording(
            pseudo=dict(map(_named, self.pseudo)),
            test=self.test,
            by="" if self.by == "auto" else self.by,
            thresholds=self.thresholds,
        )
        left_out = []
        for root in _runs(self.runs):
            try:
                record(root, asked)
            except (UsageError, DataError):
                raise
            except SightlineError as error:  # such as weights that are infinite after an epoch
                left_out.append(f"{root}: {error}")
        return left_out


def _named(text: str) -> tuple[str, str]:
    from sightline.protocol.criteria import LABEL_FREE
    from sightline.protocol.epochs import TRUTH

    name, sign, place = text.partition("=")
    if not (sign and name and place) or ":" in name:
        raise UsageError(f"--pseudo {text}: write NAME=FOLDER")
    if name in (TRUTH, *LABEL_FREE):
        raise UsageError(f"--pseudo {text}: '{name}' is taken; choose another name")
    return name, place


def _runs(places: Sequence[Path]) -> list[Path]:
    """Find the folders of runs, those that did not converge left out."""
    from sightline import rows

    found = []
    for place in places:
        if not place.is_dir():
            raise UsageError(f"{place}: no such folder of runs")
        files = [f for f in rows.find([place]) if f.name == f"train{rows.SUFFIX}"]
        found += [f.parent for f in files if rows.load(f).result.get("status") != "diverged"]
    if not found:
        raise UsageError(f"{places[0]}: holds no finished run that converged")
    return found


def _all(record: Any) -> list[str]:
    """List every criterion that a record has."""
    series = [name for name in record.series if not name.startswith("test/")]
    found = ["class-accuracy"] if "val/class-accuracy" in series else []
    found += record.sources()
    found += ["weight-norm"] if "weight-norm" in series else []
    enough = "val/box-area" in series and len(record.epochs) >= 5
    return [*found, "box-area-variance"] if enough else found


def _as_json(groups: "Sequence[Group]") -> dict[str, Any]:
    from sightline.protocol import selection_tables as tables

    return {
        "groups": [
            {**group.name, "picks": tables.picks(group), "cells": tables.cells(group)}
            for group in groups
        ],
        "ledger": tables.ledger(groups),
        "versions": tables.versions(groups),
    }


def _as_text(groups: "Sequence[Group]", out: Path | None) -> str:
    from sightline.protocol import selection_tables as tables

    parts = []
    for group in groups:
        shown = [_pick_line(line) for line in tables.picks(group)]
        count = len(group.records)
        parts += [f"{group.title}: {count} configuration{'s' * (count > 1)}", table(shown), ""]
        cells = tables.long(group)
        parts += [table(cells), ""] if cells else ["the test split was not recorded (--test)", ""]
    note = tables.versions(groups)
    parts += [f"warning  {note}"] if note else []
    parts += [f"labels   {line}" for line in tables.ledger(groups)]
    parts += [f"written  {out}"] if out else []
    return "\n".join(parts)


def _pick_line(line: dict[str, Any]) -> dict[str, str]:
    shown = {k: line[k] for k in ("criterion", "configuration", "epoch")}
    shown = {name: str(value) for name, value in shown.items()}
    shown["validation"] = f"{line['validation']:.2f}"
    if "test" in line:
        shown |= {"test": f"{line['test']:.2f}", "below best": f"{line['below_best']:+.2f}"}
    if "low" in line:
        spent = f"{line['against_ground_truth']:+.2f} [{line['low']:+.2f}, {line['high']:+.2f}]"
        shown["against ground truth"] = spent
    return shown


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

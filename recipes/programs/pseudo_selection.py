"""What it costs to select a model with pseudo boxes instead of true ones, on test photographs.

The recipe lists the commands that train configurations and annotate the validation split; they run
one after another, and one that is done is not done again. Then every configuration is recorded
after every epoch, and each criterion chooses one: `against_ground_truth` is what its choice is
worth in the test less what the choice by true boxes is worth, with the 95 % interval over
configurations drawn anew.
"""

import contextlib
import io
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline import provenance, rows
from sightline.cli.main import main as sightline
from sightline.protocol import epochs, selection_tables
from sightline.protocol.criteria import parse
from sightline.protocol.epochs import TRUTH
from sightline.protocol.recording import Recording, record
from sightline.types import ResultRow

CLASS = "class-accuracy"


def measure(
    data: Path,
    *,
    commands: Sequence[Sequence[str]],
    pseudo: Mapping[str, str],
    metrics: Sequence[str] = ("50", "v2", "iou"),
    work: Path | None = None,
) -> ResultRow:
    """Run the commands, record, select and compare.

    Args:
        data: stands for `{data}` in commands and places.
        commands: the words of each; `{work}` stands for the folder of work, and one of them
            searches into `{work}/search`.
        pseudo: the folder of each pseudo ground truth.
        metrics: what is chosen by, and what the choice is worth in the test.
        work: where everything is kept, to go on with what was stopped; nowhere if not given.
    """
    with nullcontext(work) if work else TemporaryDirectory() as kept:
        root = Path(kept)
        words = {"{data}": str(data), "{work}": str(root)}
        for number, command in enumerate(commands):
            done(root / f"{number}.done", [filled(word, words) for word in command])
        places = {name: filled(place, words) for name, place in pseudo.items()}
        runs = converged(root / "search" / "trials")
        for run in runs:
            record(run, Recording(pseudo=places, test=True))
        records = [one for one in epochs.find(runs) if one.facts.get("status") != "diverged"]
    found = {metric: chosen(records, [*pseudo], metric) for metric in metrics}
    entries = tuple(dict.fromkeys(entry for one in records for entry in one.ledger))
    result = {"configurations": len(records), "epochs": len(records[0].epochs), "picks": found}
    return ResultRow(rows.plain(result), provenance.now(), entries)


def done(mark: Path, words: Sequence[str]) -> None:
    """Run a command of sightline's, unless that was done."""
    if mark.is_file():
        return
    mark.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.redirect_stdout(io.StringIO()):
        code = sightline(list(words))
    if code:
        raise SystemExit(f"sightline {' '.join(words)}: exit code {code}")
    mark.touch()


def filled(text: str, words: Mapping[str, str]) -> str:
    """Put folders in."""
    for name, place in words.items():
        text = text.replace(name, place)
    return text


def converged(trials: Path) -> list[Path]:
    """List the runs that came to an end."""
    found = sorted(trials.glob(f"*/train{rows.SUFFIX}"))
    return [f.parent for f in found if rows.load(f).result.get("status") == "converged"]


def chosen(records: Sequence[Any], pseudo: Sequence[str], metric: str) -> dict[str, Any]:
    """Tell what each criterion picks and what that is worth, with one metric throughout."""
    names = [CLASS, f"{TRUTH}:{metric}", *(f"{name}:{metric}" for name in pseudo)]
    (group,) = selection_tables.grouped(records, [parse(name) for name in names])
    lines = selection_tables.picks(group, metric=metric)
    return {line["criterion"].partition(":")[0]: line for line in lines}

"""Result rows as what tables are made of: who got which number where, from which labels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.errors import UsageError
from sightline.metrics.evidence_files import ARTIFACT, Kept, load
from sightline.types import LedgerEntry, ResultRow

BASELINE = "baseline:"
EXPLAINER = "explainer:"
TRAINING = "training"
RUN_ROW = f"train{rows.SUFFIX}"
CONVERGED = "converged"
ANY = ""  # the backbone of what has none


@dataclass(frozen=True, eq=False)
class Result:
    """One number on one split, and where it came from."""

    method: str
    backbone: str
    dataset: str
    split: str
    metric: str
    value: float
    row: ResultRow
    file: Path
    run: Mapping[str, Any] = field(default_factory=dict)  # of the row of the training behind it
    ledger: tuple[LedgerEntry, ...] = ()  # this row's and that of its training

    @cached_property
    def evidence(self) -> Kept | None:
        """Read what the images say, if it was kept."""
        kept = self.row.artifacts.get(ARTIFACT)
        file = self.file.parent / kept.path if kept else None
        return load(file) if file and file.is_file() else None

    @property
    def fingerprint(self) -> str:
        """Identify the ground truth that it was measured with."""
        return str(self.row.result.get("truth", {}).get("fingerprint", ""))

    @property
    def learns_places(self) -> bool:
        """Tell whether training consumed localization labels, as the few-shot baseline does."""
        return any(entry.purpose == TRAINING for entry in self.ledger)

    @property
    def needs_no_image(self) -> bool:
        """Tell whether it is a baseline that looks at nothing."""
        return str(self.row.result.get("maps", "")).startswith(BASELINE)

    @property
    def version(self) -> str:
        """Tell which code made it."""
        return str(self.row.provenance.get("versions", {}).get("sightline", ""))


def read(places: Iterable[Path]) -> list[Result]:
    """Read all measured results in files and folders; rows of other kinds are passed over."""
    found = []
    for place in places:
        if not place.exists():
            raise UsageError(f"{place}: no such row or folder of rows")
        found += [one for file in rows.find([place]) if (one := _result(file))]
    return found


def _result(file: Path) -> Result | None:
    row = rows.load(file)
    result = row.result
    measured = result.get("truth") and isinstance(result.get("value"), (int, float))
    if not measured or result.get("kind") == "train" or "maps" not in result:
        return None
    origin = result.get("run") or result.get("explained") or {}
    maps = str(result["maps"])
    beside = file.parent / RUN_ROW
    training = rows.load(beside) if origin and beside.is_file() else None
    return Result(
        method=_method(maps, origin),
        backbone=str(origin.get("backbone", ANY)),
        dataset=str(result["truth"]["dataset"]),
        split=str(result["truth"]["split"]),
        metric=str(result["metric"]),
        value=float(result["value"]),
        row=row,
        file=file,
        run=training.result if training else {},
        ledger=(*row.ledger, *(training.ledger if training else ())),
    )


def _method(maps: str, origin: Mapping[str, Any]) -> str:
    """Name what made the maps: an explainer, a method that was trained, or a baseline."""
    if maps.startswith(EXPLAINER):
        return maps.removeprefix(EXPLAINER)
    return str(origin.get("method") or maps.removeprefix(BASELINE))


def trainings(places: Iterable[Path]) -> list[Result]:
    """Read the rows of training runs, whose number is that of the validation split.

    What a search trains in the end, in full, is none of its trials and is passed over.
    """
    found = []
    for file in rows.find(places):
        row = rows.load(file)
        result = row.result
        if result.get("kind") != "train" or _in_full(file):
            continue
        truth = result.get("truth") or {}
        value = result.get("value")
        found.append(
            Result(
                method=str(result["method"]),
                backbone=str(result["backbone"]),
                dataset=str((truth or result.get("train", {})).get("dataset", "")),
                split=str(truth.get("split", "")),
                metric=str(result.get("metric", "")),
                value=float("nan") if value is None else float(value),
                row=row,
                file=file,
                run=result,
                ledger=row.ledger,
            )
        )
    return found


def _in_full(file: Path) -> bool:
    """Tell whether a row is of the choice of a search, trained in full."""
    return file.parent.name == "final" and (file.parent.parent / "trials").is_dir()


def best_of(results: Sequence[Result]) -> Result:
    """Choose among results of one cell: that of the run which is best on validation."""
    if len(results) == 1:
        return results[0]
    known = [one for one in results if one.run.get("value") is not None]
    if len(known) < len(results):
        first = results[0]
        raise UsageError(
            f"{first.method} on {first.dataset} has {len(results)} results ({results[0].file.name},"
            f" {results[1].file.name}) and no validation score to choose by; give one of them"
        )
    return max(known, key=lambda one: float(one.run["value"]))


def budget(result: Result, final: Sequence[str] = ("final-report", "study")) -> tuple[str, ...]:
    """Say which labels a result consumed, what it was measured with aside."""
    return tuple(
        f"{e.labels} {e.kind} of {e.dataset}, {e.split} ({_each(e)} images a class), {e.purpose}"
        for e in sorted(set(result.ledger), key=str)
        if e.purpose not in final
    )


def _each(entry: LedgerEntry) -> str:
    fewest, most = entry.per_class
    return str(fewest) if fewest == most else f"{fewest} to {most}"


def consumed(result: Result) -> frozenset[tuple[str, str, str, int]]:
    """Give which labels a result rests on, whatever they were for, but for the final report."""
    learned: dict[tuple[str, str, str], int] = {}
    looked_at: dict[tuple[str, str, str], int] = {}
    for e in result.ledger:
        if e.purpose not in ("final-report", "study"):
            part = learned if e.purpose == TRAINING else looked_at
            key = (e.dataset, e.split, e.kind)
            part[key] = max(part.get(key, 0), e.images)
    keys = {*learned, *looked_at}  # what is learned from is none of what is held out of it
    return frozenset((*key, learned.get(key, 0) + looked_at.get(key, 0)) for key in keys)

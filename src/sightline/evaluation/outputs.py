"""Files beside a result: one line an image, the curve, the best IoU at each threshold, the row."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sightline import execution, rows
from sightline.errors import UsageError
from sightline.evaluation.evaluate import Evaluation, run
from sightline.evaluation.request import Extras, Request
from sightline.metrics import evidence_files
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.protocol import threshold_grid
from sightline.types import Job, ResultRow


@dataclass(frozen=True, slots=True)
class Files:
    """What to write, and where."""

    per_image: Path | None = None
    per_threshold: Path | None = None
    out: Path | None = None

    def written(self) -> Mapping[str, Path]:
        """Name the files that belong to a result."""
        named = {"per_threshold": self.per_threshold, "per_image": self.per_image}
        named["curve"] = companion(self.per_image) if self.per_image else None
        return {name: file for name, file in named.items() if file}


def evaluate_to_files(
    maps: str, truth: str, request: Request, extras: Extras, files: Files
) -> tuple[ResultRow, str]:
    """Evaluate, write the files that are wanted, and give the row and where it is kept."""
    _check(files)

    def work(job: Job, folder: Path) -> ResultRow:
        evaluation = run(maps, truth, request, extras)
        _write(evaluation, files)
        if files.out is None:
            return evaluation.row
        kept = {name: rows.artifact(file, folder) for name, file in files.written().items()}
        beside = folder / f"{job.kind}-{rows.job_id(job)}{evidence_files.SUFFIX}"
        evidence_files.save(evidence_files.of(evaluation.scored.accumulator), beside)
        kept[evidence_files.ARTIFACT] = rows.artifact(beside, folder)
        return replace(evaluation.row, artifacts=kept)

    if files.out is None:
        return work(Job("evaluate", {}), Path()), ""
    job = Job(
        kind="evaluate",
        options={**asdict(request), **asdict(replace(extras, shards=None)), **asdict(files)},
        seed=request.seed,
        inputs={
            "maps": _state(maps),
            "truth": _state(truth),
            "against": _state(extras.against),
            "masks": _state(request.masks),
            "predictions": _state(request.predictions),
            "threshold_from": _state(extras.threshold_from),
        },
    )
    place = execution.row_path(job, files.out)
    if not all(file.is_file() for file in files.written().values()):
        place.unlink(missing_ok=True)  # what belongs to it has gone
    note = f"{place}, computed before and not again" if place.is_file() else str(place)
    return next(iter(execution.run([job], work, files.out))), note


def _state(place: Any) -> str:
    """Tell one state of a folder or file from another by names, sizes and times of change."""
    text = str(place or "")
    named = text.partition(":")[2]  # the folder of a data set that is known by name
    root = next((Path(name) for name in (text, named) if name and Path(name).exists()), None)
    if root is None:
        return text
    found = sorted(file for file in root.rglob("*") if file.is_file()) or [root]
    stats = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in found]
    return rows.canonical([text, stats])


def _check(files: Files) -> None:
    """Refuse wrong names before the work rather than after it."""
    if files.per_threshold and files.per_threshold.suffix != ".npz":
        raise UsageError(f"--per-threshold {files.per_threshold}: name it .npz")
    if files.per_image and files.per_image.suffix not in (".csv", ".parquet"):
        raise UsageError(
            f"--per-image {files.per_image}: give it a name ending in .csv or .parquet"
        )


def _write(evaluation: Evaluation, files: Files) -> None:
    if files.per_threshold:
        _write_overlaps(evaluation, files.per_threshold)
    if files.per_image:
        _write_table(files.per_image, per_image(evaluation))
        _write_table(companion(files.per_image), curve(evaluation))


def companion(file: Path) -> Path:
    """Name the file that holds the curve, beside the one that holds the images."""
    return file.with_name(f"{file.stem}.curve{file.suffix}")


def _write_overlaps(evaluation: Evaluation, file: Path) -> None:
    overlaps = evaluation.scored.overlaps
    ids = sorted(overlaps)
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file,
        ids=np.array(ids),
        thresholds=np.array(evaluation.protocol.thresholds or threshold_grid()),
        best_iou=np.stack([overlaps[name] for name in ids]),
    )


def per_image(evaluation: Evaluation) -> dict[str, list[Any]]:
    """Give one column a quantity, one entry an image, by id."""
    accumulator = evaluation.scored.accumulator
    records = accumulator.records
    ids = records.sorted_ids()
    columns: dict[str, list[Any]] = {"image": list(ids)}
    for name in ("pointing", "energy"):
        columns[name] = records.column(name).tolist()
    if not isinstance(accumulator, BoxAccumulator):
        columns["mask_iou"] = accumulator.overlaps_at_best().tolist()
        return columns
    columns["oracle_iou"] = records.column("oracle").tolist()
    evidence = accumulator.evidence()
    hit = evidence.hit_at(evidence.best_positions())
    for row, delta in zip(hit, evaluation.protocol.iou_thresholds, strict=True):
        columns[f"hit_{delta}"] = row.astype(int).tolist()
    best = int(accumulator.mean_overlap().argmax())
    overlaps = evaluation.scored.overlaps
    columns["iou_at_mean_iou_threshold"] = [float(overlaps[str(name)][best]) for name in ids]
    return columns


def curve(evaluation: Evaluation) -> dict[str, list[Any]]:
    """Give the score at every threshold: precision and recall, or the accuracy at each IoU."""
    accumulator, protocol = evaluation.scored.accumulator, evaluation.protocol
    if not isinstance(accumulator, BoxAccumulator):
        points = accumulator.curve()
        return {
            "threshold": points.thresholds.tolist(),
            "precision": points.precision.tolist(),
            "recall": points.recall.tolist(),
            "mean_mask_iou": accumulator.mean_overlap().tolist(),
        }
    columns: dict[str, list[Any]] = {
        "threshold": list(map(float, protocol.thresholds or threshold_grid())),
        "mean_iou": accumulator.mean_overlap().tolist(),
    }
    for row, delta in zip(accumulator.curve(), protocol.iou_thresholds, strict=True):
        columns[f"box_acc_{delta}"] = row.tolist()
    return columns


def _write_table(file: Path, columns: dict[str, list[Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        import pandas as pd

        pd.DataFrame(columns).to_parquet(file, index=False)
        return
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(_lines(columns))


def _lines(columns: dict[str, list[Any]]) -> Iterator[tuple[Any, ...]]:
    return zip(*columns.values(), strict=True)

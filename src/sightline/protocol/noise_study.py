"""Noisy ground truths on disk: a folder a level in the reference format, marked for what it is."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress, provenance, rows
from sightline.data.build.lists import Listed, write_classes, write_lists
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import GroundTruth
from sightline.errors import UsageError
from sightline.metrics.geometry import iou
from sightline.protocol import noise_boxes, noise_masks
from sightline.types import FOREGROUND, IGNORE, ResultRow

MARK, ROW, TABLE = "provenance.json", f"noise{rows.SUFFIX}", "levels.csv"
BINS = 10  # of the histogram of achieved IoU, from 0 to 1
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """What was written, level by level."""

    row: ResultRow
    folders: Mapping[int, Path]
    lines: tuple[Mapping[str, Any], ...]


def write_boxes(
    truth: GroundTruth, out: Path, levels: Sequence[int], seed: int, *, force: bool = False
) -> Study:
    """Write the boxes of a split at each level, and tell how good they still are."""
    _check(levels, seed, 100)
    split, ledger = truth.split, Ledger()
    boxes = truth.boxes("study", ledger, force=force)
    counts = np.diff(boxes.offsets)
    sizes = np.repeat(split.sizes, counts, axis=0)
    if (sizes == 0).any():
        raise UsageError(f"{split.dataset}: sizes of images are needed to clip boxes; state them")
    folders, lines = {}, []
    _claim(out, truth, "boxes", levels, seed)
    for level in levels:
        worse = noise_boxes.noisy(boxes.corners, sizes, level, seed)
        folders[level] = _folder(out, truth, "boxes", level)
        places = [",".join(f"{corner:.0f}" for corner in box) for box in worse]
        _write(folders[level], truth, _grouped(places, boxes.offsets), level, "boxes", seed)
        lines.append({"level": level, **_quality(boxes.corners, worse)})
    row = _finished(out, truth, "noise-boxes", seed, lines, ledger)
    return Study(row, folders, tuple(lines))


def write_masks(
    truth: GroundTruth, out: Path, levels: Sequence[int], seed: int, *, force: bool = False
) -> Study:
    """Write the masks of a split at each level, and tell how wrong they are."""
    _check(levels, seed, 99)
    split, ledger = truth.split, Ledger()
    masks = truth.masks("study", ledger, force=force)
    folders = {level: _folder(out, truth, "masks", level) for level in levels}
    counts = {level: np.zeros((len(split.ids), 4), np.int64) for level in levels}
    places: dict[int, list[list[str]]] = {level: [] for level in levels}
    _claim(out, truth, "masks", levels, seed)
    with progress.shown("erode", len(split.ids)) as step:
        for item, name in enumerate(split.ids):
            codes = read_mask(masks, item, None)
            order = noise_masks.removal_order(codes, _rng(seed, name))
            for level in levels:
                worse = noise_masks.eroded(codes, level, order)
                counts[level][item] = noise_masks.confusion(worse, codes)
                places[level].append([_write_mask(folders[level], name, worse)])
            step(item + 1)
    for level in levels:
        _write(folders[level], truth, places[level], level, "masks", seed)
    lines = [{"level": level, **_error(counts[level])} for level in levels]
    row = _finished(out, truth, "noise-masks", seed, lines, ledger)
    return Study(row, folders, tuple(lines))


def _check(levels: Sequence[int], seed: int, highest: int) -> None:
    if not levels or seed < 0:
        raise UsageError("--levels needs one level or more, and --seed starts at 0")
    wrong = [level for level in levels if not 0 <= level <= highest]
    if wrong:
        raise UsageError(f"--levels: {wrong[0]} is not a percentage from 0 to {highest}")
    if len(set(levels)) < len(levels):
        raise UsageError("--levels: a level is given twice")


def _folder(out: Path, truth: GroundTruth, kind: str, level: int) -> Path:
    """Name a level's folder so that ledgers and tables, which show it, tell what it is."""
    verb = "noisy" if kind == "boxes" else "eroded"
    return out / f"{truth.split.dataset}-{verb}-{kind}-{level:02d}" / truth.split.name


def _rng(seed: int, name: str) -> np.random.Generator:
    """Draw for each image on its own; deeper levels then remove what lighter ones do, and more."""
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng((seed, int.from_bytes(digest[:8], "big")))


def _claim(out: Path, truth: GroundTruth, kind: str, levels: Sequence[int], seed: int) -> None:
    """Refuse a folder that holds anything but what the same call has left there."""
    made = {
        "recipe": f"noise {kind}",
        "truth": truth.fingerprint,
        "split": truth.split.name,
        "levels": list(levels),
        "seed": seed,
    }
    note = out / MARK
    if note.is_file():
        if json.loads(note.read_text(encoding="utf-8")) != made:
            raise UsageError(f"{out} holds other noise (see {MARK}); choose another --out")
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty; choose a new folder with --out")
    rows.write_whole(note, json.dumps(made, indent=1) + "\n")


def _grouped(places: Sequence[str], offsets: NDArray[np.int64]) -> list[list[str]]:
    return [list(places[a:b]) for a, b in pairwise(offsets)]


def _write(
    folder: Path,
    truth: GroundTruth,
    places: Sequence[Sequence[str]],
    level: int,
    kind: str,
    seed: int,
) -> None:
    """Write the lists, and beside them what they are: manual labels, made worse."""
    split = truth.split
    listed = [
        Listed(name, int(label), (int(size[0]), int(size[1])), tuple(place))
        for name, label, size, place in zip(
            split.ids, split.labels, split.sizes, places, strict=True
        )
    ]
    mark = {
        "made_by": f"sightline noise {kind}",
        "level": level,
        "seed": seed,
        "from": {
            "dataset": split.dataset,
            "split": split.name,
            "fingerprint": truth.fingerprint,
            "labels": f"manual {kind}, made worse: no label-free annotation",
        },
    }
    rows.write_whole(folder / MARK, json.dumps(mark, indent=1) + "\n")
    if split.classes:
        write_classes(folder, split.classes)
    write_lists(folder, listed)


def _write_mask(folder: Path, name: str, codes: noise_masks.Codes) -> str:
    """Write a mask, and one of what is to be ignored if there is any; give their list entry."""
    import cv2

    from sightline.data.build.files import write_bytes

    files = {f"masks/{name}.png": codes == FOREGROUND}
    if (codes == IGNORE).any():
        files[f"ignored/{name}.png"] = codes == IGNORE
    for file, inside in files.items():
        done, content = cv2.imencode(".png", inside.astype(np.uint8) * 255)
        assert done
        write_bytes(folder / file, content.tobytes())
    return ",".join([*files, ""][:2])


def _quality(boxes: Floats, worse: Floats) -> dict[str, Any]:
    """Give the IoU with the true boxes, as the released evaluator counts pixels."""
    overlaps = np.array(
        [iou(a[None], b[None], "reference")[0, 0] for a, b in zip(boxes, worse, strict=True)]
    )
    counts, _ = np.histogram(overlaps, bins=BINS, range=(0, 1))
    return {
        "boxes": len(boxes),
        "mean_iou": 100 * float(overlaps.mean()),
        **{f"acc_{d}": 100 * float((overlaps >= d / 100).mean()) for d in (30, 50, 70)},
        "iou_histogram": counts.tolist(),
    }


def _error(counts: NDArray[np.int64]) -> dict[str, Any]:
    """Give 1 - AUC over all pixels, and what is left of the objects."""
    tp, _, _, fn = counts.sum(axis=0)
    return {
        "masks": len(counts),
        "error": 100 * noise_masks.mask_error(counts.sum(axis=0)),
        "removed": 100 * float(fn / max(1, tp + fn)),
    }


def _finished(
    out: Path,
    truth: GroundTruth,
    kind: str,
    seed: int,
    lines: Sequence[Mapping[str, Any]],
    ledger: Ledger,
) -> ResultRow:
    import pandas as pd

    split = truth.split
    rows.write_whole(out / TABLE, pd.DataFrame(lines).to_csv(index=False))
    result = {
        "kind": kind,
        "truth": {
            "dataset": split.dataset,
            "split": split.name,
            "fingerprint": truth.fingerprint,
        },
        "seed": seed,
        "levels": list(lines),
    }
    artifacts = {"levels": rows.artifact(out / TABLE, out)}
    row = ResultRow(result, provenance.now(), tuple(ledger.entries), artifacts)
    rows.save(row, out / ROW)
    return row

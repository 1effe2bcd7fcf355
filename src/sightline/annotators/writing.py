"""Pseudo boxes on disk: as a ground truth in the reference format, and as COCO has it.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

Only images with a box are listed, since a ground truth without places would be none. All images are
in `outcomes.csv`; those without a box are in `no_box.txt` with the reason.
"""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sightline.annotators.boxing import whole
from sightline.annotators.outcomes import Outcome, counted
from sightline.data.build.lists import Listed, write_classes, write_lists
from sightline.data.dataset import Dataset
from sightline.data.ledger import as_text
from sightline.data.predicted import WITHOUT
from sightline.errors import UsageError
from sightline.rows import write_whole
from sightline.types import LedgerEntry

MARK, OUTCOMES, COCO = "provenance.json", "outcomes.csv", "coco.json"
Whole = tuple[int, int, int, int]


def whole_pixels(outcome: Outcome) -> Whole:
    """Round a box's edges."""
    x0, y0, x1, y1 = whole(np.array([outcome.box]), outcome.size)[0].tolist()
    return x0, y0, x1, y1


def made_by(annotator: str) -> str:
    """Say what a folder's mark says."""
    return f"sightline annotate {annotator}"


def claim(folder: Path, annotator: str) -> None:
    """Refuse a folder that holds anything but what the same annotator has left there."""
    note = folder / MARK
    if note.is_file():
        try:
            before = json.loads(note.read_text(encoding="utf-8")).get("made_by")
        except (ValueError, AttributeError):
            before = ""
        if before != made_by(annotator):
            raise UsageError(f"{folder} holds something else (see {MARK}); choose another --out")
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty; choose a new folder with --out")


def write(
    folder: Path,
    dataset: Dataset,
    outcomes: Sequence[Outcome],
    about: dict[str, Any],
    ledger: Sequence[LedgerEntry],
) -> None:
    """Write everything but pictures; the same bytes for the same outcomes."""
    split = dataset.split
    mark = {
        "made_by": made_by(about["annotator"]),
        "about": about,
        "from": {
            "dataset": split.dataset,
            "split": split.name,
            "labels": "pseudo boxes; " + ("; ".join(as_text(ledger)) or "no localization label"),
        },
        "outcomes": counted(outcomes),
    }
    claim(folder, about["annotator"])
    write_whole(folder / MARK, json.dumps(mark, indent=1) + "\n")
    labels = split.labels.tolist()
    found = [(one, label) for one, label in zip(outcomes, labels, strict=True) if one.box]
    if not found:
        raise UsageError(f"no image of {split.dataset}, split {split.name}, has got a box")
    write_whole(folder / OUTCOMES, as_table(outcomes))
    without = [f"{one.name},{_plain(one.reason)}" for one in outcomes if not one.box]
    if without:
        write_whole(folder / WITHOUT, "\n".join(without) + "\n")
    else:
        (folder / WITHOUT).unlink(missing_ok=True)
    write_whole(folder / COCO, as_coco(dataset, outcomes))
    names = split.classes or (() if max(labels) >= 0 else ("object",))
    if names:
        write_classes(folder, names)
    places = [(one, label, ",".join(map(str, whole_pixels(one)))) for one, label in found]
    write_lists(
        folder, [Listed(o.name, max(label, 0), o.size, (place,)) for o, label, place in places]
    )


def as_table(outcomes: Sequence[Outcome]) -> str:
    """List all images with what came of them."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = ("image", "outcome", "reason", "x0", "y0", "x1", "y1", "score", "proposals", "dropped")
    writer.writerow(names)
    for one in outcomes:
        box = whole_pixels(one) if one.box else ("",) * 4
        score = f"{one.score:.6g}" if one.box else ""
        writer.writerow((one.name, one.kind, one.reason, *box, score, one.proposals, one.dropped))
    return stream.getvalue()


def as_coco(dataset: Dataset, outcomes: Sequence[Outcome]) -> str:
    """Write the boxes as COCO does; images without one are listed, without an annotation."""
    split = dataset.split
    files = dict.fromkeys(split.images)
    numbers = {name: number for number, name in enumerate(files, start=1)}
    last = int(split.labels.max(initial=-1))
    named = [*split.classes, *(f"class {label}" for label in range(len(split.classes), last + 1))]
    images: dict[str, dict[str, Any]] = {}
    annotations: list[dict[str, Any]] = []
    for one, image, label in zip(outcomes, split.images, split.labels.tolist(), strict=True):
        width, height = one.size
        images.setdefault(
            image, {"id": numbers[image], "file_name": image, "width": width, "height": height}
        )
        if one.box:
            x0, y0, x1, y1 = whole_pixels(one)
            box = [x0, y0, x1 - x0, y1 - y0]
            annotations.append(
                {"id": len(annotations) + 1, "image_id": numbers[image]}
                | {"category_id": max(label, 0), "bbox": box, "area": box[2] * box[3]}
                | {"iscrowd": 0, "score": float(f"{one.score:.6g}")}
            )
    categories = [{"id": label, "name": name} for label, name in enumerate(named)]
    content = {
        "images": list(images.values()),
        "annotations": annotations,
        "categories": categories or [{"id": 0, "name": "object"}],
    }
    return json.dumps(content, indent=1) + "\n"


def _plain(reason: str) -> str:
    """Write a reason without what separates columns and lines."""
    return " ".join(reason.replace(",", ";").split())

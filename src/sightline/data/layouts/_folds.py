"""Splits of histology images as their benchmark released them: lines of image, mask and class."""

import csv
from collections.abc import Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder
from sightline.data.formats._shared import read_text
from sightline.data.paths import unsafe
from sightline.errors import Problem
from sightline.types import MaskSource

FILES = {"train": "train_s_*_f_*.csv", "val": "valid_s_*_f_*.csv", "test": "test_s_*_f_*.csv"}


def fold_file(path: Path, split: str) -> Path | None:
    """Find the list of a split: in the folder, or the first below its folder `folds`."""
    pattern = FILES.get(split, "")
    if not pattern or not path.is_dir():
        return None
    places = (path, path / "folds")
    found = (file for place in places if place.is_dir() for file in sorted(place.glob(pattern)))
    deeper = sorted((path / "folds").rglob(pattern)) if (path / "folds").is_dir() else ()
    return next(found, None) or next(iter(deeper), None)


def add_fold(
    file: Path,
    root: Path,
    labels: Mapping[str, int],
    builder: AnnotationBuilder,
    background: MaskSource | None = None,
) -> None:
    """Add the images of a list; `background` is the mask of those that name none."""
    lines = (read_text(file, builder) or "").splitlines()
    for line, cells in enumerate(csv.reader(lines), start=1):
        if not any(cells):
            continue
        name, mask, kind = [*(cell.strip() for cell in cells), "", "", ""][:3]
        reason = unsafe(mask) if mask else ""
        if len(cells) != 3 or kind not in labels or reason:
            what = f"is not image, mask, one of {' or '.join(labels)}"
            what = f"mask name '{mask}' is {reason}" if reason else what
            builder.problems.append(Problem(what, str(file), line, name, "mend the line"))
            continue
        builder.item(name, file=str(file), line=line, label=labels[kind])
        if not builder.has(name):
            continue
        source = root / mask if mask else background
        if source is None:
            builder.refuse(name, "names no mask", str(file), line, "mend the line")
        else:
            builder.add_mask(name, source, str(file), line)

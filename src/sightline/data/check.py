"""Whether a ground truth is whole: counts, what is unusual, and every problem, none hidden.

The ledger has no entry of a check: it tells counts and faults, but of no sound label where it is,
so that nothing can be chosen by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sightline.data.annotations import Annotations, Request
from sightline.data.check_masks import check_masks
from sightline.data.check_pictures import Pictures, check_pictures, unlisted
from sightline.data.places import held_splits, known, named
from sightline.data.pond.place import is_pond, resolved
from sightline.data.splits import asked, canonical
from sightline.data.truth import read_annotations
from sightline.errors import DataError, Problem

CLASSES_ALONE = "classes alone, nothing is localized: fit for training"
UNLISTED = "pictures that no list names"
WITHOUT = "image has no ground truth"


@dataclass(frozen=True, slots=True)
class Options:
    """What there is to know of a place beyond where it is."""

    images: Path | None = None
    masks: Path | None = None
    ignore_value: int | None = None
    decode: bool = True  # pictures and masks, not their headers and names alone


@dataclass(slots=True)
class Checked:
    """What was found out about a split."""

    dataset: str
    split: str
    counts: dict[str, Any] = field(default_factory=dict)
    warnings: dict[str, int] = field(default_factory=dict)
    unusual: dict[str, list[str]] = field(default_factory=dict)  # remark -> names
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    annotations: Annotations | None = None
    pictures: Pictures = field(default_factory=Pictures)

    def report(self) -> dict[str, Any]:
        """Give it as plain values."""
        return {
            "dataset": self.dataset,
            "split": self.split,
            "counts": self.counts,
            "warnings": self.warnings,
            "unusual": self.unusual,
            "notes": self.notes,
            "problems": [str(problem) for problem in self.problems],
            "left_out": sorted({problem.image for problem in self.problems if problem.image}),
        }


def check(place: str, split: str = "", options: Options | None = None) -> dict[str, Any]:
    """Read everything, pictures and masks included, and tell what is there and what is wrong.

    Without a split, all splits that a place holds are checked, and pictures that none of them
    lists are named.
    """
    options = options or Options()
    held = () if split else _held(place)
    splits = [_check_split(place, name, options) for name in held or (split,)]
    if not split:
        splits[-1].unusual |= _unlisted(splits)
    reports = [checked.report() for checked in splits]
    if held and splits[0].annotations and splits[0].annotations.is_known:
        published = known(splits[0].dataset)
        absent = [name for name in published.images if name not in held]
        remedy = f"get it: {published.where}"
        reports[0]["notes"] += [f"no split '{name}' is here; {remedy}" for name in absent]
    return reports[0] if not held else _together(reports)


def _held(place: str) -> tuple[str, ...]:
    place = resolved(place, "")[0] if is_pond(place) else place
    return held_splits(place, Request("", ""))


def _together(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Put the reports of several splits under one."""
    return {
        "dataset": reports[0]["dataset"],
        "split": ", ".join(report["split"] for report in reports),
        "counts": {"images": sum(report["counts"].get("images", 0) for report in reports)},
        "problems": [text for report in reports for text in report["problems"]],
        "left_out": [name for report in reports for name in report["left_out"]],
        "splits": {report["split"]: report for report in reports},
    }


def _check_split(place: str, split: str, options: Options) -> Checked:
    wanted = asked(split)
    name = wanted.label
    try:
        annotations = _read(place, split, options)
    except DataError as error:
        dataset = "" if is_pond(place) else named(place)[0]
        return Checked(dataset or Path(place).name, name, problems=list(error.problems))
    found = Checked(annotations.split.dataset, annotations.split.name, annotations=annotations)
    found.counts = _counts(annotations)
    found.warnings = dict(annotations.warnings) | _suspicious(annotations)
    found.problems += annotations.problems
    _check_localization(found, annotations)
    found.pictures = check_pictures(annotations, decode=options.decode)
    found.problems += found.pictures.problems
    found.notes += found.pictures.notes
    found.unusual |= found.pictures.unusual | _gaps(annotations)
    if options.decode and (options.masks or not annotations.problems):
        problems, unusual = check_masks(annotations, found.pictures.facts)
        found.problems += problems
        found.unusual |= unusual
    if not wanted.proxy and not wanted.per_class:
        found.problems += _counts_differ(annotations)
    return found


def _read(place: str, split: str, options: Options) -> Annotations:
    """Read a split: training images need nothing localized, nor does a set with nothing at all."""

    def read(*, localization: bool) -> Annotations:
        return read_annotations(
            place,
            split=split,
            images=options.images,
            masks=options.masks,
            ignore_value=options.ignore_value,
            localization=localization,
        )

    annotations = read(localization=canonical(asked(split).name) != "train")
    nothing = not annotations.split.ids and any(p.what == WITHOUT for p in annotations.problems)
    return read(localization=False) if nothing else annotations


def _check_localization(found: Checked, annotations: Annotations) -> None:
    """Tell whether anything is localized: in val and test it must be."""
    items = len(annotations.split.ids)
    if not items and not annotations.problems and not annotations.unannotated:
        remedy = "give another folder, or what belongs there"
        found.problems.append(Problem("no image is listed", "", remedy=remedy))
    elif not items or len(annotations.unlocalized) < items:
        missing = len(annotations.unlocalized)
        if missing:
            found.warnings["images_without_box_or_mask"] = missing
    elif annotations.fixations is None and canonical(asked(found.split).name) in ("val", "test"):
        remedy = "give localization.txt or masks; 'train' may do without"
        found.problems.append(Problem("nothing is localized in any image", "", remedy=remedy))
    elif annotations.fixations is None:
        found.notes.append(CLASSES_ALONE)


def _counts(annotations: Annotations) -> dict[str, Any]:
    split = annotations.split
    labels = split.labels[split.labels >= 0]
    counts = {"images": len(set(split.images)), "items": len(split.ids)}
    if not len(split.ids):
        return {"images": 0}
    if len(labels):
        _, per_class = np.unique(labels, return_counts=True)
        counts["classes"] = len(per_class)
        counts["fewest images a class"] = int(per_class.min())
        counts["most images a class"] = int(per_class.max())
    if annotations.boxes:
        each = np.diff(annotations.boxes.offsets)
        counts["boxes"] = int(each.sum())
        counts["images with several boxes"] = int((each > 1).sum())
    if annotations.masks:
        counts["masks"] = sum(map(len, annotations.masks.objects))
        counts["ignore regions"] = sum(map(len, annotations.masks.ignored))
    if annotations.parts:
        counts["parts"] = sum(map(len, annotations.parts))
    if annotations.fixations:
        counts["fixations"] = sum(map(len, annotations.fixations))
    return counts


def _suspicious(annotations: Annotations) -> dict[str, int]:
    labels = annotations.split.labels
    without = int((labels < 0).sum())
    counted = without and annotations.fixations is None
    return {"images_without_label": without} if counted else {}


def _gaps(annotations: Annotations) -> dict[str, list[str]]:
    """Name the classes below the last, or among those that are named, that have no image."""
    present = set(annotations.split.labels[annotations.split.labels >= 0].tolist())
    names = annotations.split.classes
    last = max([len(names) - 1, *present]) if present else -1
    gaps = [label for label in range(last + 1) if label not in present]
    called = [f"{label} ({names[label]})" if label < len(names) else f"{label}" for label in gaps]
    return {"classes without image": called} if gaps else {}


def _unlisted(splits: Sequence[Checked]) -> dict[str, list[str]]:
    """Name the pictures in the folders of images that no split lists."""
    roots = {root for checked in splits for root in checked.pictures.roots}
    listed = [file for checked in splits for file in checked.pictures.listed]
    masks = [c.annotations.masks for c in splits if c.annotations and c.annotations.masks]
    names = unlisted(roots, listed, masks)
    return {UNLISTED: names} if names else {}


def _counts_differ(annotations: Annotations) -> list[Problem]:
    """Compare with the published number of images, where the data set is known by name."""
    split = annotations.split
    if not annotations.is_known:
        return []
    expected, found = known(split.dataset).expected(split.name), len(set(split.images))
    if expected is None or found in (0, expected):  # what lacks all images is named already
        return []
    what = f"{split.dataset} {split.name}: {found} images where {expected} were published"
    return [Problem(what, remedy=known(split.dataset).where)]

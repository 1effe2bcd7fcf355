"""Whether a ground truth is whole: counts, suspicious labels and every problem, none hidden."""

from pathlib import Path
from typing import Any

import numpy as np

from sightline import registry
from sightline.data.annotations import Annotations
from sightline.data.masks import read_mask
from sightline.data.truth import read_annotations
from sightline.errors import DataError
from sightline.types import Masks


def check(
    place: str, split: str = "", masks: Path | None = None, ignore_value: int | None = None
) -> dict[str, Any]:
    """Read everything, masks included, and tell what is there and what is wrong."""
    annotations = read_annotations(place, split=split, masks=masks, ignore_value=ignore_value)
    problems = [str(problem) for problem in annotations.problems]
    if annotations.masks and (masks or not problems):
        problems += _unreadable(annotations.masks)
    problems += _counts_differ(annotations)
    return {
        "dataset": annotations.split.dataset,
        "split": annotations.split.name,
        "counts": _counts(annotations),
        "warnings": dict(annotations.warnings) | _suspicious(annotations),
        "problems": problems,
    }


def _counts(annotations: Annotations) -> dict[str, Any]:
    split = annotations.split
    labels = split.labels[split.labels >= 0]
    counts = {"images": len(set(split.images)), "items": len(split.ids)}
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
    return counts


def _suspicious(annotations: Annotations) -> dict[str, int]:
    labels = annotations.split.labels
    found = {"images_without_label": int((labels < 0).sum())}
    present = np.unique(labels[labels >= 0])
    if len(present):
        found["classes_without_image"] = int(present.max()) + 1 - len(present)
    return {name: count for name, count in found.items() if count}


def _unreadable(masks: Masks) -> list[str]:
    problems = []
    for item in range(len(masks.objects)):
        try:
            read_mask(masks, item, None)
        except DataError as error:
            problems.append(str(error))
    return problems


def _counts_differ(annotations: Annotations) -> list[str]:
    """Compare with the published number of images, where the data set is known by name."""
    split = annotations.split
    if split.dataset not in registry.names("dataset"):
        return []
    known = registry.load("dataset", split.dataset).DATASET
    expected = known.images.get(split.name)
    found = len(split.ids)
    if expected is None or expected == found:
        return []
    return [f"{split.dataset} {split.name}: {found} images where {expected} were published"]

"""Ground truth behind the ledger: one schema for every format, for real and pseudo labels alike."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sightline import registry
from sightline.data.annotations import Annotations, Request
from sightline.data.ledger import Ledger
from sightline.errors import DataError, Problem, UsageError
from sightline.types import Boxes, Masks, Pixels, Split

UNKNOWN_SPLIT = "unknown"


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """A split whose boxes and masks are given out only to a named purpose."""

    split: Split
    problems: tuple[Problem, ...]
    warnings: Mapping[str, int]
    fingerprint: str
    _boxes: Boxes | None
    _masks: Masks | None

    @property
    def has_boxes(self) -> bool:
        """Whether every image has a box."""
        return self._boxes is not None

    @property
    def has_masks(self) -> bool:
        """Whether every image has a mask."""
        return self._masks is not None

    def boxes(self, purpose: str, ledger: Ledger, *, force: bool = False) -> Boxes:
        """Open the boxes and have it recorded."""
        if self._boxes is None:
            raise UsageError(f"{self.split.dataset} has no box for every image; use masks")
        count = len(self._boxes.corners)
        ledger.record(self.split, purpose, "boxes", count, force=force)
        return self._boxes

    def masks(self, purpose: str, ledger: Ledger, *, force: bool = False) -> Masks:
        """Open the masks and have it recorded."""
        if self._masks is None:
            raise UsageError(
                f"{self.split.dataset} has no mask for every image; pass --masks DIR or use boxes"
            )
        count = sum(map(len, self._masks.objects))
        ledger.record(self.split, purpose, "masks", count, force=force)
        return self._masks


def guarded(annotations: Annotations) -> GroundTruth:
    """Put annotations behind the ledger."""
    return GroundTruth(
        split=annotations.split,
        problems=annotations.problems,
        warnings=annotations.warnings,
        fingerprint=_fingerprint(annotations),
        _boxes=annotations.boxes,
        _masks=annotations.masks,
    )


def read_truth(
    place: str | Path,
    *,
    split: str = "",
    masks: str | Path | None = None,
    ignore_value: int | None = None,
    skip_problems: bool = False,
) -> GroundTruth:
    """Read a ground truth from a folder, a file, or `dataset:/root`.

    Args:
        place: where it is; the format is recognised.
        split: the split's name, which is also the subfolder if there is one of that name.
        masks: the folder that mask names are relative to.
        ignore_value: the pixel value of mask files that counts for nothing.
        skip_problems: leave out images with problems instead of stopping.
    """
    truth = guarded(read_annotations(place, split=split, masks=masks, ignore_value=ignore_value))
    if truth.problems and not skip_problems:
        raise DataError(truth.problems)
    if not truth.split.ids:
        raise DataError(truth.problems or [Problem("no image is listed", str(place))])
    return truth


def read_annotations(
    place: str | Path,
    *,
    split: str = "",
    masks: str | Path | None = None,
    ignore_value: int | None = None,
) -> Annotations:
    """Read a ground truth as it is, problems included; for checking, not for scoring."""
    path, dataset = locate(str(place), split)
    mask_root = Path(masks) if masks else None
    if mask_root and not mask_root.is_dir():
        raise UsageError(f"{mask_root}: no such folder of masks")
    request = Request(dataset, split or UNKNOWN_SPLIT, mask_root, ignore_value)
    module = registry.load("format", _format_of(path, request))
    annotations: Annotations = module.read(path, request)
    return annotations


def locate(place: str, split: str) -> tuple[Path, str]:
    """Find the folder or file of a split, and the name of its data set."""
    name, colon, root = place.partition(":")
    dataset = name if colon and name in registry.names("dataset") else ""
    place = root if dataset else place
    path = Path(place)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder of ground truth")
    inner = path / split
    if split and inner.is_dir():
        return inner, dataset or path.resolve().name
    return path, dataset or path.resolve().name


def _format_of(path: Path, request: Request) -> str:
    for name in registry.names("format"):
        if registry.load("format", name).recognises(path, request):
            return name
    known = ", ".join(f"{entry.name} ({entry.title})" for entry in registry.describe("format"))
    raise UsageError(f"{path}: not recognised as ground truth; known formats: {known}")


def subset(truth: GroundTruth, keep: np.ndarray) -> GroundTruth:
    """Keep some items, in their order."""
    indices = np.flatnonzero(keep)
    split = truth.split
    chosen = replace(
        split,
        ids=tuple(split.ids[i] for i in indices),
        images=tuple(split.images[i] for i in indices),
        labels=split.labels[indices],
        sizes=split.sizes[indices],
    )
    return replace(
        truth,
        split=chosen,
        _boxes=_boxes_of(truth._boxes, indices),
        _masks=_masks_of(truth._masks, indices),
    )


def _boxes_of(boxes: Boxes | None, indices: np.ndarray) -> Boxes | None:
    if boxes is None:
        return None
    counts = np.diff(boxes.offsets)[indices]
    rows = [boxes.corners[boxes.offsets[i] : boxes.offsets[i + 1]] for i in indices]
    corners = np.concatenate(rows) if rows else np.zeros((0, 4))
    return Boxes(corners, np.concatenate([[0], np.cumsum(counts)]))


def _masks_of(masks: Masks | None, indices: np.ndarray) -> Masks | None:
    if masks is None:
        return None
    return replace(
        masks,
        objects=tuple(masks.objects[i] for i in indices),
        ignored=tuple(masks.ignored[i] for i in indices),
    )


def _fingerprint(annotations: Annotations) -> str:
    """Hash whatever determines a score: ids, classes, sizes, boxes and the names of masks."""
    digest = hashlib.sha256()
    split = annotations.split
    digest.update("\n".join(split.ids).encode())
    digest.update(split.labels.tobytes() + split.sizes.tobytes())
    if annotations.boxes:
        digest.update(annotations.boxes.corners.tobytes() + annotations.boxes.offsets.tobytes())
    if annotations.masks:
        digest.update(f"{annotations.masks.ignore_value}\n".encode())
        for group in (*annotations.masks.objects, *annotations.masks.ignored):
            digest.update("|".join(_source_name(source) for source in group).encode() + b"\n")
    return digest.hexdigest()[:16]


def _source_name(source: object) -> str:
    if isinstance(source, Pixels):  # the repr of a large array leaves most of it out
        return f"{source.codes.shape}{hashlib.sha256(source.codes.tobytes()).hexdigest()}"
    return source.name if isinstance(source, Path) else repr(source)

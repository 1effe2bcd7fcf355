"""Ground truth behind the ledger: one schema for every format, for real and pseudo labels alike."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sightline.data.annotations import Annotations, Request
from sightline.data.ledger import Ledger
from sightline.data.places import absolute, find, known
from sightline.data.pond.place import resolved
from sightline.data.proxy import proxy_images
from sightline.data.splits import UNKNOWN, Asked, asked, canonical, drawn
from sightline.errors import DataError, Problem, UsageError
from sightline.types import Boxes, Fixation, Masks, Part, Pixels, Split

DATA_CHECK = "'sightline data check'"
PartsByItem = tuple[tuple[Part, ...], ...]
FixationsByItem = tuple[tuple[Fixation, ...], ...]


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """A split whose localization labels are given out only to a named purpose."""

    split: Split
    fingerprint: str
    _known: Annotations

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the images that were left out."""
        return self._known.problems

    @property
    def warnings(self) -> Mapping[str, int]:
        """What is legitimate but suspicious, counted."""
        return self._known.warnings

    @property
    def origin(self) -> Mapping[str, str]:
        """What was asked for, to ask again; empty for arrays."""
        return self._known.origin

    @property
    def unannotated(self) -> tuple[str, ...]:
        """Images that are listed with nothing to localize in them."""
        return self._known.unannotated

    @property
    def has_boxes(self) -> bool:
        """Whether every image has a box."""
        return self._known.boxes is not None

    @property
    def has_masks(self) -> bool:
        """Whether every image has a mask."""
        return self._known.masks is not None

    @property
    def has_parts(self) -> bool:
        """Whether any image has object parts."""
        return self._known.parts is not None

    @property
    def has_fixations(self) -> bool:
        """Whether it is known where subjects looked."""
        return self._known.fixations is not None

    def boxes(self, purpose: str, ledger: Ledger, *, force: bool = False) -> Boxes:
        """Open the boxes and have it recorded."""
        boxes = self._known.boxes
        if boxes is None:
            raise UsageError(f"{self.split.dataset} has no box for every image; use masks")
        ledger.record(self.split, purpose, "boxes", np.diff(boxes.offsets).tolist(), force=force)
        return boxes

    def masks(self, purpose: str, ledger: Ledger, *, force: bool = False) -> Masks:
        """Open the masks and have it recorded."""
        masks = self._known.masks
        if masks is None:
            raise UsageError(
                f"{self.split.dataset} has no mask for every image; pass --masks DIR or use boxes"
            )
        ledger.record(self.split, purpose, "masks", _counts(masks.objects), force=force)
        return masks

    def parts(self, purpose: str, ledger: Ledger, *, force: bool = False) -> PartsByItem:
        """Open the parts of each item's object and have it recorded."""
        parts = self._known.parts
        if parts is None:
            raise UsageError(f"{self.split.dataset} has no object parts")
        ledger.record(self.split, purpose, "parts", _counts(parts), force=force)
        return parts

    def fixations(self, purpose: str, ledger: Ledger, *, force: bool = False) -> FixationsByItem:
        """Open what subjects looked at in each item's image and have it recorded."""
        fixations = self._known.fixations
        if fixations is None:
            raise UsageError(f"{self.split.dataset} has no fixations")
        ledger.record(self.split, purpose, "fixations", _counts(fixations), force=force)
        return fixations

    def chosen(self, items: Sequence[int]) -> "GroundTruth":
        """Keep some of the items, in the order given."""
        return guarded(self._known.chosen(items))


def _counts(groups: Sequence[Sequence[object]]) -> list[int]:
    return [len(group) for group in groups]


def guarded(annotations: Annotations) -> GroundTruth:
    """Put annotations behind the ledger."""
    return GroundTruth(annotations.split, _fingerprint(annotations), annotations)


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
        split: the split's name (see `sightline.data.splits`), which is also the subfolder if there
            is one of that name.
        masks: the folder that mask names are relative to.
        ignore_value: the pixel value of mask files that counts for nothing.
        skip_problems: leave out images with problems instead of stopping.
    """
    truth = guarded(read_annotations(place, split=split, masks=masks, ignore_value=ignore_value))
    if truth.problems and not skip_problems:
        raise DataError(truth.problems, DATA_CHECK)
    if not truth.split.ids:
        raise DataError(truth.problems or [Problem("no image is listed", str(place))], DATA_CHECK)
    return truth


def read_annotations(
    place: str | Path,
    *,
    split: str = "",
    masks: str | Path | None = None,
    ignore_value: int | None = None,
    images: str | Path | None = None,
    localization: bool = True,
) -> Annotations:
    """Read a ground truth as it is, problems included; for checking, not for scoring."""
    wanted = asked(split)
    place, name = resolved(str(place), wanted.name)
    wanted = replace(wanted, name=canonical(name))
    request = Request(
        dataset="",
        split=wanted.name or UNKNOWN,
        masks=_folder(masks, "masks"),
        ignore_value=ignore_value,
        images=_folder(images, "images"),
        localization=localization,
    )
    found = find(place, wanted, request)
    request = replace(request, dataset=found.dataset)
    request = _completed(request) if found.is_known else request
    annotations: Annotations = found.reader.read(found.path, request)
    asked_for = {"truth": place, "masks": masks, "images": images}
    origin = {key: absolute(str(value)) for key, value in asked_for.items() if value}
    origin |= {"split": split} if split else {}
    origin |= {} if ignore_value is None else {"ignore_value": str(ignore_value)}
    annotations = replace(annotations, is_known=found.is_known, origin=origin)
    return _narrowed(annotations, wanted, found.path)


def _completed(request: Request) -> Request:
    """Add what is known of a data set by its name."""
    dataset = known(request.dataset)
    ignored = dataset.ignore_value if request.ignore_value is None else request.ignore_value
    return replace(request, classes=dataset.classes, ignore_value=ignored)


def _narrowed(annotations: Annotations, wanted: Asked, path: Path) -> Annotations:
    """Keep the part of a split that was asked for, and call it so."""
    if wanted.proxy:
        listed = proxy_images(path)
        images = annotations.split.images
        annotations = annotations.chosen([i for i, name in enumerate(images) if name in listed])
    if wanted.per_class:
        items = drawn(annotations.split, wanted.per_class, wanted.seed)
        annotations = annotations.chosen(items)
    return replace(annotations, split=replace(annotations.split, name=wanted.label))


def _folder(place: str | Path | None, kind: str) -> Path | None:
    if place and not Path(place).is_dir():
        raise UsageError(f"{place}: no such folder of {kind}")
    return Path(place) if place else None


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

"""Ground truth behind the ledger: one schema for every format, for real and pseudo labels alike."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline import registry
from sightline.data.annotations import Annotations, Request
from sightline.data.ledger import Ledger
from sightline.data.pond.place import resolved
from sightline.errors import DataError, Problem, UsageError
from sightline.types import Boxes, Fixation, Masks, Part, Pixels, Split

UNKNOWN_SPLIT = "unknown"
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
        ledger.record(self.split, purpose, "boxes", len(boxes.corners), force=force)
        return boxes

    def masks(self, purpose: str, ledger: Ledger, *, force: bool = False) -> Masks:
        """Open the masks and have it recorded."""
        masks = self._known.masks
        if masks is None:
            raise UsageError(
                f"{self.split.dataset} has no mask for every image; pass --masks DIR or use boxes"
            )
        count = sum(map(len, masks.objects))
        ledger.record(self.split, purpose, "masks", count, force=force)
        return masks

    def parts(self, purpose: str, ledger: Ledger, *, force: bool = False) -> PartsByItem:
        """Open the parts of each item's object and have it recorded."""
        parts = self._known.parts
        if parts is None:
            raise UsageError(f"{self.split.dataset} has no object parts")
        ledger.record(self.split, purpose, "parts", sum(map(len, parts)), force=force)
        return parts

    def fixations(self, purpose: str, ledger: Ledger, *, force: bool = False) -> FixationsByItem:
        """Open what subjects looked at in each item's image and have it recorded."""
        fixations = self._known.fixations
        if fixations is None:
            raise UsageError(f"{self.split.dataset} has no fixations")
        ledger.record(self.split, purpose, "fixations", sum(map(len, fixations)), force=force)
        return fixations

    def chosen(self, items: Sequence[int]) -> "GroundTruth":
        """Keep some of the items, in the order given."""
        return guarded(self._known.chosen(items))


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
        split: the split's name, which is also the subfolder if there is one of that name.
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
    place, split = resolved(str(place), split)
    path, dataset = locate(place, split)
    known = registry.load("dataset", dataset).DATASET if _is_known(dataset) else None
    request = Request(
        dataset=dataset,
        split=split or UNKNOWN_SPLIT,
        masks=_folder(masks, "masks"),
        ignore_value=known.ignore_value if known and ignore_value is None else ignore_value,
        classes=known.classes if known else 0,
        images=_folder(images, "images"),
        localization=localization,
    )
    module = registry.load("format", _format_of(path, request))
    annotations: Annotations = module.read(path, request)
    return annotations


def _is_known(dataset: str) -> bool:
    return dataset in registry.names("dataset")


def _folder(place: str | Path | None, kind: str) -> Path | None:
    if place and not Path(place).is_dir():
        raise UsageError(f"{place}: no such folder of {kind}")
    return Path(place) if place else None


def locate(place: str, split: str) -> tuple[Path, str]:
    """Find the folder or file of a split, and the name of its data set."""
    name, colon, root = place.partition(":")
    dataset = name if colon and name in registry.names("dataset") else ""
    place = root if dataset else place
    path = Path(place)
    if not path.exists():
        unknown = colon and len(name) > 1 and not dataset
        hint = f"; no data set is called '{name}' (see 'sightline data list')" if unknown else ""
        raise UsageError(f"{path}: no such file or folder of ground truth{hint}")
    inner = next((path / folder for folder in _folders_of(split) if (path / folder).is_dir()), path)
    return inner, dataset or path.resolve().name


def _folders_of(split: str) -> tuple[str, ...]:
    return (split, f"metadata/{split}") if split else ()


def _format_of(path: Path, request: Request) -> str:
    name = _recognised(path, request)
    if name:
        return name
    inner = sorted([*path.iterdir(), *path.glob("metadata/*")]) if path.is_dir() else []
    splits = [folder.name for folder in inner if folder.is_dir() and _recognised(folder, request)]
    if splits:
        hint = f"it holds ground truth in {', '.join(splits)}: pass one of them with --split"
    else:
        known = (f"{entry.name} ({entry.title})" for entry in registry.describe("format"))
        hint = f"known formats: {', '.join(known)}"
    raise UsageError(f"{path}: not recognised as ground truth; {hint}")


def _recognised(path: Path, request: Request) -> str:
    """Ask our own formats first: a broken one of another package then stops only its own users."""
    known = sorted(registry.describe("format"), key=lambda entry: entry.source != "sightline")
    modules = ((entry.name, registry.load("format", entry.name)) for entry in known)
    return next((name for name, module in modules if module.recognises(path, request)), "")


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

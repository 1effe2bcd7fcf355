"""What a format's reader hands over, and the one place where annotations are checked.

A reader only parses: it tells the builder what a file says and where it says it. The builder
refuses what cannot be true, by file and line, and leaves the images concerned out of the result.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from sightline.data.paths import unsafe
from sightline.errors import Problem
from sightline.types import Boxes, Fixation, Masks, MaskSource, Part, Split

T = TypeVar("T")
LARGEST = 2**31 - 1  # of labels and sizes
PICTURES = ("jpg", "jpeg", "png", "bmp", "tif", "tiff", "webp")


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller says of a ground truth beyond where it lies."""

    dataset: str
    split: str
    masks: Path | None = None  # the folder that mask names are relative to
    ignore_value: int | None = None  # a mask pixel of this value counts for nothing
    classes: int = 0  # how many there are, where the data set is known by name
    images: Path | None = None  # the folder that image ids are relative to
    localization: bool = True  # refuse images in which nothing is localized


@dataclass(frozen=True, slots=True)
class Annotations:
    """All that a ground truth says. Localization is reached through `sightline.data.truth`."""

    split: Split
    boxes: Boxes | None
    masks: Masks | None
    problems: tuple[Problem, ...]
    warnings: Mapping[str, int]  # legitimate but suspicious, counted
    unannotated: tuple[str, ...] = ()  # images that are listed with nothing to localize in them
    unlocalized: tuple[str, ...] = ()  # items with neither box nor mask
    parts: tuple[tuple[Part, ...], ...] | None = None  # by item, where any item has parts
    fixations: tuple[tuple[Fixation, ...], ...] | None = None  # by item, likewise
    picture_roots: tuple[Path, ...] = ()  # folders where the image files may lie
    is_known: bool = False  # a data set that is known by name, not just called so
    origin: Mapping[str, str] = field(default_factory=dict)  # what was asked for, to ask again

    def with_problems(self, *problems: Problem) -> "Annotations":
        """Add problems before those that there are."""
        return replace(self, problems=(*problems, *self.problems))

    def chosen(self, items: Sequence[int]) -> "Annotations":
        """Keep some of the items, in the order given."""
        split = _chosen_split(self.split, items)
        return replace(
            self,
            split=split,
            unlocalized=tuple(set(self.unlocalized).intersection(split.ids)),
            boxes=_chosen_boxes(self.boxes, items) if self.boxes else None,
            masks=_chosen_masks(self.masks, items) if self.masks else None,
            parts=_picked(self.parts, items) if self.parts else None,
            fixations=_picked(self.fixations, items) if self.fixations else None,
        )


def _picked(values: Sequence[T], items: Sequence[int]) -> tuple[T, ...]:
    return tuple(values[item] for item in items)


def _chosen_split(split: Split, items: Sequence[int]) -> Split:
    rows = np.asarray(items, np.int64)
    return replace(
        split,
        ids=_picked(split.ids, items),
        images=_picked(split.images, items),
        labels=split.labels[rows],
        sizes=split.sizes[rows],
    )


def _chosen_boxes(boxes: Boxes, items: Sequence[int]) -> Boxes:
    groups = [boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]] for item in items]
    offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    return Boxes(np.concatenate([np.empty((0, 4)), *groups]), offsets)


def _chosen_masks(masks: Masks, items: Sequence[int]) -> Masks:
    objects, ignored = _picked(masks.objects, items), _picked(masks.ignored, items)
    return replace(masks, objects=objects, ignored=ignored)


@dataclass(slots=True)
class _Item:
    image: str
    label: int
    size: tuple[int, int]
    file: str
    line: int
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    objects: list[MaskSource] = field(default_factory=list)
    ignored: list[MaskSource] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    fixations: list[Fixation] = field(default_factory=list)


class AnnotationBuilder:
    """Collects items, boxes and masks, and every problem with them."""

    def __init__(self, request: Request, *, sizes_needed: bool = True) -> None:
        self.request = request
        self._sizes_needed = sizes_needed  # not where boxes are in the map's own frame
        self.problems: list[Problem] = []
        self.warnings: Counter[str] = Counter()
        self.unannotated: list[str] = []
        self.picture_roots: list[Path] = [request.images] if request.images else []
        self._items: dict[str, _Item] = {}
        self._bad: set[str] = set()

    def refuse(self, item: str, what: str, file: str, line: int = 0, remedy: str = "") -> None:
        """Record a problem and leave the item out."""
        self.problems.append(Problem(what, file, line, item, remedy))
        self._bad.add(item)

    def item(
        self,
        name: str,
        *,
        file: str,
        line: int = 0,
        image: str = "",
        label: int = -1,
        size: tuple[int, int] = (0, 0),
    ) -> None:
        """Add an item: an image, or one class of an image that has several."""
        reason = unsafe(name)
        if reason:
            self.refuse(name, f"image id '{name}' is {reason}", file, line, "use a plain id")
        elif name in self._items:
            self.refuse(name, "image id is listed twice", file, line, "remove one of the lines")
        else:
            self._items[name] = _Item(image or name, -1, (0, 0), file, line)
            if label != -1:
                self.set_label(name, label, file, line)
            if size != (0, 0):
                self.set_size(name, *size, file, line)

    def known(self, name: str, file: str, line: int) -> bool:
        """Tell whether an item exists, and record a problem if it does not."""
        if name not in self._items and name not in self._bad:
            self.refuse(name, "image id is not in the list of images", file, line, "add it there")
        return name in self._items

    def has(self, name: str) -> bool:
        """Tell whether an item exists, where a table may speak of other splits' images too."""
        return name in self._items

    @property
    def images(self) -> list[str]:
        """List the images of the items so far."""
        return [item.image for item in self._items.values()]

    def size_of(self, name: str) -> tuple[int, int]:
        """Give the width and height of an item's image, 0 where unknown."""
        return self._items[name].size

    def set_label(self, name: str, label: int, file: str, line: int) -> None:
        """Set an item's class."""
        if not 0 <= label <= LARGEST:
            self.refuse(name, f"label {label} is out of range", file, line, "count classes from 0")
        elif 0 < self.request.classes <= label:
            what = f"label {label} is out of range: there are {self.request.classes} classes"
            self.refuse(name, what, file, line, "count classes from 0")
        elif self._items[name].label >= 0:
            self.refuse(name, "image is labelled twice", file, line, "remove one of the lines")
        else:
            self._items[name].label = label

    def set_size(self, name: str, width: int, height: int, file: str, line: int) -> None:
        """Set the size of an item's image."""
        if not (0 < width <= LARGEST and 0 < height <= LARGEST):
            what = f"image size {width} x {height} is not positive or beyond any image"
            self.refuse(name, what, file, line, "write width, then height")
        elif self._items[name].size != (0, 0):
            self.refuse(name, "image size is stated twice", file, line, "remove one of the lines")
        else:
            self._items[name].size = (width, height)

    def add_box(self, name: str, corners: Sequence[float], file: str, line: int = 0) -> None:
        """Add a box; its place in the image is checked when all sizes are known."""
        x0, y0, x1, y1 = (float(corner) for corner in corners)
        shown = ", ".join(f"{corner:g}" for corner in (x0, y0, x1, y1))
        width, height = self._items[name].size
        if not np.isfinite((x0, y0, x1, y1)).all():
            self.refuse(name, f"box {shown} is not finite", file, line)
        elif x0 > x1 or y0 > y1:
            self.refuse(name, f"box {shown} is inverted", file, line, "write x0, y0, x1, y1")
        elif min(x0, y0) < 0:
            self.refuse(name, f"box {shown} has a negative corner", file, line, "start at 0")
        elif not width and name in self._bad:
            return  # its size was refused
        elif not width and self._sizes_needed:
            self.refuse(name, "no size is known for an image with boxes", file, line, "state it")
        elif width and (x0 >= width or y0 >= height):
            what = f"box {shown} lies outside its image of {width} x {height}"
            self.refuse(name, what, file, line, "check that sizes are width first")
        else:
            self._items[name].boxes.append((x0, y0, x1, y1))
            self.warnings["boxes_at_or_past_edge"] += bool(width) and (x1 >= width or y1 >= height)
            self.warnings["zero_area_boxes"] += x0 == x1 or y0 == y1

    def add_mask(
        self,
        name: str,
        source: MaskSource,
        file: str,
        line: int = 0,
        *,
        ignore: bool = False,
        there: bool = True,
    ) -> None:
        """Add an object's mask, or a region to ignore; a file must be `there` already."""
        if isinstance(source, Path) and there and not source.is_file():
            self.refuse(name, f"mask {source} is missing", file, line, "check the masks' folder")
        else:
            (self._items[name].ignored if ignore else self._items[name].objects).append(source)

    def add_masks_named_by_image(self, file: str, beside: Path | None = None) -> None:
        """Where a mask folder is given but no names, a mask is called as its image, as PNG.

        A folder that merely lies `beside` the lists counts if it holds a mask for every image.
        """
        root = self.request.masks or beside
        sound = [(name, item) for name, item in self._items.items() if name not in self._bad]
        if root and not (self.request.masks and self.request.localization):
            lacking = sum(not (root / _as_png(item.image)).is_file() for _, item in sound)
            self.warnings["images_without_mask_beside"] += lacking
            root = None if lacking else root
        for name, item in sound if root else ():
            if root:
                self.add_mask(name, root / _as_png(item.image), file, item.line)

    def add_part(self, name: str, part: Part) -> None:
        """Add a part of an item's object."""
        self._items[name].parts.append(part)

    def add_fixation(self, name: str, fixation: Fixation) -> None:
        """Add a place that a subject looked at."""
        self._items[name].fixations.append(fixation)

    def build(self, classes: Sequence[str] = ()) -> Annotations:
        """Check what needs the whole, and hand over what is sound."""
        kept = {name: item for name, item in self._items.items() if name not in self._bad}
        labelled = any(item.label >= 0 for item in self._items.values())
        for name, item in list(kept.items()):
            if labelled and item.label < 0:
                remedy = "add it to the class labels, or remove the image"
                self.refuse(name, "image has no class", item.file, item.line, remedy)
                del kept[name]
            elif classes and item.label >= len(classes):
                what = f"label {item.label} is out of range: {len(classes)} classes are named"
                self.refuse(name, what, item.file, item.line, "count classes from 0")
                del kept[name]
            elif self.request.localization and not item.boxes and not item.objects:
                remedy = "add a box or a mask, or remove the image"
                self.refuse(name, "image has no ground truth", item.file, item.line, remedy)
                del kept[name]
        items = list(kept.values())
        for kind, having in (
            ("boxes", [bool(item.boxes) for item in items]),
            ("masks", [bool(item.objects) for item in items]),
        ):
            if any(having):
                self.warnings[f"images_without_{kind}"] += having.count(False)
        split = Split(
            dataset=self.request.dataset,
            name=self.request.split,
            ids=tuple(kept),
            images=tuple(item.image for item in items),
            labels=np.array([item.label for item in items], np.int64),
            sizes=np.array([item.size for item in items], np.int64).reshape(-1, 2),
            classes=tuple(classes),
        )
        problems = tuple(self.problems)
        warnings = {name: count for name, count in self.warnings.items() if count}
        return Annotations(
            split=split,
            boxes=_boxes(items),
            masks=self._masks(items),
            problems=problems,
            warnings=warnings,
            unannotated=tuple(self.unannotated),
            unlocalized=tuple(
                name for name, item in kept.items() if not item.boxes and not item.objects
            ),
            parts=_by_item([item.parts for item in items]),
            fixations=_by_item([item.fixations for item in items]),
            picture_roots=tuple(self.picture_roots),
        )

    def _masks(self, items: Sequence[_Item]) -> Masks | None:
        if not all(item.objects for item in items):
            return None
        objects = tuple(tuple(item.objects) for item in items)
        ignored = tuple(tuple(item.ignored) for item in items)
        return Masks(objects, ignored, self.request.ignore_value)


def _as_png(image: str) -> str:
    """Exchange an image's suffix; the id of a VOC annotation has none, only dots."""
    stem, dot, suffix = image.rpartition(".")
    return f"{stem if dot and suffix.lower() in PICTURES else image}.png"


def _by_item(groups: Sequence[Sequence[T]]) -> tuple[tuple[T, ...], ...] | None:
    return tuple(map(tuple, groups)) if any(groups) else None


def _boxes(items: Sequence[_Item]) -> Boxes | None:
    if not all(item.boxes for item in items):
        return None
    corners = [corner for item in items for corner in item.boxes]
    counts = [len(item.boxes) for item in items]
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return Boxes(np.array(corners, np.float64).reshape(-1, 4), offsets)

"""JSON file of images, annotations and categories, as COCO defined it.

Paper: Lin et al., Microsoft COCO: Common Objects in Context, ECCV 2014

An item is one category in one image: `file_name`, or `file_name/LABEL` where an image holds several
categories. LABEL is a category's position in the order of category ids. A box x, y, w, h becomes
x, y, x + w, y + h. Crowds are no objects: their segmentation is a region to ignore in the item of
their category. Images without annotations are counted and left out.

A folder does as well as a file: `annotations/instances_val2017.json` or `val2017.json` in it is the
split val. Images lie in `images/`, or in a folder called as the file: `val2017/`.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.finding import picture_folders
from sightline.data.formats._segmentation import (
    Fault,
    Record,
    is_whole,
    numbers_of,
    segmentation,
)
from sightline.data.formats._shared import (
    add_masks_by_image,
    item_names,
    read_text,
)
from sightline.data.splits import ALIASES
from sightline.errors import Problem
from sightline.types import MaskSource

SECTIONS = ("images", "annotations", "categories")
OTHERS = {"captions", "keypoints", "stuff", "panoptic", "info"}  # COCO's files of another kind


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    return _is_file(path) or _file_of(path, request.split) is not None


def splits(path: Path) -> tuple[str, ...]:
    """List the splits that a folder has files of."""
    return tuple(split for split in ALIASES if _file_of(path, split)) if path.is_dir() else ()


def _is_file(path: Path) -> bool:
    return path.suffix.lower() == ".json" and path.is_file()


def _file_of(path: Path, split: str) -> Path | None:
    """Find a split's file in a folder: `instances` goes first, captions are of another kind."""
    if not path.is_dir():
        return None
    files = [file for place in (path, path / "annotations") for file in place.glob("*.json")]
    named = sorted(file for file in files if _words(file.stem) & set(ALIASES.get(split, (split,))))
    plain = [file for file in named if not _words(file.stem) & OTHERS]
    instances = [file for file in plain if "instances" in _words(file.stem)]
    return next(iter((*instances, *plain)), None)


def _words(stem: str) -> set[str]:
    """Split a name: instances_val2017 is of val."""
    return {word.rstrip("0123456789") for word in stem.lower().replace("_", "-").split("-")}


def read(path: Path, request: Request) -> Annotations:
    """Read the file, or that of the split in a folder."""
    path = path if _is_file(path) else _file_of(path, request.split) or path
    builder = AnnotationBuilder(request)
    content = _load(path, builder)
    if content is None:
        return builder.build()
    reader = _Reader(path, builder)
    reader.read_images(content["images"])
    reader.read_categories(content["categories"])
    reader.read_annotations(content["annotations"])
    reader.add_items()
    own = path.stem.split("_")[-1]
    folders = (path.stem, own, f"images/{own}", "images")
    builder.picture_roots += picture_folders(path, folders, builder.images)
    return builder.build([name for _, name in sorted(reader.categories.items())])


def _load(path: Path, builder: AnnotationBuilder) -> Record | None:
    """Parse the file and make sure that its sections are there."""
    text = read_text(path, builder)
    if text is None:
        return None
    line, what, remedy = 0, "", f"a COCO file is an object with {', '.join(SECTIONS)}"
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        line, what = error.lineno, f"not JSON: {error.msg} at column {error.colno}"
        remedy = "mend the file or download it again"
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, deep nesting
        what = f"not usable JSON ({error})"
    else:
        found = content if isinstance(content, dict) else {}
        absent = [name for name in SECTIONS if not isinstance(found.get(name), list)]
        if not absent:
            return found
        what = f"holds no list of {' or '.join(absent)}"
    builder.problems.append(Problem(what, str(path), line, remedy=remedy))
    return None


class _Reader:
    """Groups annotations by image and category, then adds items whose image is sound."""

    def __init__(self, path: Path, builder: AnnotationBuilder) -> None:
        self.path = path
        self.builder = builder
        self.images: dict[int | str, Record] = {}
        self.bad: set[int | str] = set()  # ids of images that are left out
        self.categories: dict[int, str] = {}
        self.annotations: dict[int | str, dict[int, list[tuple[str, Record]]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def report(self, what: str, place: str = "", image: object = "", remedy: str = "") -> None:
        """Record a problem that concerns more than one item."""
        file = f"{self.path}, {place}" if place else str(self.path)
        self.builder.problems.append(Problem(what, file, image=str(image), remedy=remedy))

    def read_images(self, records: Sequence[Any]) -> None:
        """Index images by id; those that clash are left out, all of them."""
        ids: dict[str, int | str] = {}  # by file name
        for number, record in enumerate(records, start=1):
            key, name, what = _image_fault(record)
            if not what and key in self.images:
                what = f"image id {key!r} is listed twice"
            elif not what and name in ids:
                what = "file name is listed twice"
                self.bad.add(ids[name])
            if what:
                self.report(what, f"image number {number}", name, "mend or remove the entry")
                self.bad.add(key)
            self.images.setdefault(key, record)
            ids.setdefault(name, key)

    def read_categories(self, records: Sequence[Any]) -> None:
        """Index categories by id."""
        for number, record in enumerate(records, start=1):
            entry = record if isinstance(record, dict) else {}
            key, name = entry.get("id"), entry.get("name")
            place, remedy = f"category number {number}", "mend or remove the entry"
            if not is_whole(key) or not isinstance(name, str):
                self.report("needs an 'id' (a whole number) and a 'name'", place, "", remedy)
            elif key in self.categories:
                self.report(f"category id {key} is listed twice", place, "", remedy)
            else:
                self.categories[key] = name

    def read_annotations(self, records: Sequence[Any]) -> None:
        """Group annotations; one that fits no image or category is a problem."""
        labels = {key: label for label, key in enumerate(sorted(self.categories))}
        for number, record in enumerate(records, start=1):
            entry = record if isinstance(record, dict) else {}
            place = f"annotation {entry.get('id', f'number {number}')}"
            key, category = entry.get("image_id"), entry.get("category_id")
            if not isinstance(key, int | str) or key not in self.images:
                what = f"image_id {key!r} is not among the images"
                self.report(what, place, remedy="mend or remove the annotation")
            elif key in self.bad:
                continue
            elif not is_whole(category) or category not in labels:
                what = f"category_id {category!r} is not among the categories"
                name = self.images[key]["file_name"]
                self.report(what, place, name, "mend or remove the annotation")
                self.bad.add(key)
            else:
                self.annotations[key][labels[category]].append((place, entry))

    def add_items(self) -> None:
        """Add the items of every sound image, and masks by name where the file has none."""
        crowded: list[str] = []
        segmented = False
        for key, image in self.images.items():
            if key in self.bad:
                continue
            groups = self.annotations.get(key, {})
            objects = {
                label: group
                for label, group in groups.items()
                if not all(entry.get("iscrowd") == 1 for _, entry in group)
            }
            self.builder.warnings["images_without_annotation"] += not groups
            self.builder.unannotated += [] if objects else [image["file_name"]]
            self.builder.warnings["crowd_only"] += len(groups) - len(objects)
            crowded += [image["file_name"]] * (len(objects) > 1)
            for label, name in item_names(image["file_name"], objects).items():
                segmented |= self._add_item(name, image, label, objects[label])
        if not segmented:
            add_masks_by_image(self.builder, self.path, crowded)

    def _add_item(
        self, name: str, image: Record, label: int, group: Sequence[tuple[str, Record]]
    ) -> bool:
        """Add an item with its boxes and masks; tell whether an object has a segmentation."""
        size = (image["width"], image["height"])
        file, file_name = str(self.path), image["file_name"]
        self.builder.item(name, file=file, image=file_name, label=label, size=size)
        if not self.builder.known(name, file, 0):
            return False
        sources: list[MaskSource | None] = []
        for place, entry in group:
            where = f"{self.path}, {place}"
            try:
                if _is_crowd(entry):
                    self._add_crowd(name, segmentation(entry, size), where)
                else:
                    self.builder.add_box(name, _corners(entry), where)
                    sources.append(segmentation(entry, size))
            except Fault as fault:
                self.builder.refuse(name, str(fault), where, 0, "mend or remove the annotation")
        return self._add_objects(name, sources)

    def _add_crowd(self, name: str, source: MaskSource | None, where: str) -> None:
        if source is None:
            self.builder.warnings["crowds_without_segmentation"] += 1
        else:
            self.builder.add_mask(name, source, where, ignore=True)

    def _add_objects(self, name: str, sources: Sequence[MaskSource | None]) -> bool:
        """Add masks unless an object has none: the others alone would count it as background."""
        masks = [source for source in sources if source is not None]
        if len(masks) == len(sources):
            for source in masks:
                self.builder.add_mask(name, source, str(self.path))
        elif masks:
            self.builder.warnings["objects_without_segmentation"] += len(sources) - len(masks)
        return bool(masks)


def _image_fault(record: object) -> tuple[int | str, str, str]:
    """Return an image's id, its file name, and what is wrong with its entry or nothing."""
    entry = record if isinstance(record, dict) else {}
    key, name = entry.get("id"), entry.get("file_name")
    width, height = entry.get("width"), entry.get("height")
    what = ""
    if not (is_whole(width) and is_whole(height) and width > 0 and height > 0):
        what = f"width {width!r} and height {height!r} are not positive whole numbers"
    if not isinstance(name, str) or not name:
        name, what = "", "'file_name' is missing"
    if not isinstance(key, int | str):
        key, what = "", "'id' is missing"
    return key, name, what


def _is_crowd(entry: Record) -> bool:
    crowd = entry.get("iscrowd", 0)
    if crowd not in (0, 1):
        raise Fault(f"iscrowd is {crowd!r}, which is neither 0 nor 1")
    return bool(crowd)


def _corners(entry: Record) -> tuple[float, float, float, float]:
    try:
        numbers = numbers_of(entry.get("bbox"))
    except Fault as fault:
        raise Fault(f"bbox {fault}") from None
    if len(numbers) != 4:
        raise Fault(f"bbox has {len(numbers)} numbers where x, y, width, height are needed")
    x, y, width, height = numbers
    if width < 0 or height < 0:
        raise Fault(f"bbox has a negative width or height ({width:g} x {height:g})")
    return x, y, x + width, y + height

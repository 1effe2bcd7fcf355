"""Prepared objects on disk: crops, part masks and tables, all that sequences are made of.

objects.csv     object, image, category, class, instance; the photograph's size; the tight box
                and the context box in its pixels (ends exclusive)
parts.csv       object, part, pixels, share of the object
schemes.csv     category, part, added: what a category's parts are, in the scheme's order
fixations.csv   object, subject, order, x, y in the pixels of the context crop
context/, tight/   OBJECT.png: the crop with its surroundings, and the object's box alone
masks/          OBJECT.npz: parts and object over the context crop
left_out.csv    object, reason
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.photographs import read_photograph
from sightline.errors import DataError, Problem, UsageError
from sightline.rows import write_whole
from sightline.types import Fixation

Picture = NDArray[np.uint8]  # (height, width, 3), red first
Mask = NDArray[np.bool_]  # (height, width)
Box = tuple[int, int, int, int]  # x0, y0, x1, y1; ends exclusive

OBJECTS = (
    *("object", "image", "category", "class", "instance", "width", "height"),
    *("x0", "y0", "x1", "y1", "cx0", "cy0", "cx1", "cy1"),
)
PARTS = ("object", "part", "pixels", "share")
SCHEMES = ("category", "part", "added")
FIXATIONS = ("object", "subject", "order", "x", "y")
LEFT_OUT = ("object", "reason")
OBJECT = "object"  # the name of the object's own mask beside its parts'
PREFIX = "part:"


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as the tables have it."""

    name: str
    image: str
    category: str
    kind: str  # the data set's class
    instance: int
    size: tuple[int, int]  # of the photograph
    tight: Box  # in the photograph
    context: Box

    @property
    def inner(self) -> Box:
        """Give the tight box in the pixels of the context crop."""
        x, y = self.context[:2]
        x0, y0, x1, y1 = self.tight
        return x0 - x, y0 - y, x1 - x, y1 - y


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """Where parts are in the context crop; parts of which nothing is to be seen are not there."""

    parts: Mapping[str, Mask]
    whole: Mask  # the object


class Prepared:
    """A folder of prepared objects; pictures and masks are read when they are asked for."""

    def __init__(self, root: Path) -> None:
        if not (root / "objects.csv").is_file():
            raise UsageError(f"{root}: holds no objects.csv; make it by 'sightline parts prepare'")
        self.root = root
        self.objects = tuple(_listed(root / "objects.csv"))
        self.schemes = _schemes(root / "schemes.csv")
        self.fixations = _fixations(root / "fixations.csv")
        if not self.objects:
            raise UsageError(f"{root}: no object is prepared; left_out.csv tells why")

    @property
    def categories(self) -> tuple[str, ...]:
        """List the categories of which there are objects, sorted."""
        return tuple(sorted({one.category for one in self.objects}))

    def of(self, category: str) -> Iterator[Listed]:
        """Give the objects of a category."""
        return (one for one in self.objects if one.category == category)

    def context(self, one: Listed) -> Picture:
        """Read an object with its surroundings."""
        return read_photograph(self.root / "context" / f"{one.name}.png")

    def masks(self, one: Listed) -> Masks:
        """Read where an object and its parts are."""
        return read_masks(self.root / "masks" / f"{one.name}.npz")


def write_object(root: Path, one: Listed, photograph: Picture, masks: Masks) -> None:
    """Write an object's crops and masks; masks are those of its context crop."""
    for folder, (x0, y0, x1, y1) in (("context", one.context), ("tight", one.tight)):
        file = root / folder / f"{one.name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        crop = np.ascontiguousarray(photograph[y0:y1, x0:x1, ::-1])
        if not cv2.imwrite(str(file), crop, [cv2.IMWRITE_PNG_COMPRESSION, 3]):
            raise UsageError(f"{file}: cannot be written")
    file = root / "masks" / f"{one.name}.npz"
    file.parent.mkdir(parents=True, exist_ok=True)
    layers = {OBJECT: masks.whole, **{PREFIX + name: m for name, m in masks.parts.items()}}
    packed = {name: np.packbits(layer, axis=None) for name, layer in layers.items()}
    np.savez_compressed(file, allow_pickle=False, shape=np.array(masks.whole.shape), **packed)


def read_masks(file: Path) -> Masks:
    """Read masks as `write_object` wrote them."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            height, width = (int(side) for side in stored["shape"])
            layers = {
                name: np.unpackbits(stored[name], count=height * width)
                .reshape(height, width)
                .view(np.bool_)
                for name in stored.files
                if name != "shape"
            }
        whole = layers.pop(OBJECT)
    except Exception as error:  # a damaged file raises nearly anything
        what = f"holds no masks of parts ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(file), remedy="prepare the parts again")]) from None
    return Masks({name.removeprefix(PREFIX): layer for name, layer in layers.items()}, whole)


def context_of(tight: Box, size: tuple[int, int], share: float, sides: str) -> Box:
    """Extend a box by a share of its width and height, in all or on each side, within an image."""
    x0, y0, x1, y1 = tight
    factor = share / 2 if sides == "total" else share
    across, down = math.floor(factor * (x1 - x0) + 0.5), math.floor(factor * (y1 - y0) + 0.5)
    width, height = size
    return max(0, x0 - across), max(0, y0 - down), min(width, x1 + across), min(height, y1 + down)


def has_room(tight: Box, size: tuple[int, int], share: float) -> bool:
    """Tell whether an image is larger than its object by a share in one direction at least."""
    x0, y0, x1, y1 = tight
    return size[0] >= (1 + share) * (x1 - x0) or size[1] >= (1 + share) * (y1 - y0)


def box_around(mask: Mask) -> Box:
    """Give the smallest box around what is set."""
    rows, columns = (np.flatnonzero(mask.any(axis)) for axis in (1, 0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def write_table(file: Path, columns: Sequence[str], lines: Iterable[Sequence[object]]) -> None:
    """Write a table whole or not at all."""
    import io

    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows(lines)
    write_whole(file, text.getvalue())


def read_table(file: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Give the lines of a table with their numbers; columns beyond those needed are welcome."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            lacking = [name for name in columns if name not in (reader.fieldnames or ())]
            if lacking:
                raise _fault(file, 1, f"has no column '{lacking[0]}'", f"write {','.join(columns)}")
            for row in reader:
                yield reader.line_num, {k: (v or "").strip() for k, v in row.items() if k}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _fault(file, 0, f"cannot be read as CSV ({error})", "replace it") from None


def whole_numbers(file: Path, line: int, row: Mapping[str, str], names: Sequence[str]) -> list[int]:
    """Read some columns as whole numbers."""
    try:
        return [int(row[name]) for name in names]
    except ValueError:
        what = f"{', '.join(names)} are no whole numbers"
        raise _fault(file, line, what, "mend the line") from None


def numbers(file: Path, line: int, row: Mapping[str, str], names: Sequence[str]) -> list[float]:
    """Read some columns as finite numbers."""
    try:
        found = [float(row[name]) for name in names]
    except ValueError:
        found = [math.nan]
    if not all(map(math.isfinite, found)):
        raise _fault(file, line, f"{', '.join(names)} are no numbers", "mend the line")
    return found


def _fault(file: Path, line: int, what: str, remedy: str) -> DataError:
    return DataError([Problem(what, str(file), line, remedy=remedy)])


def _listed(file: Path) -> Iterator[Listed]:
    for line, row in read_table(file, OBJECTS):
        instance, width, height, *ends = whole_numbers(file, line, row, OBJECTS[4:])
        tight, context = (ends[0], ends[1], ends[2], ends[3]), (ends[4], ends[5], ends[6], ends[7])
        name, image, category, kind = (row[column] for column in OBJECTS[:4])
        yield Listed(name, image, category, kind, instance, (width, height), tight, context)


def _schemes(file: Path) -> dict[str, tuple[str, ...]]:
    """Read which parts a category has."""
    found: dict[str, list[str]] = {}
    for _, row in read_table(file, SCHEMES):
        found.setdefault(row["category"], []).append(row["part"])
    return {category: tuple(parts) for category, parts in found.items()}


def _fixations(file: Path) -> dict[str, tuple[Fixation, ...]]:
    found: dict[str, list[Fixation]] = {}
    for line, row in read_table(file, FIXATIONS) if file.is_file() else ():
        (order,) = whole_numbers(file, line, row, ("order",))
        x, y = numbers(file, line, row, ("x", "y"))
        found.setdefault(row["object"], []).append(Fixation(row["subject"], order, x, y))
    return {name: tuple(of) for name, of in found.items()}

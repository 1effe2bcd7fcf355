"""Table (.csv) with a header: image, then x0, y0, x1, y1, width, height, or mask; label if known.

One line is one object, so that an image may repeat. `mask` and the optional `ignore` are paths
below the folder of masks, or else the table's own; an empty cell names none. `label` is a whole
number counted from 0, or a name; names are sorted into classes. An image with several labels is
one item per label, called `image/LABEL`.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.finding import picture_folders
from sightline.data.formats._shared import (
    add_masks_by_image,
    item_names,
    read_text,
)
from sightline.data.paths import unsafe
from sightline.errors import Problem

BOX = ("x0", "y0", "x1", "y1")
SIZE = ("width", "height")
MASK = ("mask", "ignore")
KNOWN = ("image", *BOX, *SIZE, *MASK, "label")
EXPECTED = "columns are image, then x0, y0, x1, y1, width, height or mask, ignore; and label"


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    image: str
    label: str
    size: tuple[int, int]  # 0 where the table has none
    corners: tuple[float, ...]
    masks: tuple[str, str]


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    return path.suffix.lower() == ".csv" and path.is_file()


def read(path: Path, request: Request) -> Annotations:
    """Read the table."""
    builder = AnnotationBuilder(request)
    table = _Table(path, builder)
    rows = table.read_rows()
    classes = sorted({row.label for row in rows}) if table.named else []
    labels = {name: label for label, name in enumerate(classes)}
    images: dict[str, dict[int, list[_Row]]] = {}
    for row in rows:
        if row.image not in table.bad:
            label = labels[row.label] if table.named else int(row.label or -1)
            images.setdefault(row.image, {}).setdefault(label, []).append(row)
    for image, groups in images.items():
        for label, name in item_names(image, groups).items():
            table.add_item(name, label, groups[label])
    if "mask" not in table.columns:
        crowded = (image for image, groups in images.items() if len(groups) > 1)
        add_masks_by_image(builder, path, crowded)
    builder.picture_roots += picture_folders(path, ("images",), builder.images)
    return builder.build(classes)


class _Fault(ValueError):
    """What is wrong with one line, and the remedy."""

    def __init__(self, what: str, remedy: str = "mend the line") -> None:
        super().__init__(what)
        self.remedy = remedy


class _Table:
    """Parses lines, and remembers what has to agree between them."""

    def __init__(self, path: Path, builder: AnnotationBuilder) -> None:
        self.path = path
        self.builder = builder
        self.columns: tuple[str, ...] = ()
        self.named: bool | None = None  # whether labels are names; the first label tells
        self.bad: set[str] = set()  # images with a line that cannot be read
        self.sizes: dict[str, tuple[int, int]] = {}

    def read_rows(self) -> list[_Row]:
        """Parse every line that is sound."""
        text = read_text(self.path, self.builder)
        if text is None:
            return []
        reader = csv.reader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
        rows: list[_Row] = []
        try:
            self.columns = tuple(cell.strip() for cell in next(reader, []))
            what = _header_fault(self.columns)
            if what:
                self._report(what, 1, f"the {EXPECTED}")
                return []
            for cells in reader:
                rows.extend(self._row(cells, reader.line_num))
        except csv.Error as error:
            self._report(f"not a table: {error}", reader.line_num, "check quotes and commas")
        return rows

    def add_item(self, name: str, label: int, rows: Sequence[_Row]) -> None:
        """Add an item with the objects of its lines."""
        first, file = rows[0], str(self.path)
        self.builder.item(name, file=file, line=first.line, image=first.image, label=label)
        if not self.builder.known(name, file, first.line):
            return
        if any(first.size):
            self.builder.set_size(name, *first.size, file, first.line)
        root = self.builder.request.masks or self.path.parent
        for row in rows:
            if row.corners:
                self.builder.add_box(name, row.corners, file, row.line)
            for source, ignore in zip(row.masks, (False, True), strict=True):
                if source:
                    self.builder.add_mask(name, root / source, file, row.line, ignore=ignore)

    def _report(self, what: str, line: int, remedy: str) -> None:
        self.builder.problems.append(Problem(what, str(self.path), line, remedy=remedy))

    def _row(self, cells: Sequence[str], line: int) -> Iterator[_Row]:
        """Parse a line; nothing if it is blank or wrong."""
        if not any(cell.strip() for cell in cells):
            return
        image = dict(zip(self.columns, cells, strict=False)).get("image", "")
        try:
            if len(cells) != len(self.columns):
                raise _Fault(f"{len(cells)} columns where {len(self.columns)} are needed")
            yield self._parse(dict(zip(self.columns, cells, strict=True)), line)
        except _Fault as fault:
            self.builder.refuse(image, str(fault), str(self.path), line, fault.remedy)
            self.bad.add(image)

    def _parse(self, cells: Mapping[str, str], line: int) -> _Row:
        corners = tuple(_number(cells, name) for name in BOX if name in cells)
        return _Row(
            line, cells["image"], self._label(cells), self._size(cells), corners, _masks(cells)
        )

    def _label(self, cells: Mapping[str, str]) -> str:
        """Take a label as text, and see that it is of the kind of the first."""
        label = cells.get("label", "").strip()
        if "label" in cells and not label:
            raise _Fault("label is empty", "write a whole number or a name")
        whole = label.removeprefix("-").isdecimal()
        if whole and int(label) < 0:
            raise _Fault(f"label {label} is out of range", "count classes from 0")
        if label and self.named is None:
            self.named = not whole
        if label and self.named == whole:
            kinds = ("a name", "a whole number") if whole else ("a whole number", "a name")
            raise _Fault(f"label '{label}' is {kinds[1]} where the first is {kinds[0]}", "use one")
        return label

    def _size(self, cells: Mapping[str, str]) -> tuple[int, int]:
        if "width" not in cells:
            return 0, 0
        width, height = (_number(cells, name) for name in SIZE)
        if not (width > 0 and height > 0 and width.is_integer() and height.is_integer()):
            raise _Fault(f"size {width:g} x {height:g} is not positive whole numbers")
        size = int(width), int(height)
        if self.sizes.setdefault(cells["image"], size) != size:
            raise _Fault("size differs from that of an earlier line of this image")
        return size


def _header_fault(columns: Sequence[str]) -> str:
    """Tell what is wrong with the header, or nothing."""
    unknown = [name for name in columns if name not in KNOWN]
    if unknown:
        return f"unknown column '{unknown[0]}'"
    boxes = "mask" not in columns or any(name in columns for name in BOX)
    needed = ["image", *(BOX if boxes else ())]
    needed += SIZE if boxes or any(name in columns for name in SIZE) else ()
    absent = [name for name in needed if name not in columns]
    if absent:
        return f"no column '{absent[0]}'"
    return "a column is named twice" if len(set(columns)) < len(columns) else ""


def _number(cells: Mapping[str, str], name: str) -> float:
    try:
        value = float(cells[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _Fault(f"{name} is '{cells[name]}' where a number is needed")
    return value


def _masks(cells: Mapping[str, str]) -> tuple[str, str]:
    """Take the mask and what to ignore; a line must name its object's mask if it has a box."""
    mask, ignore = (cells.get(name, "") for name in MASK)
    if "mask" in cells and not mask and ("x0" in cells or not ignore):
        raise _Fault("names no mask", "write the mask's file name")
    for source in filter(None, (mask, ignore)):
        reason = unsafe(source)
        if reason:
            raise _Fault(f"mask name '{source}' is {reason}", "use a plain name")
    return mask, ignore

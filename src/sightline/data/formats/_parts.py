"""Object parts and fixations that lie beside the lists of a reference folder.

`parts.csv` has the columns `image,part,instance,value,pixels`: the pixels of `value` in
`parts/IMAGE.png` are the part, of which `pixels` are to be seen. `NAME_boxes.txt`, a list of
`image,x0,y0,x1,y1`, gives the boxes of the part NAME. `fixations.csv` has the columns
`image,subject,order,x,y`.
"""

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder
from sightline.data.formats._shared import beside, read_text
from sightline.errors import Problem
from sightline.types import Fixation, Layer, Part, Polygons

PARTS = ("image", "part", "instance", "value", "pixels")
FIXATIONS = ("image", "subject", "order", "x", "y")
BOXES = "_boxes.txt"


def read_parts(folder: Path, builder: AnnotationBuilder) -> None:
    """Read what is known of parts, as masks or as boxes."""
    table = beside(folder, "parts.csv")
    for line, row in _rows(table, PARTS, builder) if table else ():
        values = _whole(row, ("instance", "value", "pixels"))
        if values is None or values[1] < 1:
            _refuse(builder, table, line, "instance, value and pixels are no whole numbers")
        elif table and builder.has(row["image"]):
            instance, value, pixels = values
            file = (table.parent / "parts" / row["image"]).with_suffix(".png")
            source = Layer(file, value) if pixels else None
            builder.add_part(row["image"], Part(row["part"], source, instance))
    for file in sorted(folder.glob(f"*{BOXES}")):
        _read_boxes(file, file.name.removesuffix(BOXES), builder)


def _read_boxes(file: Path, part: str, builder: AnnotationBuilder) -> None:
    lines = (read_text(file, builder) or "").splitlines()
    for line, text in enumerate(lines, start=1):
        name, *corners = text.rsplit(",", 4)
        try:
            x0, y0, x1, y1 = map(float, corners)
        except ValueError:
            _refuse(builder, file, line, f"'{text}' is not image,x0,y0,x1,y1")
            continue
        if builder.has(name):
            width, height = builder.size_of(name)
            ring = (x0, y0, x1, y0, x1, y1, x0, y1)
            builder.add_part(name, Part(part, Polygons((ring,), height, width)))


def read_fixations(folder: Path, builder: AnnotationBuilder) -> None:
    """Read where subjects looked."""
    table = beside(folder, "fixations.csv")
    for line, row in _rows(table, FIXATIONS, builder) if table else ():
        order, place = _whole(row, ("order",)), _finite(row, ("x", "y"))
        if order is None or place is None:
            _refuse(builder, table, line, "order, x and y are no numbers")
        elif builder.has(row["image"]):
            builder.add_fixation(row["image"], Fixation(row["subject"], order[0], *place))


def _rows(
    table: Path, columns: tuple[str, ...], builder: AnnotationBuilder
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the lines of a table, or report that it is not one."""
    lines = (read_text(table, builder) or "").splitlines()
    reader = csv.DictReader(lines, restval="")
    if not set(columns) <= set(reader.fieldnames or ()):
        _refuse(builder, table, 1, f"lacks one of the columns {', '.join(columns)}")
        return
    for row in reader:
        yield reader.line_num, row


def _whole(row: Mapping[str, str], names: tuple[str, ...]) -> list[int] | None:
    try:
        values = [int(row[name]) for name in names]
    except ValueError:
        return None
    return values if min(values) >= 0 else None


def _finite(row: Mapping[str, str], names: tuple[str, ...]) -> list[float] | None:
    try:
        values = [float(row[name]) for name in names]
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


def _refuse(builder: AnnotationBuilder, file: Path | None, line: int, what: str) -> None:
    builder.problems.append(Problem(what, str(file), line, remedy="mend the line"))

"""Folder of PASCAL VOC annotations, one XML file an image, nested or not.

Paper: Everingham et al., The PASCAL Visual Object Classes Challenge, IJCV 2010

An image's id is the path of its XML file below the folder, without `.xml`; an item is one object
name in one image: the id, or `id/LABEL` where an image holds several names. Classes are the sorted
names. Corners are taken as written, as the released ILSVRC lists take them, although VOC itself
counts pixels from 1 and includes the last: `one_based` converts such corners. Difficult objects
are kept and counted.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.formats._shared import add_masks_by_image, item_names

SIDES = ("xmin", "ymin", "xmax", "ymax")
Corners = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Object:
    name: str
    corners: Corners
    place: str  # the file and the object's number in it


@dataclass(frozen=True, slots=True)
class _Record:
    image: str
    file: str
    size: tuple[int, int]
    objects: tuple[_Object, ...]


class _Fault(ValueError):
    """What is wrong with one file, and where."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    return path.is_dir() and any(_files(path))


def read(path: Path, request: Request) -> Annotations:
    """Read every XML file below the folder."""
    builder = AnnotationBuilder(request)
    found = [_read_file(file, path, builder) for file in sorted(_files(path))]
    records = [record for record in found if record]
    classes = sorted({thing.name for record in records for thing in record.objects})
    labels = {name: label for label, name in enumerate(classes)}
    crowded = [_add_items(record, labels, builder) for record in records]
    add_masks_by_image(builder, path, filter(None, crowded))
    return builder.build(classes)


def one_based(corners: Sequence[float]) -> Corners:
    """Convert corners that count pixels from 1 and include the last to those of this package."""
    x0, y0, x1, y1 = corners
    return x0 - 1, y0 - 1, x1, y1


def _files(root: Path) -> Iterator[Path]:
    """Walk through the XML files below a folder, except hidden ones."""
    return (file for file in root.rglob("*.xml") if not file.name.startswith("."))


def _add_items(record: _Record, labels: dict[str, int], builder: AnnotationBuilder) -> str:
    """Add the items of an image; return its id if they are several."""
    names = item_names(record.image, (labels[thing.name] for thing in record.objects))
    for label, name in names.items():
        builder.item(name, file=record.file, image=record.image, label=label, size=record.size)
        if not builder.known(name, record.file, 0):
            continue
        for thing in record.objects:
            if labels[thing.name] == label:
                builder.add_box(name, thing.corners, thing.place)
    return record.image if len(names) > 1 else ""


def _read_file(file: Path, root: Path, builder: AnnotationBuilder) -> _Record | None:
    image = file.relative_to(root).as_posix().removesuffix(".xml")
    try:
        tree = _parse(file)
        elements = tree.findall("object")
        builder.warnings["images_without_annotation"] += not elements
        builder.warnings["difficult_objects"] += sum(map(_is_difficult, elements))
        if not elements:
            builder.unannotated.append(image)
            return None
        objects = tuple(_object(element, i, file) for i, element in enumerate(elements, start=1))
        return _Record(image, str(file), _size(tree), objects)
    except _Fault as fault:
        builder.refuse(image, str(fault), str(file), fault.line, "mend or remove the file")
        return None


class _NoDoctype(ElementTree.TreeBuilder):
    """Stops where a document type begins: only there can entities be declared that explode."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Refuse."""
        raise _Fault("declares a document type (<!DOCTYPE), which is refused as unsafe")


def _parse(file: Path) -> ElementTree.Element:
    try:
        data = file.read_bytes()
        tree = ElementTree.fromstring(data, ElementTree.XMLParser(target=_NoDoctype()))
    except ElementTree.ParseError as error:
        raise _Fault(f"broken XML: {error}", error.position[0]) from None
    except OSError as error:
        raise _Fault(f"cannot be read ({error.strerror})") from None
    except _Fault:
        raise
    except (LookupError, ValueError) as error:  # an encoding that the parser does not know
        raise _Fault(f"broken XML: {error}", 1) from None
    if tree.tag != "annotation":
        raise _Fault(f"is <{tree.tag}> where <annotation> is needed")
    return tree


def _is_difficult(element: ElementTree.Element) -> bool:
    return (element.findtext("difficult") or "").strip() == "1"


def _number(element: ElementTree.Element, path: str) -> float:
    """Take a number below an element; not a number if it is absent or is none."""
    try:
        return float(element.findtext(path) or "")
    except ValueError:
        return math.nan


def _size(tree: ElementTree.Element) -> tuple[int, int]:
    width, height = (_number(tree, f"size/{side}") for side in ("width", "height"))
    if not all(side > 0 and side.is_integer() for side in (width, height)):
        raise _Fault("has no <size> with a positive whole <width> and <height>")
    return int(width), int(height)


def _object(element: ElementTree.Element, number: int, file: Path) -> _Object:
    name = (element.findtext("name") or "").strip()
    if not name:
        raise _Fault(f"object {number} has no <name>")
    corners = [_number(element, f"bndbox/{side}") for side in SIDES]
    if not all(map(math.isfinite, corners)):
        raise _Fault(f"object {number} ({name}) has no <bndbox> with numbers {', '.join(SIDES)}")
    x0, y0, x1, y1 = corners
    return _Object(name, (x0, y0, x1, y1), f"{file}, object {number}")

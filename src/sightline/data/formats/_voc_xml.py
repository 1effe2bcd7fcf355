"""Annotations of one image as VOC's XML: its size, and objects with a name and a box."""

import math
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

SIDES = ("xmin", "ymin", "xmax", "ymax")
Corners = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Thing:
    """An object."""

    name: str
    corners: Corners  # as written
    place: str  # the file and the object's number in it
    difficult: bool


@dataclass(frozen=True, slots=True)
class Record:
    """What a file says."""

    size: tuple[int, int]  # width and height
    things: tuple[Thing, ...]


class Fault(ValueError):
    """What is wrong with one file, and where."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line


def read_record(file: Path) -> Record:
    """Read a file; one without objects needs no size."""
    tree = _parse(file)
    elements = tree.findall("object")
    things = tuple(_thing(element, i, file) for i, element in enumerate(elements, start=1))
    return Record(_size(tree) if things else (0, 0), things)


class _NoDoctype(ElementTree.TreeBuilder):
    """Stops where a document type begins: only there can entities be declared that explode."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Refuse."""
        raise Fault("declares a document type (<!DOCTYPE), which is refused as unsafe")


def _parse(file: Path) -> ElementTree.Element:
    try:
        data = file.read_bytes()
        tree = ElementTree.fromstring(data, ElementTree.XMLParser(target=_NoDoctype()))
    except ElementTree.ParseError as error:
        raise Fault(f"broken XML: {error}", error.position[0]) from None
    except OSError as error:
        raise Fault(f"cannot be read ({error.strerror})") from None
    except Fault:
        raise
    except (LookupError, ValueError) as error:  # an encoding that the parser does not know
        raise Fault(f"broken XML: {error}", 1) from None
    if tree.tag != "annotation":
        raise Fault(f"is <{tree.tag}> where <annotation> is needed")
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
        raise Fault("has no <size> with a positive whole <width> and <height>")
    return int(width), int(height)


def _thing(element: ElementTree.Element, number: int, file: Path) -> Thing:
    name = (element.findtext("name") or "").strip()
    if not name:
        raise Fault(f"object {number} has no <name>")
    corners = [_number(element, f"bndbox/{side}") for side in SIDES]
    if not all(map(math.isfinite, corners)):
        raise Fault(f"object {number} ({name}) has no <bndbox> with numbers {', '.join(SIDES)}")
    x0, y0, x1, y1 = corners
    place = f"{file}, object {number}"
    return Thing(name, (x0, y0, x1, y1), place, _is_difficult(element))

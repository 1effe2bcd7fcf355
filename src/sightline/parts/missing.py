"""Parts of the scheme that an object lacks: what is worth drawing, and what was drawn elsewhere.

Paper: Sarvadevabhatla et al., supplement A, sections 2 and 2.2

An annotator skips an object that is too small or too blurred, or of whose missing parts fewer than
half can be drawn; each category needs 150.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.masks import read_source
from sightline.errors import DataError, Problem, UsageError
from sightline.parts.prepared import Listed, Prepared, read_table, write_table
from sightline.parts.schemes import Schemes
from sightline.types import Polygons

Mask = NDArray[np.bool_]
COLUMNS = (
    *("object", "category", "missing", "parts", "half", "width", "height", "sharpness"),
    *("advice", "guideline"),
)
DRAWN = ("object", "part", "points")
SMALL = 64  # pixels: the shorter side of an object that is worth the trouble
BLURRED = 30.0  # variance of the Laplacian below which details are not to be seen
WANTED = 150  # objects of a category
GUIDELINES = {  # of the supplement, for categories with many small parts
    ("aeroplane", "window"): "at least 6 windows, spread over the fuselage",
    ("bicycle", "spokes"): "spokes as circular sectors, at least 6 in a wheel",
    ("cat", "whiskers"): "whiskers as 3 to 4 regions on each side; none that is mostly background",
    ("train", "window"): "at least 6 windows",
}


@dataclass(frozen=True, slots=True)
class Shortlisted:
    """An object and the parts of its scheme that it lacks."""

    object: Listed
    missing: tuple[str, ...]
    sharpness: float
    advice: str  # draw, or why not

    @property
    def half(self) -> int:
        """Give the number of parts that must be drawn at least."""
        return -(-len(self.missing) // 2)


def shortlist(prepared: Prepared, schemes: Schemes, most: int = WANTED) -> list[Shortlisted]:
    """List objects that lack parts, those that lack least first, the small and blurred ones last.

    Beyond `most` suitable objects of a category the rest is spare.
    """
    found = []
    for one in prepared.objects:
        scheme = schemes.of(one.category)
        parts = scheme.parts if scheme and scheme.rows else prepared.schemes[one.category]
        there = prepared.masks(one).parts
        missing = tuple(part for part in parts if part not in there)
        if missing:
            sharp = _sharpness(prepared, one)
            found.append(Shortlisted(one, missing, sharp, _advice(one, sharp)))
    found.sort(key=lambda s: (s.object.category, s.advice != "draw", len(s.missing), s.object.name))
    count: dict[str, int] = defaultdict(int)
    told = []
    for one_of in found:
        count[one_of.object.category] += one_of.advice == "draw"
        spare = one_of.advice == "draw" and count[one_of.object.category] > most
        told.append(
            Shortlisted(one_of.object, one_of.missing, one_of.sharpness, "spare")
            if spare
            else one_of
        )
    return told


def write_shortlist(found: Sequence[Shortlisted], file: Path) -> None:
    """Write the list as a table."""
    lines = []
    for one in found:
        x0, y0, x1, y1 = one.object.tight
        told = [GUIDELINES.get((one.object.category, part), "") for part in one.missing]
        missing, notes = "|".join(one.missing), "; ".join(filter(None, told))
        kind = (one.object.name, one.object.category, missing, len(one.missing), one.half)
        lines.append((*kind, x1 - x0, y1 - y0, f"{one.sharpness:.1f}", one.advice, notes))
    write_table(file, COLUMNS, lines)


def _sharpness(prepared: Prepared, one: Listed) -> float:
    x0, y0, x1, y1 = one.inner
    gray = cv2.cvtColor(prepared.context(one)[y0:y1, x0:x1], cv2.COLOR_RGB2GRAY)
    return float(cv2.Laplacian(gray, cv2.CV_64F).var())


def _advice(one: Listed, sharpness: float) -> str:
    x0, y0, x1, y1 = one.tight
    if min(x1 - x0, y1 - y0) < SMALL:
        return "too small"
    return "too blurred" if sharpness < BLURRED else "draw"


Drawn = dict[str, list[tuple[str, Mask]]]


def read_drawn(place: Path, prepared: Prepared, schemes: Schemes) -> tuple[Drawn, list[str]]:
    """Read parts that were drawn on context crops, and say whose fewer than half were drawn.

    Args:
        place: a CSV of object, part and points `x y x y ...`, or a folder of LabelMe's JSON files
            named as the crops.
        prepared: the objects as they were, whose crops were drawn on.
        schemes: what parts there are.
    """
    known = {one.name: one for one in prepared.objects}
    rings: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    for name, part, ring, where, line in _shapes(place):
        if name not in known:
            remedy = "name it as in objects.csv"
            raise DataError([Problem(f"no object is called '{name}'", where, line, remedy=remedy)])
        scheme = schemes.of(known[name].category)
        if scheme is not None and scheme.rows and part not in scheme.parts:
            what = f"{known[name].category} has no part '{part}'"
            remedy = f"its parts are {', '.join(scheme.parts)}"
            raise DataError([Problem(what, where, line, name, remedy)])
        if len(ring) < 6 or len(ring) % 2:
            what = f"a polygon of {len(ring)} numbers where 3 pairs or more are needed"
            raise DataError([Problem(what, where, line, name, "draw it again")])
        rings[name, part].append(ring)
    return _drawn(rings, known, prepared, schemes)


def _drawn(
    rings: Mapping[tuple[str, str], Sequence[tuple[float, ...]]],
    known: Mapping[str, Listed],
    prepared: Prepared,
    schemes: Schemes,
) -> tuple[Drawn, list[str]]:
    found: Drawn = defaultdict(list)
    for (name, part), shapes in rings.items():
        x0, y0, x1, y1 = known[name].context
        mask = read_source(Polygons(tuple(shapes), y1 - y0, x1 - x0)) > 0
        if not mask.any():
            what = f"'{part}' of {name} covers no pixel of its crop"
            raise DataError([Problem(what, str(prepared.root), remedy="draw it again")])
        found[name].append((part, mask))
    few = []
    for name, parts in found.items():
        scheme = schemes.of(known[name].category)
        there = prepared.masks(known[name]).parts
        missing = [p for p in (scheme.parts if scheme else ()) if p not in there]
        drawn = {part for part, _ in parts} & set(missing)
        if 2 * len(drawn) < len(missing):
            few.append(f"{name}: {len(drawn)} of {len(missing)} missing parts were drawn")
    return found, few


def _shapes(place: Path) -> Iterator[tuple[str, str, tuple[float, ...], str, int]]:
    """Give object, part, ring, file and line of each polygon."""
    if place.is_dir():
        files = sorted(place.rglob("*.json"))
        if not files:
            raise UsageError(f"{place}: holds no .json of drawn parts")
        for file in files:
            yield from _of_labelme(file, file.relative_to(place).with_suffix("").as_posix())
    else:
        for line, row in read_table(place, DRAWN):
            try:
                ring = tuple(map(float, row["points"].split()))
            except ValueError:
                ring = ()
            yield row["object"], row["part"], ring, str(place), line


def _of_labelme(file: Path, name: str) -> Iterator[tuple[str, str, tuple[float, ...], str, int]]:
    try:
        for shape in json.loads(file.read_text(encoding="utf-8"))["shapes"]:
            ring = tuple(float(value) for point in shape["points"] for value in point)
            yield name, str(shape["label"]), ring, str(file), 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"is no file of LabelMe ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(file), remedy="save it again")]) from None

"""Simplified part schemes: which annotations make a part, as a table of each category.

Paper: Sarvadevabhatla et al., supplement A, section 2

A table `CATEGORY.csv` has the columns

    raw      the name of an annotation; `wheel_*` stands for any that begins so, and `*rest` for
             what no other part of the object covers
    sided    its name when sides are kept: left eye
    part     its name when sides are dropped: eye
    merge    `alpha` where the annotations of one `sided` name are pieces of one thing, which is
             then closed by its alpha shape; elsewhere they are several things
    added    `yes` where the scheme has a part that the annotations lack; it counts once drawn

`categories.csv` beside them, with the columns `class` and `category`, gathers classes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import numpy as np

from sightline.errors import DataError, Problem, UsageError
from sightline.parts.alpha_shapes import Mask, convex_hull, merge
from sightline.parts.prepared import read_table

Sides = Literal["drop", "keep"]
COLUMNS = ("raw", "sided", "part", "merge", "added")
CATEGORIES = "categories.csv"
REST = "*rest"
AS_IS = "as-is"
SHIPPED = Path(__file__).parent / "schemes"


@dataclass(frozen=True, slots=True)
class Row:
    """An annotation and what it is simplified to."""

    raw: str
    sided: str
    part: str
    alpha: bool
    added: bool


@dataclass(frozen=True, slots=True)
class Scheme:
    """The parts of a category; without rows it takes annotations as they are named."""

    category: str
    rows: tuple[Row, ...] = ()
    sides: Sides = "drop"

    def name_of(self, row: Row) -> str:
        """Give a row's part."""
        return row.part if self.sides == "drop" else row.sided

    @property
    def parts(self) -> tuple[str, ...]:
        """List the parts in the order of the table."""
        return tuple(dict.fromkeys(self.name_of(row) for row in self.rows))

    @property
    def added(self) -> frozenset[str]:
        """List the parts that the annotations lack."""
        known = {self.name_of(row) for row in self.rows if not row.added}
        return frozenset(self.parts) - known

    def row(self, raw: str) -> Row | None:
        """Find the row of an annotation, or of a part that was drawn by its own name."""
        if not self.rows:
            return Row(raw, raw, raw, alpha=False, added=False)
        exact = [row for row in self.rows if raw and raw == row.raw]
        alike = [row for row in self.rows if row.raw != REST and fnmatchcase(raw, row.raw or "\0")]
        drawn = [row for row in self.rows if raw == self.name_of(row)]
        return next(iter([*exact, *alike, *drawn]), None)


@dataclass(frozen=True, slots=True)
class Closed:
    """What became of pieces: pixels, beside those of their convex hull."""

    radius: float
    pieces: int
    merged: int
    hull: int


@dataclass(frozen=True, slots=True)
class Simplified:
    """The parts of an object, and what was done for them."""

    parts: Mapping[str, Mask]
    closed: Mapping[str, "Closed"]  # parts that were in pieces
    unknown: tuple[str, ...]  # annotations that the scheme does not know
    clipped: int  # pixels outside the object


@dataclass(frozen=True, slots=True)
class Schemes:
    """The schemes of all categories."""

    name: str
    sides: Sides
    tables: Mapping[str, Scheme] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)  # by class

    def category(self, kind: str) -> str:
        """Give the category that a class belongs to."""
        return self.categories.get(kind, kind)

    def of(self, category: str) -> Scheme | None:
        """Give the scheme of a category; none where tables are given but not for this one."""
        if self.name == AS_IS:
            return Scheme(category, (), self.sides)
        return self.tables.get(category)


def read_schemes(place: str, sides: Sides, categories: Path | None = None) -> Schemes:
    """Read schemes: `as-is`, those shipped under a name, or a folder of tables."""
    gathered = _categories(categories) if categories else {}
    if place == AS_IS:
        return Schemes(place, sides, {}, gathered)
    folder = SHIPPED / place if (SHIPPED / place).is_dir() else Path(place)
    if not folder.is_dir():
        known = ", ".join([AS_IS, *shipped()])
        raise UsageError(f"no part scheme '{place}': neither {known} nor a folder of tables")
    files = sorted(file for file in folder.glob("*.csv") if file.name != CATEGORIES)
    if not files:
        raise UsageError(f"{folder}: holds no table CATEGORY.csv of parts")
    tables = {file.stem: Scheme(file.stem, tuple(_rows(file)), sides) for file in files}
    if (folder / CATEGORIES).is_file() and not gathered:
        gathered = _categories(folder / CATEGORIES)
    return Schemes(place, sides, tables, gathered)


def shipped() -> tuple[str, ...]:
    """List the schemes that come with the package."""
    return tuple(sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir()))


def copy_schemes(place: str, out: Path) -> list[Path]:
    """Write shipped tables to a folder where they can be edited."""
    if place not in shipped():
        raise UsageError(f"no part scheme '{place}' is shipped; there are {', '.join(shipped())}")
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for file in sorted((SHIPPED / place).glob("*.csv")):
        target = out / file.name
        if target.exists():
            raise UsageError(f"{target} is there already; name another folder")
        target.write_bytes(file.read_bytes())
        written.append(target)
    return written


def simplify(scheme: Scheme, raw: Iterable[tuple[str, Mask]], whole: Mask) -> Simplified:
    """Make an object's parts of its annotations, all of one size."""
    rows: dict[str, Row] = {}  # of each sided name
    pieces: dict[str, list[Mask]] = {}
    unknown, clipped = [], 0
    for name, mask in raw:
        row = scheme.row(name)
        if row is None:
            unknown.append(name)
            continue
        clipped += int((mask & ~whole).sum())
        if (mask & whole).any():
            rows[row.sided] = row
            pieces.setdefault(row.sided, []).append(mask & whole)
    parts: dict[str, Mask] = {}
    closed: dict[str, Closed] = {}
    for sided, masks in pieces.items():
        part, mask = scheme.name_of(rows[sided]), np.logical_or.reduce(masks)
        if rows[sided].alpha and len(masks) > 1:
            merged, union = merge(masks), mask
            mask = merged.mask
            if merged.radius:
                pixels = (int(m.sum()) for m in (union, mask, convex_hull(union)))
                closed[sided] = Closed(merged.radius, *pixels)
        parts[part] = parts[part] | mask if part in parts else mask
    for row in scheme.rows:
        if row.raw == REST:
            left = whole & ~np.logical_or.reduce([np.zeros_like(whole), *parts.values()])
            if left.any():
                parts[scheme.name_of(row)] = left
    order = scheme.parts or tuple(parts)
    return Simplified(
        {part: parts[part] for part in order if part in parts},
        closed,
        tuple(dict.fromkeys(unknown)),
        clipped,
    )


def _rows(file: Path) -> Iterable[Row]:
    seen: set[str] = set()
    for line, row in read_table(file, COLUMNS):
        added = row["added"] == "yes"
        what = _wrong(row, added, seen)
        if what:
            raise DataError([Problem(what, str(file), line, remedy="mend the line")])
        seen.add(row["raw"])
        yield Row(row["raw"], row["sided"], row["part"], row["merge"] == "alpha", added)


def _wrong(row: Mapping[str, str], added: bool, seen: set[str]) -> str:
    if not row["part"] or not row["sided"]:
        return "part or sided is empty"
    if row["merge"] not in ("", "alpha"):
        return f"merge is '{row['merge']}', which is neither empty nor alpha"
    if row["added"] not in ("", "yes"):
        return f"added is '{row['added']}', which is neither empty nor yes"
    if not row["raw"] and not added:
        return "raw is empty in a part that is not added"
    return f"raw '{row['raw']}' is listed twice" if row["raw"] and row["raw"] in seen else ""


def _categories(file: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line, row in read_table(file, ("class", "category")):
        if row["class"] in found or not row["class"] or not row["category"]:
            what = f"class '{row['class']}' is listed twice or without a category"
            raise DataError([Problem(what, str(file), line, remedy="mend the line")])
        found[row["class"]] = row["category"]
    return found


def counted(scheme: Scheme, present: Sequence[str]) -> list[tuple[str, bool]]:
    """List the parts that count, and whether they were added: an added one once it is drawn.

    Without a table they are those that any object has.
    """
    if not scheme.rows:
        return [(part, False) for part in sorted(set(present))]
    added = scheme.added
    return [(part, part in added) for part in scheme.parts if part not in added or part in present]

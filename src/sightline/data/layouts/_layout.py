"""What readers of released layouts need: lines of words, sizes of pictures, lists beside."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.formats import reference
from sightline.data.formats._shared import read_text
from sightline.data.photographs import inspect
from sightline.errors import DataError, Problem

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")


def words(file: Path, columns: int, builder: AnnotationBuilder) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a list of words with their numbers; `#` begins a comment."""
    lines = (read_text(file, builder) or "").splitlines()
    for line, text in enumerate(lines, start=1):
        cells = text.split(None, columns - 1)
        if not cells or text.startswith("#"):
            continue
        if len(cells) == columns:
            yield line, cells
        else:
            what = f"{len(cells)} words where {columns} are needed"
            builder.problems.append(Problem(what, str(file), line, remedy="mend the line"))


def whole(text: str, file: Path, line: int, builder: AnnotationBuilder) -> int | None:
    """Take a whole number from 0, or report that it is none."""
    if text.isdecimal():
        return int(text)
    what = f"'{text}' is not a whole number"
    builder.problems.append(Problem(what, str(file), line, remedy="mend the line"))
    return None


def size_of(picture: Path) -> tuple[int, int]:
    """Tell a picture's width and height as stored, 0 where it is missing or cannot be read."""
    try:
        return inspect(picture).size
    except DataError:
        return 0, 0


def pictures_in(folder: Path) -> list[str]:
    """List the pictures below a folder by their paths in it, sorted."""
    files = (file for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES)
    names = (file.relative_to(folder).as_posix() for file in files if not file.name.startswith("."))
    return sorted(names)


def read_lists(
    request: Request, lists: Iterable[Path], roots: Iterable[Path]
) -> Annotations | None:
    """Read released lists for pictures that lie elsewhere; nothing if there are no lists."""
    found = next((folder for folder in lists if (folder / "image_ids.txt").is_file()), None)
    if found is None:
        return None
    annotations = reference.read(found, request)
    places = tuple(root for root in roots if root.is_dir())
    return replace(annotations, picture_roots=(*places, *annotations.picture_roots))


def released_lists(root: Path, name: str, split: str) -> list[Path]:
    """Give the folders where the lists of the WSOL evaluation papers may lie."""
    bases = (root, root.parent)
    return [base / "metadata" / inner / split for base in bases for inner in (name, "")]


def weakly(request: Request) -> Request:
    """Ask for classes alone: training images need nothing localized."""
    return replace(request, localization=False)

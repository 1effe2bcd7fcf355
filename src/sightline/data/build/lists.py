"""Writing the lists of the reference format.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

As released: commas, no header, no newline behind the last line. A list with nothing to say (sizes
that are not known, places of objects in a train split) is left out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.data.paths import unsafe
from sightline.errors import DataError, Problem
from sightline.rows import write_whole

IDS, LABELS, SIZES, LOCALIZATION = "image_ids", "class_labels", "image_sizes", "localization"
LISTS = (LABELS, SIZES, LOCALIZATION, IDS)  # the one that makes the folder known comes last


@dataclass(frozen=True, slots=True)
class Listed:
    """An image of a split."""

    name: str
    label: int
    size: tuple[int, int] = (0, 0)  # width and height, 0 where unknown
    places: tuple[str, ...] = ()  # x0,y0,x1,y1 or MASK,IGNORE of each object


def write_lists(folder: Path, images: Sequence[Listed]) -> tuple[Path, ...]:
    """Write the lists of a split."""
    _check([image.name for image in images], folder)
    lines = {
        LABELS: [f"{image.name},{image.label}" for image in images],
        SIZES: [
            f"{image.name},{image.size[0]},{image.size[1]}" for image in images if image.size[0]
        ],
        LOCALIZATION: [f"{image.name},{place}" for image in images for place in image.places],
        IDS: [image.name for image in images],
    }
    written = []
    for name in LISTS:
        file = folder / f"{name}.txt"
        if lines[name]:
            write_whole(file, "\n".join(lines[name]))
            written.append(file)
        else:
            file.unlink(missing_ok=True)
    return tuple(written)


def write_classes(folder: Path, names: Sequence[str]) -> Path:
    """Write the classes' names, one a line, in the order of the labels."""
    file = folder / "class_names.txt"
    write_whole(file, "\n".join(names) + "\n")
    return file


def read_ids(folder: Path) -> list[str]:
    """Read the images that a folder of lists holds."""
    file = folder / f"{IDS}.txt"
    names = [line for _, line in read_lines(file)]
    _check(names, file)
    return names


def read_lines(file: Path) -> list[tuple[int, str]]:
    """Read the lines of a list that say something, with their numbers."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DataError([Problem("not UTF-8 text", str(file), line, "", "save as UTF-8")]) from None
    except OSError as error:
        what, remedy = f"cannot be read ({error.strerror})", "check the path"
        raise DataError([Problem(what, str(file), remedy=remedy)]) from None
    lines = text.replace("\r\n", "\n").split("\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _check(names: Sequence[str], file: Path) -> None:
    problems = [
        Problem(f"image id '{name}' is {reason}", str(file), image=name, remedy="use a plain id")
        for name in names
        if (reason := unsafe(name))
    ]
    problems += [
        Problem("image id is listed twice", str(file), image=name, remedy="rename one of them")
        for name, times in Counter(names).items()
        if times > 1
    ]
    if problems:
        raise DataError(problems)

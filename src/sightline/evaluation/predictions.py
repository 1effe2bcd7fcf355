"""A classifier's ranked classes for each image, from a CSV file."""

import csv
import math
from pathlib import Path

from sightline.errors import DataError, Problem, UsageError
from sightline.types import Split

Ranks = tuple[float, float]  # whether the class is in the top 1 and the top 5; NaN where unknown
UNKNOWN: Ranks = (math.nan, math.nan)


def read_ranks(
    file: Path, split: Split, *, skip_problems: bool = False
) -> tuple[dict[str, Ranks], list[Problem]]:
    """Read `image,class,class,...` (best first) and look each item's own class up.

    Classes are numbers counted from 0, or names if the ground truth names its classes. A first
    line whose second column is no class is a header. Fewer than five classes leave the top 5
    unknown.
    """
    if not file.is_file():
        raise UsageError(f"{file}: no such file of predictions")
    ranked, problems = _read(file, split)
    listed = {problem.image for problem in problems}
    problems += [
        Problem("no prediction for this image", str(file), image=item, remedy="add its line")
        for item, image in zip(split.ids, split.images, strict=True)
        if image not in ranked and image not in listed
    ]
    if problems and not skip_problems:
        raise DataError(problems, "--on-error skip")
    ranks = {
        item: _rank(ranked[image], int(label))
        for item, image, label in zip(split.ids, split.images, split.labels, strict=True)
        if image in ranked
    }
    return ranks, problems


def _rank(classes: list[int], label: int) -> Ranks:
    top5 = float(label in classes[:5]) if len(classes) >= 5 else math.nan
    return float(label == classes[0]), top5


def _read(file: Path, split: Split) -> tuple[dict[str, list[int]], list[Problem]]:
    known = set(split.images)
    names = {name: number for number, name in enumerate(split.classes)}
    ranked: dict[str, list[int]] = {}
    problems: list[Problem] = []
    with file.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        reader = csv.reader(stream)
        rows = ((reader.line_num, row) for row in reader if row)
        for i, (number, (image, *cells)) in enumerate(rows):
            try:
                classes = [_class(cell.strip(), names) for cell in cells if cell.strip()]
            except ValueError as error:
                if i > 0 or image in known:
                    problems.append(Problem(str(error), str(file), number, image))
                continue
            what = _fault(image, classes, known, ranked, len(split.classes))
            if what:
                problems.append(Problem(what, str(file), number, image, "mend the line"))
            else:
                ranked[image] = classes
    return ranked, problems


def _class(cell: str, names: dict[str, int]) -> int:
    if cell in names:
        return names[cell]
    try:
        return int(cell)
    except ValueError:
        raise ValueError(f"'{cell}' is neither a class number nor a known class") from None


def _fault(
    image: str, classes: list[int], known: set[str], ranked: dict[str, list[int]], total: int
) -> str:
    if image not in known:
        return "prediction for an unknown image"
    if image in ranked:
        return "image is predicted twice"
    if not classes:
        return "no class is predicted"
    outside = [c for c in classes if c < 0 or (total and c >= total)]
    if outside:
        return f"class {outside[0]} is out of range"
    return "a class is predicted twice" if len(set(classes)) < len(classes) else ""

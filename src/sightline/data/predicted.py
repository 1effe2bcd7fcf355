"""Predicted boxes in the reference format: `image,x0,y0,x1,y1`, one a line, in original pixels.

Beside them `no_box.txt` may list images for which none was found, with the reason: `image,reason`.
"""

import math
from pathlib import Path

from sightline.data.splits import asked
from sightline.errors import Problem, UsageError
from sightline.types import Split

Box = tuple[float, float, float, float]
WITHOUT = "no_box.txt"
EMPTY = (0.0, 0.0, 0.0, 0.0)  # as released files write it, and as a miss is counted


def read_predicted(folder: Path, split: Split) -> tuple[dict[str, Box], list[Problem]]:
    """Read one box an image. The box 0,0,0,0 means that none was found, and counts as a miss."""
    file = folder / "localization.txt" if folder.is_dir() else folder
    if not file.is_file():
        raise UsageError(f"{file}: no such file of boxes")
    known, boxes, problems = set(split.ids), {}, []
    text = file.read_bytes().decode("utf-8-sig", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, *corners = line.rsplit(",", 4)
        box, what = _box(corners)
        if name not in known:
            what = "box for an unknown image"
        elif name in boxes:
            what = "two boxes for one image"
        if what or box is None:
            problems.append(Problem(what, str(file), number, name, "mend the line"))
        else:
            boxes[name] = box
    without = _without(file.with_name(WITHOUT))
    boxes |= {name: EMPTY for name in without if name in known and name not in boxes}
    listed = {problem.image for problem in problems}
    boxes = {name: box for name, box in boxes.items() if name not in listed}
    missing = [name for name in split.ids if name not in boxes]
    remedy = f"list it in {WITHOUT}, or write 0,0,0,0, where none was found"
    problems += [
        Problem("no predicted box", str(file), image=name, remedy=remedy)
        for name in missing
        if name not in listed
    ]
    return boxes, problems


def without_box(place: str | Path, split: str = "") -> frozenset[str]:
    """List the images that a folder of pseudo boxes, or that of a split in it, lacks knowingly."""
    folders = [Path(place), *(Path(place) / name for name in asked(split).folders)]
    return frozenset(name for folder in folders for name in _without(folder / WITHOUT))


def _without(file: Path) -> list[str]:
    """Read which images are known to have no box."""
    if not file.is_file():
        return []
    lines = file.read_bytes().decode("utf-8-sig", "replace").splitlines()
    return [line.rpartition(",")[0] for line in lines if line.strip()]


def _box(corners: list[str]) -> tuple[Box | None, str]:
    try:
        x0, y0, x1, y1 = map(float, corners)
    except ValueError:
        return None, "not four numbers"
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        return None, f"box {','.join(corners)} is not finite"
    if min(x0, y0) < 0 or x0 > x1 or y0 > y1:
        return None, f"box {','.join(corners)} is inverted or negative"
    return (x0, y0, x1, y1), ""

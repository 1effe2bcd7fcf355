"""GLaS as released.

As released: `Grade.csv`, `train_1.bmp` with `train_1_anno.bmp`, `testA_*` and `testB_*` (together
the test split). The benchmark divides the 85 training images into 67 and 18. Its own list is read
where it lies in the folder (`valid_s_0_f_0.csv`, also below `folds/`). Without it a fifth of each
class, rounded up, is drawn by the images' names and seed 0, which gives as many.
"""

import csv
import math
from collections.abc import Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.build.sampling import draw
from sightline.data.datasets.glas import IMAGES
from sightline.data.formats._shared import read_text
from sightline.data.layouts._folds import add_fold, fold_file
from sightline.errors import Problem

CLASSES = ("benign", "malignant")
LABELS = {name: label for label, name in enumerate(CLASSES)}
VALIDATION, SEED = 0.2, 0


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    return ("train", "val", "test") if (_home(path) / "Grade.csv").is_file() else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split."""
    home = _home(path)
    builder = AnnotationBuilder(request)
    builder.picture_roots.append(home)
    listed = fold_file(path, request.split) or fold_file(home, request.split)
    if listed:
        add_fold(listed, home, LABELS, builder)
        return builder.build(CLASSES)
    grades = _grades(home / "Grade.csv", builder)
    for stem in _chosen(grades, request.split):
        name, mask = f"{stem}.bmp", home / f"{stem}_anno.bmp"
        builder.item(name, file=str(home / "Grade.csv"), label=grades[stem])
        if builder.has(name):
            builder.add_mask(name, mask, str(mask))
    return builder.build(CLASSES)


def _home(path: Path) -> Path:
    """Find the folder with the grades: the archive has one of its own."""
    inner = sorted(path.glob("Warwick*QU*Dataset*")) if path.is_dir() else []
    return inner[0] if inner and inner[0].is_dir() else path


def _grades(file: Path, builder: AnnotationBuilder) -> dict[str, int]:
    """Read the class of each image; the columns' names have blanks around them."""
    rows = csv.reader((read_text(file, builder) or "").splitlines(), skipinitialspace=True)
    header = [cell.strip() for cell in next(rows, [])]
    if "name" not in header or "grade (GlaS)" not in header:
        what = "has no columns 'name' and 'grade (GlaS)'"
        builder.problems.append(Problem(what, str(file), 1, remedy=IMAGES.how))
        return {}
    name, grade = header.index("name"), header.index("grade (GlaS)")
    found: dict[str, int] = {}
    for line, cells in enumerate(rows, start=2):
        if not any(cells):
            continue
        label = LABELS.get(cells[grade].strip()) if len(cells) > max(name, grade) else None
        if label is None:
            what = f"is not a name and a grade, {' or '.join(CLASSES)}"
            builder.problems.append(Problem(what, str(file), line, remedy="mend the line"))
        elif found.setdefault(cells[name].strip(), label) != label:
            what = "image is listed twice"
            builder.problems.append(Problem(what, str(file), line, cells[name], "remove one"))
    return found


def _chosen(grades: Mapping[str, int], split: str) -> list[str]:
    """Choose the images of a split."""
    if split == "test":
        return [name for name in grades if name.startswith("test")]
    training = [name for name in grades if name.startswith("train")]
    validation: set[str] = set()
    for label in range(len(CLASSES)):
        names = [name for name in training if grades[name] == label]
        validation.update(draw(names, math.ceil(VALIDATION * len(names)), SEED))
    return [name for name in training if (name in validation) == (split == "val")]

"""PASCAL-S as released.

As released: `datasets/imgs/pascal/1.jpg` to `850.jpg` and `datasets/fixations/pascalFix.mat`, a
cell an image with the rows y, x, subject, all counted from 1, in the order of looking. The file is
of MATLAB's version 7.3, which h5py reads; saved again as version 7 it is read without. There are
no classes, and nothing to localize but the fixations.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.datasets.pascal_s import ARCHIVE
from sightline.data.known import WHOLE
from sightline.data.layouts._layout import size_of, weakly
from sightline.data.mat_files import is_hdf5, read_variables
from sightline.errors import DataError, Problem
from sightline.types import Fixation

IMAGES, FIXATIONS = "imgs/pascal", "fixations/pascalFix.mat"


def splits(path: Path) -> tuple[str, ...]:
    """Tell whether a folder is as released; it is one whole."""
    return (WHOLE,) if (_home(path) / FIXATIONS).is_file() else ()


def read(path: Path, request: Request) -> Annotations:
    """Read images and fixations."""
    home = _home(path)
    builder = AnnotationBuilder(weakly(request))
    file = home / FIXATIONS
    try:
        cells = read_cells(file)
    except DataError as error:
        builder.problems += error.problems
        cells = []
    folder = home / IMAGES
    if not folder.is_dir():
        builder.problems.append(ARCHIVE.problem(path))
    for number, cell in enumerate(cells, start=1):
        name = f"{number}.jpg"
        builder.item(name, file=str(file), line=number, size=size_of(folder / name))
        _add_fixations(name, np.asarray(cell, np.float64), builder, f"{file}, image {number}")
    builder.picture_roots.append(folder)
    return builder.build()


def _home(path: Path) -> Path:
    return path / "datasets" if (path / "datasets").is_dir() else path


def read_cells(file: Path) -> list[Any]:
    """Read the rows (y, x, subject) of each image."""
    if not is_hdf5(file):
        cells = read_variables(file).get("fixCell")
        if cells is None:
            raise DataError([Problem("holds no fixCell", str(file), remedy=ARCHIVE.how)])
        return list(np.asarray(cells, object).reshape(-1))
    try:
        import h5py
    except ImportError:
        what = "is a MATLAB file of version 7.3"
        remedy = "install h5py ('pip install h5py'), or save it again with MATLAB's -v7"
        raise DataError([Problem(what, str(file), remedy=remedy)]) from None
    try:
        with h5py.File(file, "r") as content:
            references = np.asarray(content["fixCell"]).reshape(-1)
            return [np.asarray(content[reference]).T for reference in references]
    except Exception as error:  # a damaged file raises nearly anything
        what = f"holds no fixCell ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(file), remedy=ARCHIVE.how)]) from None


def _add_fixations(
    name: str, rows: np.ndarray[Any, Any], builder: AnnotationBuilder, where: str
) -> None:
    """Count the fixations of each subject in their order, and pixels from 0."""
    if not builder.has(name) or not rows.size:
        return
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        builder.refuse(name, "fixations are not rows of y, x, subject", where, 0, ARCHIVE.how)
        return
    seen: dict[int, int] = {}
    for y, x, subject in _triples(rows):
        order = seen.setdefault(int(subject), 0)
        seen[int(subject)] += 1
        builder.add_fixation(name, Fixation(f"{int(subject)}", order, x - 1, y - 1))


def _triples(rows: np.ndarray[Any, Any]) -> Sequence[Sequence[float]]:
    triples: Sequence[Sequence[float]] = rows.tolist()
    return triples

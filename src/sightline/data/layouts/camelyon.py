"""CAMELYON16 patches as the histology benchmark cuts them.

As the benchmark cuts them: `camelyon16/w-512xh-512/{normal,metastatic}-patches/...` and lists of
`image,mask,class` (`train_s_0_f_0.csv`, `valid_s_0_f_0.csv`, `test_s_0_f_0.csv`) in the folder or
below `folds/`. Normal patches name no mask: nothing in them is foreground. `val:6` draws the six
labelled images a class that the model is selected with.
"""

from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.datasets.camelyon import LISTS, SLIDES
from sightline.data.layouts._folds import FILES, add_fold, fold_file
from sightline.types import RunLengths

SIDE = 512
CLASSES = ("normal", "metastatic")
LABELS = {"normal": 0, "tumor": 1, "metastatic": 1}
NOTHING = RunLengths((SIDE * SIDE,), SIDE, SIDE)


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    listed = any(fold_file(path, split) for split in FILES)
    return tuple(FILES) if listed and _patches(path).is_dir() else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split."""
    builder = AnnotationBuilder(request)
    listed = fold_file(path, request.split)
    if listed:
        add_fold(listed, path, LABELS, builder, NOTHING)
    else:
        builder.problems.append(LISTS.problem(path))
    builder.picture_roots.append(path)
    return builder.build(CLASSES)


def _patches(path: Path) -> Path:
    return path / SLIDES.folder

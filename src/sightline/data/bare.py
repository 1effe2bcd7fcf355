"""Photographs of which at most the class is known: a folder of them, or a folder for each class.

    pictures/cat/one.jpg, pictures/dog/two.jpg    the classes are cat and dog
    pictures/one.jpg, pictures/two.jpg            nothing is known; with a class_names.txt of one
                                                  line beside them, all are of that class

A subfolder called as the split is that split, where there is one, and one called `images` is no
class.
"""

from collections.abc import Iterator
from pathlib import Path

from sightline.data.annotations import PICTURES, AnnotationBuilder, Request
from sightline.data.dataset import Dataset
from sightline.data.splits import asked
from sightline.data.truth import guarded
from sightline.errors import DataError, UsageError

NAMES = "class_names.txt"


def holds_pictures(place: str) -> bool:
    """Tell whether a folder has pictures, in itself or one level down."""
    folder = Path(place)
    return folder.is_dir() and any(True for _ in _pictures(folder, deep=True))


def read_bare(place: str, split: str = "") -> Dataset:
    """Read the pictures of a folder, in the order of their names."""
    wanted = asked(split)
    if wanted.per_class or wanted.proxy:
        raise UsageError(f"--split {split}: of a folder of pictures a split is a subfolder")
    root = Path(place)
    folder = next((root / name for name in wanted.folders if (root / name).is_dir()), root)
    folder = folder / "images" if (folder / "images").is_dir() else folder
    classes = [f.name for f in sorted(folder.iterdir()) if f.is_dir() and any(_pictures(f))]
    bare = [] if classes else list(_pictures(folder))
    names = classes or _names(folder, folder.parent, root)
    builder = AnnotationBuilder(
        Request(root.resolve().name, wanted.label, images=folder, localization=False)
    )
    files = bare or [file for name in classes for file in _pictures(folder / name)]
    for file in files:
        label = names.index(file.parent.name) if classes else 0 if names else -1
        builder.item(file.relative_to(folder).as_posix(), file=str(file), label=label)
    annotations = builder.build(names)
    if annotations.problems:
        raise DataError(annotations.problems)
    if not files:
        raise UsageError(f"{folder}: holds no pictures")
    truth = guarded(annotations)
    return Dataset(truth.split, tuple(files), truth)


def _pictures(folder: Path, *, deep: bool = False) -> Iterator[Path]:
    for file in sorted(folder.iterdir()):
        if file.is_dir() and deep:
            yield from _pictures(file)
        elif file.suffix.lower().lstrip(".") in PICTURES and not file.name.startswith("."):
            yield file


def _names(*folders: Path) -> list[str]:
    """Read the one class that all pictures are of."""
    file = next((f / NAMES for f in folders if (f / NAMES).is_file()), None)
    lines = file.read_text(encoding="utf-8-sig").split("\n") if file else []
    names = [line.strip() for line in lines if line.strip()]
    if len(names) > 1:
        raise UsageError(
            f"{file}: {len(names)} classes, but nothing says which picture is of which; put the"
            " pictures of each class into a folder of its name"
        )
    return names

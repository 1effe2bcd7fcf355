"""PASCAL-Part as released.

A MATLAB file an image, in `Annotations_Part/` with the photographs in `JPEGImages/`, or both in one
folder. An item is one class in one image: the image's id, or `id/LABEL` where it holds several;
parts carry the number of their object in the image. Boxes are the smallest around the masks. Boat,
chair, table and sofa have no parts. Where there is VOC's `ImageSets/Main/SPLIT.txt`, a split is
what is listed there.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sightline import progress
from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.datasets.pascal_part import PARTS
from sightline.data.finding import picture_folders
from sightline.data.formats._shared import item_names
from sightline.data.formats.voc import listed_images
from sightline.data.known import WHOLE
from sightline.data.mat_files import Mask, Thing, read_things
from sightline.errors import DataError
from sightline.types import MatMask, Part

NAMES = (
    "aeroplane bicycle bird boat bottle bus car cat chair cow table dog horse motorbike person"
    " pottedplant sheep sofa train tvmonitor"
)
CLASSES = tuple(NAMES.split(" "))


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released; any name is right where there are no lists."""
    if not _files(path):
        return ()
    found = [s for s in ("train", "val") if (path / f"ImageSets/Main/{s}.txt").is_file()]
    return tuple(found) or (WHOLE,)


def read(path: Path, request: Request) -> Annotations:
    """Read the objects of every image, or of those that a split lists."""
    builder = AnnotationBuilder(request)
    files = _files(path)
    listed = listed_images(path, request.split, builder)
    images = list(files) if listed is None else [image for image in listed if image in files]
    for image in listed or ():
        if image not in files:
            what, place = "annotation is missing", str(path / f"{image}.mat")
            builder.refuse(image, what, place, 0, PARTS.how)
    with progress.shown("reading parts", len(images)) as step:
        for done, image in enumerate(images, start=1):
            _add_image(image, files[image], builder)
            step(done)
    builder.picture_roots += picture_folders(path, ("JPEGImages", "images"), images)
    return builder.build(CLASSES)


def _files(path: Path) -> dict[str, Path]:
    """Find the annotations by image; fixations are MATLAB files, too."""
    inner = path / "Annotations_Part"
    folder = inner if inner.is_dir() else path
    files = sorted(folder.glob("20*_*.mat")) if folder.is_dir() else []
    return {file.stem: file for file in files}


def _add_image(image: str, file: Path, builder: AnnotationBuilder) -> None:
    try:
        things = read_things(file)
    except DataError as error:
        builder.refuse(image, error.problems[0].what, str(file), 0, error.problems[0].remedy)
        return
    sizes = {thing.mask.shape for thing in things}
    strange = sorted({thing.name for thing in things if not 0 <= thing.label < len(CLASSES)})
    if not things:
        builder.unannotated.append(image)
    elif len(sizes) > 1 or strange:
        what = f"has objects of unknown classes: {', '.join(strange)}" if strange else ""
        what = what or "has masks of several sizes"
        builder.refuse(image, what, str(file), 0, "replace the file")
    else:
        _add_items(image, file, things, builder)


def _add_items(image: str, file: Path, things: Sequence[Thing], builder: AnnotationBuilder) -> None:
    height, width = things[0].mask.shape
    for label, name in item_names(image, (thing.label for thing in things)).items():
        builder.item(name, file=str(file), image=image, label=label, size=(width, height))
        for number, thing in enumerate(things):
            if thing.label == label and builder.has(name):
                _add_thing(name, file, number, thing, builder)


def _add_thing(
    name: str, file: Path, number: int, thing: Thing, builder: AnnotationBuilder
) -> None:
    where = f"{file}, object {number + 1}"
    if not thing.mask.any():
        builder.refuse(name, f"the mask of a {thing.name} is empty", where, 0, "replace the file")
        return
    builder.add_mask(name, MatMask(file, number), where)
    builder.add_box(name, _around(thing.mask), where)
    for index, part in enumerate(thing.parts):
        source = MatMask(file, number, index) if part.mask.any() else None
        builder.add_part(name, Part(part.name, source, number))


def _around(mask: Mask) -> tuple[int, int, int, int]:
    """Give the smallest box around a mask, which ends after the last pixel."""
    rows, columns = (np.flatnonzero(mask.any(axis)) for axis in (1, 0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1

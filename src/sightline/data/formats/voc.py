"""Folder of PASCAL VOC annotations, one XML file an image, nested or not.

Paper: Everingham et al., The PASCAL Visual Object Classes Challenge, IJCV 2010

An image's id is the path of its XML file below the folder (below `Annotations`, if there is one),
without `.xml`; an item is one object name in one image: the id, or `id/LABEL` where an image holds
several names. Classes are the sorted names of the whole folder. Corners are taken as written, as
the released ILSVRC lists take them, although VOC itself counts pixels from 1 and includes the last:
`one_based` converts such corners. Difficult objects are kept and counted. Where the folder has
`ImageSets/Main/SPLIT.txt`, a split is what is listed there; images lie in `JPEGImages`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.finding import picture_folders
from sightline.data.formats._shared import (
    add_masks_by_image,
    item_names,
    read_text,
)
from sightline.data.formats._voc_xml import Corners, Fault, Record, read_record
from sightline.data.splits import ALIASES
from sightline.errors import Problem

SETS = "ImageSets/Main"


def recognises(path: Path, request: Request) -> bool:
    """Tell whether a path is in this format."""
    return path.is_dir() and any(_files(path))


def splits(path: Path) -> tuple[str, ...]:
    """List the splits that the folder has lists of."""
    if not path.is_dir() or not any(_files(path)):
        return ()
    return tuple(split for split in ALIASES if _list_of(path, split))


def read(path: Path, request: Request) -> Annotations:
    """Read every XML file below the folder, or those that a split lists."""
    builder = AnnotationBuilder(request)
    files, others = _by_image(path), AnnotationBuilder(request)
    listed = listed_images(path, request.split, builder)
    wanted = set(files if listed is None else listed)
    found = {
        image: _read_file(file, image, builder if image in wanted else others)
        for image, file in files.items()
    }
    classes = sorted({thing.name for record in found.values() if record for thing in record.things})
    labels = {name: label for label, name in enumerate(classes)}
    crowded = []
    for image in files if listed is None else listed:
        record = found.get(image)
        if record:
            crowded.append(_add_items(image, str(files[image]), record, labels, builder))
        elif image not in files:
            what, place = "annotation is missing", str(path / f"{image}.xml")
            builder.refuse(image, what, place, 0, "restore it, or remove it from the split's list")
    add_masks_by_image(builder, path, filter(None, crowded))
    builder.picture_roots += picture_folders(path, ("JPEGImages", "images"), builder.images)
    return builder.build(classes)


def one_based(corners: Sequence[float]) -> Corners:
    """Convert corners that count pixels from 1 and include the last to those of this package."""
    x0, y0, x1, y1 = corners
    return x0 - 1, y0 - 1, x1, y1


def _base(path: Path) -> Path:
    return path / "Annotations" if (path / "Annotations").is_dir() else path


def _files(root: Path) -> Iterator[Path]:
    """Walk through the XML files below a folder, except hidden ones."""
    return (file for file in _base(root).rglob("*.xml") if not file.name.startswith("."))


def _by_image(path: Path) -> dict[str, Path]:
    base = _base(path)
    files = (
        (file.relative_to(base).as_posix().removesuffix(".xml"), file) for file in _files(path)
    )
    return dict(sorted(files))


def _list_of(path: Path, split: str) -> Path | None:
    names = ALIASES.get(split, (split,))
    lists = (path / SETS / f"{name}.txt" for name in names)
    return next((file for file in lists if file.is_file()), None)


def listed_images(path: Path, split: str, builder: AnnotationBuilder) -> list[str] | None:
    """Read the images of a split; nothing if there is no list of it."""
    file = _list_of(path, split)
    lines = (read_text(file, builder) or "").splitlines() if file else None
    if lines is None:
        return None
    images = [line.split()[0] for line in lines if line.strip()]
    for image, times in Counter(images).items():
        if times > 1:
            remedy = "remove one of the lines"
            builder.problems.append(Problem("image is listed twice", str(file), 0, image, remedy))
    return list(dict.fromkeys(images))


def _add_items(
    image: str, file: str, record: Record, labels: dict[str, int], builder: AnnotationBuilder
) -> str:
    """Add the items of an image; return its id if they are several."""
    names = item_names(image, (labels[thing.name] for thing in record.things))
    for label, name in names.items():
        builder.item(name, file=file, image=image, label=label, size=record.size)
        if not builder.known(name, file, 0):
            continue
        for thing in record.things:
            if labels[thing.name] == label:
                builder.add_box(name, thing.corners, thing.place)
    return image if len(names) > 1 else ""


def _read_file(file: Path, image: str, builder: AnnotationBuilder) -> Record | None:
    try:
        record = read_record(file)
    except Fault as fault:
        builder.refuse(image, str(fault), str(file), fault.line, "mend or remove the file")
        return None
    builder.warnings["images_without_annotation"] += not record.things
    builder.warnings["difficult_objects"] += sum(thing.difficult for thing in record.things)
    if not record.things:
        builder.unannotated.append(image)
        return None
    return record

"""Oxford-IIIT Pet as released.

As released: `annotations/trainval.txt` (here the split train) and `test.txt`, `annotations/trimaps`
(1 animal, 2 background, 3 the border between them, which counts for nothing), `annotations/xmls`
with a box of the head, `images/`. `annotations/val.txt`, if somebody drew one, is the split val.
"""

from collections.abc import Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.datasets.pets import ANNOTATIONS, IMAGES
from sightline.data.formats._voc_xml import Fault, read_record
from sightline.data.layouts._layout import whole, words
from sightline.types import Layer, Part, Polygons

LISTS = {"train": "trainval.txt", "val": "val.txt", "test": "test.txt"}
ANIMAL, BORDER = 1, 3  # values of a trimap


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    folder = _home(path) / "annotations"
    found = [split for split, name in LISTS.items() if (folder / name).is_file()]
    return tuple(found) if (folder / "trimaps").is_dir() or (folder / "list.txt").is_file() else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split."""
    home = _home(path)
    builder = AnnotationBuilder(request, sizes_needed=False)
    folder = home / "annotations"
    listed = folder / LISTS[request.split]
    for line, (stem, number, _) in words(listed, 3, builder):
        label = whole(number, listed, line, builder)
        name = f"{stem}.jpg"
        if label is not None:
            builder.item(name, file=str(listed), line=line, label=label - 1)
            _add_animal(name, folder / "trimaps" / f"{stem}.png", builder, line, listed)
            _add_head(name, folder / "xmls" / f"{stem}.xml", builder)
    if not (home / "images").is_dir():
        builder.problems.append(IMAGES.problem(home))
    builder.picture_roots.append(home / "images")
    return builder.build(_breeds(folder, builder))


def _home(path: Path) -> Path:
    inner = path / "oxford-iiit-pet"
    return inner if inner.is_dir() else path


def _add_animal(
    name: str, trimap: Path, builder: AnnotationBuilder, line: int, listed: Path
) -> None:
    if not builder.has(name):
        return
    if trimap.is_file():
        builder.add_mask(name, Layer(trimap, ANIMAL), str(trimap))
        builder.add_mask(name, Layer(trimap, BORDER), str(trimap), ignore=True)
    else:
        what = f"trimap {trimap} is missing"
        builder.refuse(name, what, str(listed), line, ANNOTATIONS.how)


def _add_head(name: str, file: Path, builder: AnnotationBuilder) -> None:
    """Add the box of the head, which most training images have."""
    if not file.is_file() or not builder.has(name):
        return
    try:
        record = read_record(file)
    except Fault as fault:
        builder.refuse(name, str(fault), str(file), fault.line, "mend or remove the file")
        return
    width, height = record.size
    for number, thing in enumerate(record.things):
        x0, y0, x1, y1 = thing.corners
        ring = (x0, y0, x1, y0, x1, y1, x0, y1)
        builder.add_part(name, Part("head", Polygons((ring,), height, width), number))


def _breeds(folder: Path, builder: AnnotationBuilder) -> list[str]:
    """Name the breeds by the file names of any list."""
    found: dict[int, str] = {}
    for name in LISTS.values():
        if (folder / name).is_file():
            for _, (stem, number, _) in words(folder / name, 3, builder):
                if number.isdecimal():
                    found.setdefault(int(number) - 1, stem.rpartition("_")[0])
    return _in_order(found)


def _in_order(found: Mapping[int, str]) -> list[str]:
    return [found.get(label, f"breed {label}") for label in range(max(found, default=-1) + 1)]

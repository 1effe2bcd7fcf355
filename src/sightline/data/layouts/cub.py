"""CUB-200-2011 as released, with CUB-V2 in it or beside it.

As released: `images.txt`, `train_test_split.txt`, `image_class_labels.txt` and `bounding_boxes.txt`
(x, y, width, height) number the images; x, y, x + width, y + height are the corners. `CUBV2/`, with
the species' folders, lies in it or beside it. `parts/` marks 15 points of the bird: each is given
as a square of 5 x 5 pixels.
"""

from collections.abc import Mapping
from pathlib import Path

from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.datasets.cub import BIRDS, DATASET, V2, V2_LISTS
from sightline.data.layouts._layout import (
    pictures_in,
    read_lists,
    released_lists,
    size_of,
    weakly,
    whole,
    words,
)
from sightline.errors import Problem
from sightline.types import Part, Polygons

LISTS = ("images.txt", "train_test_split.txt", "image_class_labels.txt", "bounding_boxes.txt")
POINT = 2  # pixels to each side of a marked point


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    home = _home(path)
    ours = (home / LISTS[0]).is_file() and any((home / name).is_file() for name in LISTS[1:])
    return ("train", "val", "test") if ours else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split."""
    home = _home(path)
    return _read_v2(home, request) if request.split == "val" else _read_birds(home, request)


def _home(path: Path) -> Path:
    inner = path / "CUB_200_2011"
    return inner if inner.is_dir() else path


def _read_birds(home: Path, request: Request) -> Annotations:
    builder = AnnotationBuilder(request, sizes_needed=False)
    absent = [name for name in LISTS if not (home / name).is_file()]
    for name in absent:
        builder.problems.append(Problem("list is missing", str(home / name), remedy=BIRDS.how))
    if not (home / "images").is_dir():
        builder.problems.append(BIRDS.problem(home, "images"))
    names = {} if absent else _add_images(home, request, builder)
    if not absent:
        _add_boxes(home / LISTS[3], names, builder)
        _add_points(home / "parts", names, builder)
    builder.picture_roots.append(home / "images")
    return builder.build(_classes(home / "classes.txt", builder))


def _add_images(home: Path, request: Request, builder: AnnotationBuilder) -> Mapping[str, str]:
    """Add a split's images; give their names by number."""
    listed, split_file, label_file = (home / name for name in LISTS[:3])
    wanted = "1" if request.split == "train" else "0"
    chosen = {key for _, (key, flag) in words(split_file, 2, builder) if flag == wanted}
    names = {}
    for line, (key, name) in words(listed, 2, builder):
        if key in chosen:
            names[key] = name
            size = size_of(home / "images" / name)
            builder.item(name, file=str(listed), line=line, size=size)
    for line, (key, text) in words(label_file, 2, builder):
        label = whole(text, label_file, line, builder)
        if key in names and label is not None and builder.has(names[key]):
            builder.set_label(names[key], label - 1, str(label_file), line)
    return names


def _add_boxes(file: Path, names: Mapping[str, str], builder: AnnotationBuilder) -> None:
    for line, (key, *texts) in words(file, 5, builder):
        if key not in names or not builder.has(names[key]):
            continue
        try:
            x, y, width, height = map(float, texts)
        except ValueError:
            what = f"'{' '.join(texts)}' is not four numbers"
            builder.refuse(names[key], what, str(file), line, "mend the line")
            continue
        builder.add_box(names[key], (x, y, x + width, y + height), str(file), line)


def _add_points(folder: Path, names: Mapping[str, str], builder: AnnotationBuilder) -> None:
    """Add the marked points, if they were released along."""
    file = folder / "part_locs.txt"
    if not file.is_file() or not (folder / "parts.txt").is_file():
        return
    called = {key: name for _, (key, name) in words(folder / "parts.txt", 2, builder)}
    for line, (key, part, *texts) in words(file, 5, builder):
        if key not in names or not builder.has(names[key]):
            continue
        try:
            x, y, seen = map(float, texts)
        except ValueError:
            what = f"'{' '.join(texts)}' is not x, y and whether it is seen"
            builder.refuse(names[key], what, str(file), line, "mend the line")
            continue
        source = _square(x, y, builder.size_of(names[key])) if seen else None
        builder.add_part(names[key], Part(called.get(part, part), source))


def _square(x: float, y: float, size: tuple[int, int]) -> Polygons | None:
    x0, y0, x1, y1 = x - POINT, y - POINT, x + POINT + 1, y + POINT + 1
    return Polygons(((x0, y0, x1, y0, x1, y1, x0, y1),), size[1], size[0]) if size[0] else None


def _classes(file: Path, builder: AnnotationBuilder) -> list[str]:
    """Name the species: `001.Black_footed_Albatross` without its number."""
    if not file.is_file():
        return []
    found = {int(key): name for _, (key, name) in words(file, 2, builder) if key.isdecimal()}
    names = [found.get(number, f"species {number}") for number in range(1, DATASET.classes + 1)]
    return [name.partition(".")[2] or name for name in names]


def _read_v2(home: Path, request: Request) -> Annotations:
    """Read CUB-V2 by its lists, or its folders alone where there are none."""
    places = [home / "CUBV2", home.parent / "CUBV2"]
    lists = [*places, *released_lists(home, "CUB", "val")]
    found = read_lists(request, lists, places)
    folder = next((place for place in places if place.is_dir()), None)
    if found:
        return found if folder else found.with_problems(V2.problem(home))
    builder = AnnotationBuilder(weakly(request))
    builder.problems += [] if folder else [V2.problem(home)]
    builder.problems.append(V2_LISTS.problem(home))
    for name in pictures_in(folder) if folder else ():
        number = name.partition(".")[0]
        label = int(number) - 1 if number.isdecimal() else -1
        builder.item(name, file=str(folder), label=label)
    builder.picture_roots += [folder] if folder else []
    return builder.build(_classes(home / "classes.txt", builder))

"""ILSVRC-2012 as released, with ImageNetV2.

As released, or unpacked without the outer folders: `Data/CLS-LOC/train/n01440764/*.JPEG`,
`Data/CLS-LOC/val/*.JPEG`, `Annotations/CLS-LOC/val/*.xml`; and `val2/0/*.jpeg` for ImageNetV2. The
protocol's test split is the released `val`, its `val` is ImageNetV2. Training images have classes
alone. Classes count in the order of their WordNet ids.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sightline import progress
from sightline.data.annotations import AnnotationBuilder, Annotations, Request
from sightline.data.class_names import imagenet
from sightline.data.datasets.ilsvrc import BOXES, TRAIN, V2, V2_LISTS, VAL
from sightline.data.formats._voc_xml import Fault, read_record
from sightline.data.layouts._layout import pictures_in, read_lists, released_lists, weakly

SYNSET = re.compile(r"n\d{8}")
INNER = "CLS-LOC"


def splits(path: Path) -> tuple[str, ...]:
    """List the splits of a folder as released."""
    data = _data(path)
    released = data != path or _holds_synsets(data / "train") or _holds_released(data / "val")
    return ("train", "val", "test") if released else ()


def read(path: Path, request: Request) -> Annotations:
    """Read a split."""
    data = _data(path)
    if request.split == "val":
        return _read_v2(path, data, request)
    builder = AnnotationBuilder(weakly(request) if request.split == "train" else request)
    builder.picture_roots.append(data)
    if request.split == "train":
        _add_training(data, builder)
    else:
        _add_test(path, data, builder)
    return builder.build(_classes())


def _data(path: Path) -> Path:
    """Find the folder that holds train, val and val2."""
    places = [base / "Data" / INNER for base in (path, path / "ILSVRC")]
    return next((place for place in places if place.is_dir()), path)


def _holds_synsets(folder: Path) -> bool:
    inner = folder.iterdir() if folder.is_dir() else ()
    return any(SYNSET.fullmatch(entry.name) and entry.is_dir() for entry in inner)


def _holds_released(folder: Path) -> bool:
    inner = folder.iterdir() if folder.is_dir() else ()
    return any(entry.name.startswith("ILSVRC2012_val_") for entry in inner)


def _classes() -> list[str]:
    names = imagenet()
    return [names.name(label) for label in range(len(names))]


@cache
def _labels() -> Mapping[str, int]:
    return {synset: label for label, synset in enumerate(imagenet().synsets)}


def _add_training(data: Path, builder: AnnotationBuilder) -> None:
    folder, labels = data / "train", _labels()
    if not folder.is_dir():
        builder.problems.append(TRAIN.problem(data))
        return
    for inner in sorted(entry for entry in folder.iterdir() if entry.is_dir()):
        for name in pictures_in(inner):
            image, label = f"train/{inner.name}/{name}", labels.get(inner.name)
            if label is None:
                what, remedy = f"'{inner.name}' is none of the 1,000 classes", "remove the folder"
                builder.refuse(image, what, str(inner), 0, remedy)
            else:
                builder.item(image, file=str(inner), label=label)


def _add_test(path: Path, data: Path, builder: AnnotationBuilder) -> None:
    """Add the released validation images; a file of boxes tells the class, too."""
    folder = data / "val"
    files = _boxes(path)
    if not folder.is_dir():
        builder.problems.append(VAL.problem(data))
    if files is None:
        builder.problems.append(BOXES.problem(path))
    images = [f"val/{name}" for name in pictures_in(folder)] if folder.is_dir() else []
    there = {Path(image).stem for image in images}
    images += [f"val/{stem}.JPEG" for stem in sorted(files or ()) if stem not in there]
    with progress.shown("reading boxes", len(images)) as step:
        for done, image in enumerate(images, start=1):
            file = (files or {}).get(Path(image).stem)
            if file:
                _add_boxed(image, file, builder)
            elif files is not None:
                what, place = "no boxes of the image", str(path / image)
                builder.refuse(image, what, place, 0, f"{BOXES.how}; or remove the image")
            step(done)


def _boxes(path: Path) -> Mapping[str, Path] | None:
    """Find the files of boxes by the name of their image."""
    places = (
        f"Annotations/{INNER}/val",
        f"ILSVRC/Annotations/{INNER}/val",
        "Annotations/val",
        "bbox/val",
        "val",
    )
    for place in places:
        files = {file.stem: file for file in (path / place).glob("*.xml")}
        if files:
            return files
    return None


def _add_boxed(image: str, file: Path, builder: AnnotationBuilder) -> None:
    try:
        record = read_record(file)
    except Fault as fault:
        builder.refuse(image, str(fault), str(file), fault.line, "mend or replace the file")
        return
    found = {_labels().get(thing.name) for thing in record.things}
    known = [label for label in found if label is not None]
    if len(known) != 1:
        what = f"objects of {len(known)} of the 1,000 classes where one is needed"
        builder.refuse(image, what, str(file), 0, "replace the file")
        return
    builder.item(image, file=str(file), label=known[0], size=record.size)
    for thing in record.things:
        builder.add_box(image, thing.corners, thing.place)


def _read_v2(path: Path, data: Path, request: Request) -> Annotations:
    """Read ImageNetV2 by its lists, or its folders alone where there are none."""
    folder = next((base / "val2" for base in (data, path) if (base / "val2").is_dir()), None)
    lists = [base / "val2" for base in (data, path)]
    found = read_lists(request, [*lists, *released_lists(path, "ILSVRC", "val")], [data, path])
    if found:
        return found if folder else found.with_problems(V2.problem(data))
    builder = AnnotationBuilder(weakly(request))
    builder.problems += [] if folder else [V2.problem(data)]
    builder.problems.append(V2_LISTS.problem(path))
    for name in pictures_in(folder) if folder else ():
        number = name.partition("/")[0]
        label = int(number) if number.isdecimal() else -1
        builder.item(f"val2/{name}", file=str(folder), label=label)
    builder.picture_roots += [folder.parent] if folder else []
    return builder.build(_classes())

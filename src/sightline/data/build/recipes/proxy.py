"""Proxy set: a part of each class of a split, on which hyperparameters are searched faster.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

The paper searches on 10 % of the images of each ImageNet class. A class gives the nearest whole
number of its images, one at least. Which ones depends on the seed and the ids alone; they keep the
order of the split's list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, claim, need
from sightline.data.build.lists import IDS, LABELS, LISTS, read_ids, read_lines
from sightline.data.build.sampling import draw, portion
from sightline.data.pond import place as pond
from sightline.data.splits import ALIASES
from sightline.errors import DataError, Problem, UsageError
from sightline.rows import write_whole


@dataclass(frozen=True, slots=True)
class Options:
    """What is drawn from, how much, and what is written."""

    data: Annotated[
        Path, "folder with the lists of a split in the reference format; of several, train; or pond"
    ]
    fraction: Annotated[float, "of the images of each class"] = 0.1
    whole: Annotated[bool, "write all lists, not image_ids_proxy.txt alone"] = False

    def __post_init__(self) -> None:
        """Refuse a fraction that is none."""
        need(0 < self.fraction <= 1, f"fraction is {self.fraction:g}; it is above 0 and at most 1")


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Draw and write the proxy set."""
    data = _lists(options.data)
    if options.whole:
        if out.resolve() == data.resolve():
            what = "--whole would overwrite the lists that it reads"
            raise UsageError(f"{what}; choose another --out")
        claim(out, "proxy", options, seed).note()
    names = read_ids(data)
    classes = _classes(data / f"{LABELS}.txt", names)
    kept: set[str] = set()
    for images in classes.values():
        kept.update(draw(images, portion(options.fraction, len(images)), seed))
    if options.whole:
        written = tuple(_filter(data, out, kept))
    else:
        written = (out / f"{IDS}_proxy.txt",)
        write_whole(written[0], "\n".join(name for name in names if name in kept))
    summary = (("images", len(kept)), ("of", len(names)), ("classes", len(classes)))
    return Built(summary, {}, written)


def _lists(place: Path) -> Path:
    """Find the folder of the lists: this one, or that of its training split."""
    root = pond.folder(str(place)) if pond.is_pond(str(place)) else place
    for folder in (root, *(root / name for name in ALIASES["train"])):
        if (folder / f"{IDS}.txt").is_file():
            return folder
    raise UsageError(f"{place}: no {IDS}.txt in it; name the folder of one split")


def _classes(file: Path, names: list[str]) -> Mapping[str, list[str]]:
    """Group images by class; every one must have a class, once."""
    known, classes, labelled = set(names), dict[str, list[str]](), set[str]()
    for number, line in read_lines(file):
        name, comma, label = line.rpartition(",")
        what = ""
        if not comma or not label.strip().isdecimal():
            what = "is not an image id, a comma and a class counted from 0"
        elif name not in known:
            what = f"image '{name}' is not in the list of images"
        elif name in labelled:
            what = f"image '{name}' is labelled twice"
        if what:
            raise DataError([Problem(what, str(file), number, remedy="mend the line")])
        labelled.add(name)
        classes.setdefault(label.strip(), []).append(name)
    without = [name for name in names if name not in labelled]
    if without:
        what = "image has no class"
        raise DataError([Problem(what, str(file), image=without[0], remedy="add a line for it")])
    return classes


def _filter(folder: Path, out: Path, kept: set[str]) -> list[Path]:
    """Keep the lines of every list that speak of an image that is kept."""
    written = []
    for name in LISTS:
        file = folder / f"{name}.txt"
        if file.is_file():
            lines = [line for _, line in read_lines(file) if _image(line, name, kept) in kept]
            write_whole(out / file.name, "\n".join(lines))
            written.append(out / file.name)
    return written


def _image(line: str, kind: str, kept: set[str]) -> str:
    """Take the image id of a line; ids may hold commas, so that it is the longest known start."""
    while kind != IDS and line and line not in kept:
        line = line.rpartition(",")[0]
    return line

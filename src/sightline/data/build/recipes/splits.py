"""Splits train, val and test of one set of images, drawn for each class, with a leakage check.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

The papers' train-weaksup (classes alone), train-fullsup (val, where hyperparameters are chosen) and
test. An image folder has a folder a class and gives lists without places of objects; a ground truth
gives its boxes or masks to val and test. Identical and near-identical images across splits are
lines of `leaks.csv`; with `--repeats drop` they are left out before anything is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, Row, claim, need, stop_or_skip, write_tables
from sightline.data.build.drawn import Drawn, check, write
from sightline.data.build.leakage import (
    NEAR,
    Seen,
    check_distance,
    find_leaks,
    find_repeats,
    look,
    summed,
)
from sightline.data.build.lists import write_classes
from sightline.data.build.pools import Pool, annotated_pool, folder_pool, is_image_folder
from sightline.data.build.sampling import shuffled
from sightline.errors import Problem, SightlineError
from sightline.hyperparameters import Choice, validate

SPLITS = ("train", "val", "test")


@dataclass(frozen=True, slots=True)
class Options:
    """What is split, and how many images a class gives."""

    data: Annotated[str, "image folder with a folder a class, or any ground truth"]
    val: Annotated[int, "images of each class for val (train-fullsup)"] = 5
    test: Annotated[int, "images of each class for test"] = 10
    train: Annotated[int, "images of each class for train (train-weaksup); 0 takes the rest"] = 0
    split: Annotated[str, "of a ground truth that has several"] = ""
    images: Annotated[Path | None, "folder that image ids of a ground truth are relative to"] = None
    masks: Annotated[Path | None, "folder that mask names are relative to"] = None
    ignore_value: Annotated[int | None, "mask pixels of this value count for nothing"] = None
    short: Annotated[
        str, "at classes with too few images: stop or drop", Choice("stop", "drop")
    ] = "stop"
    repeats: Annotated[
        str, "images that look like an earlier one: keep and list, or drop", Choice("keep", "drop")
    ] = "keep"
    distance: Annotated[int, "bits of 64 that near-identical images may differ in"] = NEAR
    on_error: Annotated[
        str, "where an image or mask is missing or unsound: stop or skip", Choice("stop", "skip")
    ] = "stop"

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        validate(self)
        check_distance(self.distance)
        need(min(self.train, self.val, self.test) >= 0, "--train, --val and --test start at 0")


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Look at all images, draw, write the splits and list what leaked."""
    claimed = claim(out, "splits", options, seed)
    pool = _pool(options)
    sound, problems = check(pool.images, workers, "images")
    files = {image.name: image.picture for image in sound if image.picture}
    seen, unreadable = look(files, workers, out)
    problems = [*pool.problems, *problems, *_named(unreadable)]
    stop_or_skip(problems, options.on_error, out)
    repeated = find_repeats(seen, options.distance) if options.repeats == "drop" else {}
    kept = [image for image in sound if image.name not in {**unreadable, **repeated}]
    drawn, short = _split(kept, pool.classes, options, seed)
    claimed.note()
    by_name = {one.name: one for one in seen}
    leaks = find_leaks(
        {name: [by_name[image.name] for image in images] for name, images in drawn.items()},
        options.distance,
    )
    tables: dict[str, Sequence[Row]] = {
        "leaks": leaks,
        "repeats": [{"image": name, "of": one.name} for name, one in repeated.items()],
        "classes left out": short,
    }
    written = [write_classes(out, pool.classes)]
    for name in SPLITS:
        written += write(_labelled(drawn[name], name, by_name), out / name, workers)
    summary: tuple[tuple[str, str | int], ...] = (
        *((f"images of {name}", len(images)) for name, images in drawn.items()),
        ("classes", len(pool.classes) - len(short)),
        ("places of objects", pool.places),
        ("of several classes", pool.several),
        ("repeats left out", len(repeated)),
        ("left out as unsound", len(problems)),
        *summed(leaks),
    )
    return Built(summary, tables, (*written, *write_tables(tables, out)))


def _pool(options: Options) -> Pool:
    if is_image_folder(options.data) and not options.masks:
        return folder_pool(Path(options.data))
    return annotated_pool(
        options.data,
        split=options.split,
        images=options.images,
        masks=options.masks,
        ignore_value=options.ignore_value,
    )


def _named(faults: Mapping[str, Problem]) -> list[Problem]:
    return [replace(fault, image=name) for name, fault in faults.items()]


def _split(
    images: Sequence[Drawn], classes: Sequence[str], options: Options, seed: int
) -> tuple[dict[str, list[Drawn]], list[Row]]:
    """Draw the splits class by class, test first; tell which classes have too few."""
    groups: dict[int, dict[str, Drawn]] = {label: {} for label in range(len(classes))}
    for image in images:
        groups[image.label][image.name] = image
    needed = options.test + options.val + max(1, options.train)
    short: list[Row] = [
        {"class": classes[label], "images": len(group), "needed": needed}
        for label, group in groups.items()
        if len(group) < needed
    ]
    if short and options.short == "stop":
        named = ", ".join(f"{line['class']} ({line['images']})" for line in short[:5])
        more = ", ..." if len(short) > 5 else ""
        what = f"{len(short)} classes have fewer than {needed} images: {named}{more}"
        raise SightlineError(f"{options.data}: {what}; ask for fewer, or pass --short drop")
    drawn: dict[str, list[Drawn]] = {name: [] for name in SPLITS}
    for group in groups.values():
        if len(group) >= needed:
            for name, names in _parts(shuffled(group, seed), options).items():
                drawn[name] += [group[image] for image in sorted(names)]
    return drawn, short


def _parts(order: Sequence[str], options: Options) -> dict[str, Sequence[str]]:
    """Cut an order of names: a larger val takes nothing from test, a larger train from neither."""
    test, val = options.test, options.test + options.val
    end = val + options.train if options.train else len(order)
    return {"train": order[val:end], "val": order[test:val], "test": order[:test]}


def _labelled(images: Sequence[Drawn], split: str, seen: Mapping[str, Seen]) -> list[Drawn]:
    """Give train its classes alone; sizes that nothing states are those that people see."""
    sized = [
        image if image.size[0] else replace(image, size=seen[image.name].print.size)
        for image in images
    ]
    if split != "train":
        return sized
    return [replace(image, boxes=(), instances=None) for image in sized]

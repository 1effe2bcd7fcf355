"""OpenImages30k: a multi-label data set with instance masks becomes a benchmark of one class each.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020, B.2.3

Images with masks of several classes are left out, then classes with too few images in any split.
Images are drawn for each class; the masks of an image are united, and boxes around groups of its
class become regions to ignore. Training images get no masks: they are labelled weakly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, Row, claim, need, stop_or_skip, write_tables
from sightline.data.build.drawn import Drawn, check, write
from sightline.data.build.lists import write_classes
from sightline.data.build.sampling import draw
from sightline.data.build.sources import (
    ALIASES,
    COUNTED,
    Single,
    Source,
    open_source,
    picture_roots,
)
from sightline.data.finding import find_picture
from sightline.errors import Problem, UsageError
from sightline.hyperparameters import Choice, validate

Counts = tuple[int, int, int]
Groups = Mapping[str, list[str]]  # images by class
SPLITS = tuple(ALIASES)


@dataclass(frozen=True, slots=True)
class Options:
    """What is drawn from, and how many."""

    data: Annotated[Path, "folder of OpenImages' tables, of COCO files, or of one folder a split"]
    images: Annotated[Path | None, "folder of images, or of one a split; else those in DATA"] = None
    masks: Annotated[Path | None, "folder below which masks lie; else DATA/masks"] = None
    minimum: Annotated[Counts, "images a class must have in train, val, test"] = (300, 25, 50)
    per_class: Annotated[Counts, "images drawn for a class in train, val, test"] = (300, 25, 50)
    counted: Annotated[
        str, "what tells an image's classes: masks, or boxes too, or labels too", Choice(*COUNTED)
    ] = "masks"
    on_error: Annotated[
        str, "where an image or mask is missing or unsound: stop or skip", Choice("stop", "skip")
    ] = "stop"

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        validate(self)
        for name, counts in (("minimum", self.minimum), ("per-class", self.per_class)):
            need(min(counts) >= 1, f"--{name}: counts start at 1")


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Choose classes and images, check them all, then write."""
    claimed = claim(out, "openimages", options, seed)
    sources = {
        name: open_source(options.data, name, options.masks, options.counted) for name in SPLITS
    }
    annotated = {name: source.classes() for name, source in sources.items()}
    available = {name: _by_class(single) for name, single in annotated.items()}
    classes = _kept(available, options)
    problems = [problem for source in sources.values() for problem in source.problems]
    chosen: dict[str, Groups] = {}
    sound: dict[str, list[Drawn]] = {}
    for name, count in zip(SPLITS, options.per_class, strict=True):
        chosen[name] = {label: draw(available[name][label], count, seed) for label in classes}
        found, absent = _found(sources[name], name, chosen[name], options)
        sound[name], faults = check(found, workers, name)
        problems += [*absent, *faults]
    stop_or_skip(problems, options.on_error, out)
    claimed.note()
    tables = {
        "funnel": _funnel(annotated, available, chosen, sound),
        "classes": _class_table(available, classes, sources["train"]),
    }
    written = [
        write_classes(out, list(map(sources["train"].title, classes))),
        *(file for name in SPLITS for file in write(sound[name], out / name, workers)),
        *write_tables(tables, out),
    ]
    summary = _summary(annotated, sound, len(classes), len(problems))
    return Built(summary, {"funnel": tables["funnel"]}, tuple(written))


def _by_class(single: Single) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for image, label in single.items():
        if label is not None:
            groups.setdefault(label, []).append(image)
    return groups


def _kept(available: Mapping[str, Groups], options: Options) -> list[str]:
    """Choose the classes with enough images in every split, in the order of their labels."""
    enough = [
        {label for label, images in available[name].items() if len(images) >= least}
        for name, least in zip(SPLITS, options.minimum, strict=True)
    ]
    kept = sorted(set.intersection(*enough))
    if not kept:
        least = ", ".join(map(str, options.minimum))
        what = f"no class has {least} images of it alone in {', '.join(SPLITS)}"
        raise UsageError(f"{options.data}: {what}; ask for fewer with --minimum")
    return kept


def _found(
    source: Source, split: str, groups: Groups, options: Options
) -> tuple[list[Drawn], list[Problem]]:
    """Find the files of what was drawn; the order is that of classes, then images."""
    roots = picture_roots(options.data, options.images, split)
    chosen = {image: label for label, images in groups.items() for image in images}
    located = {} if split == "train" else source.instances(chosen)
    found: list[Drawn] = []
    problems = [problem for problem in located.values() if isinstance(problem, Problem)]
    for label, (group, images) in enumerate(groups.items()):
        for image in images:
            instances = located.get(image)
            if not isinstance(instances, Problem):
                name = source.file_name(image)
                picture = find_picture(name, roots)
                found.append(
                    Drawn(_name(group, name, picture), label, picture, instances=instances)
                )
                problems += [_absence(roots[0] / name)] if roots and not picture else []
    return [image for image in found if image.picture or not roots], problems


def _name(group: str, file_name: str, picture: Path | None) -> str:
    """Name an image by its class, as the released lists do, and its file."""
    suffix = picture.suffix if picture and not file_name.endswith(picture.suffix) else ""
    return f"{group.removeprefix('/m/').replace('/', '_')}/{file_name}{suffix}"


def _absence(file: Path) -> Problem:
    return Problem("image is listed but absent", str(file), remedy="restore its file")


def _funnel(
    annotated: Mapping[str, Single],
    available: Mapping[str, Groups],
    chosen: Mapping[str, Groups],
    sound: Mapping[str, Sequence[Drawn]],
) -> list[Row]:
    """Count what each step leaves."""
    classes = chosen["train"].keys()
    left = {
        "with masks": {name: len(single) for name, single in annotated.items()},
        "of one class": {name: _size(groups.values()) for name, groups in available.items()},
        "of a class with enough": {
            name: _size(groups[label] for label in classes) for name, groups in available.items()
        },
        "drawn": {name: _size(groups.values()) for name, groups in chosen.items()},
        "sound": {name: len(images) for name, images in sound.items()},
    }
    known = {label for single in annotated.values() for label in single.values()} - {None}
    alone = {label for groups in available.values() for label in groups}
    counts = [len(known | alone), len(alone), *[len(classes)] * 3]
    return [
        {"step": step, **images, "classes": count}
        for (step, images), count in zip(left.items(), counts, strict=True)
    ]


def _size(groups: Iterable[Sequence[str]]) -> int:
    return sum(map(len, groups))


def _class_table(available: Mapping[str, Groups], kept: Sequence[str], source: Source) -> list[Row]:
    """List every class with its images of it alone, and the label that it got."""
    labels = {label: str(number) for number, label in enumerate(kept)}
    every = sorted({label for groups in available.values() for label in groups})
    return [
        {"class": label, "name": source.title(label)}
        | {name: len(groups.get(label, ())) for name, groups in available.items()}
        | {"label": labels.get(label, "")}
        for label in every
    ]


def _summary(
    annotated: Mapping[str, Single], sound: Mapping[str, Sequence[Drawn]], classes: int, bad: int
) -> tuple[tuple[str, str | int], ...]:
    total = sum(map(len, annotated.values()))
    several = sum(label is None for single in annotated.values() for label in single.values())
    pictures = sum(image.picture is not None for images in sound.values() for image in images)
    return (
        *((f"images of {name}", len(images)) for name, images in sound.items()),
        ("classes", classes),
        ("of several classes", f"{several} of {total} ({100 * several / total:.1f} %), left out"),
        ("image files", pictures or "none known; --images FOLDER says where they are"),
        ("left out as unsound", bad),
    )

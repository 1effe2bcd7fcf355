"""CUB-V2: more images of an existing set's classes, from a folder of candidates of unknown worth.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020, B.2.2

Candidates are left out by licence, if they repeat another candidate or an image of existing splits,
unless all people voted for them, and if a classifier doubts them. What is left is drawn for each
class and made as large as the existing images. A step whose file is not given is passed over.
`candidates.csv` tells what became of every candidate, `funnel.csv` what each step left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, Row, claim, need, write_tables
from sightline.data.build.files import by_class, each, find_images
from sightline.data.build.leakage import (
    NEAR,
    Seen,
    check_distance,
    find_known,
    find_members,
    find_repeats,
    look,
)
from sightline.data.build.lists import Listed, write_classes, write_lists
from sightline.data.build.sampling import draw
from sightline.data.build.sieve import Sieve, doubted, not_voted_for, read_classes, unlicensed
from sightline.data.build.sizes import matched, read_sizes, write_sized
from sightline.errors import DataError, UsageError

ALLOWED = (
    "Attribution",
    "Attribution-NonCommercial",
    "Public Domain Dedication",
    "Public Domain Mark",
)


@dataclass(frozen=True, slots=True)
class Options:
    """Where the candidates and what is known of them lie, and what is asked of them."""

    candidates: Annotated[Path, "folder of images with a folder a class"]
    classes: Annotated[Path | None, "list of the class folders by label; else sorted"] = None
    licences: Annotated[Path | None, "table image,licence"] = None
    allowed: Annotated[tuple[str, ...], "licences, as the table writes them"] = ALLOWED
    against: Annotated[tuple[Path, ...], "existing splits: folders of images or of lists"] = ()
    images: Annotated[Path | None, "folder that image ids of existing lists are relative to"] = None
    distance: Annotated[int, "bits of 64 that near-identical images may differ in"] = NEAR
    votes: Annotated[Path | None, "table image, then a column a person: yes or no"] = None
    voters: Annotated[int, "people who vote"] = 3
    confidences: Annotated[Path | None, "table image,confidence: of the image's own class"] = None
    confidence: Annotated[float, "the least that is kept"] = 0.5
    sizes: Annotated[Path | None, "split whose sizes are matched: folder of lists or images"] = None
    per_class: Annotated[int, "images drawn for a class"] = 5

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        check_distance(self.distance)
        need(self.per_class >= 1 and self.voters >= 1, "--per-class and --voters start at 1")
        need(0 <= self.confidence <= 1, "--confidence is from 0 to 1")


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Send the candidates through all steps, then write what is left."""
    claimed = claim(out, "cub-v2", options, seed)
    groups = by_class(find_images(options.candidates), options.candidates)
    if not groups:
        raise UsageError(f"{options.candidates}: no image in it")
    classes = read_classes(options.classes, options.candidates, sorted(groups))
    of = {name: group for group, names in groups.items() for name in names}
    like = read_sizes(options.sizes) if options.sizes else []
    sieve = Sieve(of)
    sizes = {one.name: one.print.size for one in _sieved(sieve, options, out, workers)}
    kept = _drawn(sieve, of, options.per_class, seed)
    sizes = {name: sizes[name] for name in kept}
    sizes = matched(sizes, like) if like else sizes
    claimed.note()

    def write(name: str) -> Listed:
        write_sized(options.candidates / name, out / "images" / name, sizes[name])
        return Listed(name, classes.index(of[name]), sizes[name])

    ordered = sorted(kept, key=lambda name: (classes.index(of[name]), name))
    tables: dict[str, Sequence[Row]] = {
        "funnel": sieve.funnel,
        "classes short of images": _short(classes, [of[name] for name in kept], options.per_class),
    }
    fates: list[Row] = [
        {"image": name, "class": of[name], "left out by": sieve.fates.get(name, "")}
        for name in sorted(of)
    ]
    written = (
        *write_tables({**tables, "candidates": fates}, out),
        write_classes(out, classes),
        *write_lists(out, each(write, ordered, workers, "writing images")),
    )
    summary = (("images", len(kept)), ("of candidates", len(of)), ("classes", len(classes)))
    return Built(summary, tables, written)


def _sieved(sieve: Sieve, options: Options, out: Path, workers: int) -> list[Seen]:
    """Do all steps but the draw, in the paper's order; give what images are recognised by."""
    known = frozenset(sieve.left)
    licences, votes, confidences = options.licences, options.votes, options.confidences
    sieve.passes(
        "licence",
        unlicensed(licences, sieve.left, known, options.allowed) if licences else None,
    )
    files = {name: options.candidates / name for name in sieve.left}
    seen, unreadable = look(files, workers, out)
    sieve.passes("unreadable", {name: fault.what for name, fault in unreadable.items()})
    repeated = find_repeats(seen, options.distance)
    sieve.passes("repeats a candidate", {name: one.name for name, one in repeated.items()})
    seen = [one for one in seen if one.name not in repeated]
    sieve.passes("in an existing split", _elsewhere(seen, options, out, workers))
    sieve.passes(
        "votes",
        not_voted_for(votes, sieve.left, known, options.voters) if votes else None,
    )
    sieve.passes(
        "confidence",
        doubted(confidences, sieve.left, known, options.confidence) if confidences else None,
    )
    return seen


def _elsewhere(
    seen: Sequence[Seen], options: Options, out: Path, workers: int
) -> dict[str, str] | None:
    """Find candidates that look like an image of an existing split; those must be readable."""
    faults: dict[str, str] = {}
    for folder in options.against:
        existing, unreadable = look(find_members(folder, options.images), workers, out)
        if unreadable:
            raise DataError(list(unreadable.values()))
        for name, (image, apart) in find_known(seen, existing, options.distance).items():
            faults.setdefault(name, f"{folder}, {image.name}, {apart} bits apart")
    return faults if options.against else None


def _drawn(sieve: Sieve, of: Mapping[str, str], count: int, seed: int) -> list[str]:
    groups: dict[str, list[str]] = {}
    for name in sieve.left:
        groups.setdefault(of[name], []).append(name)
    kept = {name for names in groups.values() for name in draw(names, count, seed)}
    sieve.passes("not drawn", {name: "by chance" for name in sieve.left if name not in kept})
    return sieve.left


def _short(classes: Sequence[str], kept: Sequence[str], needed: int) -> list[Row]:
    """List the classes that have less than is needed."""
    return [
        {"class": name, "images": kept.count(name), "needed": needed}
        for name in classes
        if kept.count(name) < needed
    ]

"""Leaks: images that stand in two splits, byte for byte or to the eye."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from sightline.data.build.built import Built, Row, write_tables
from sightline.data.build.files import find_images, locate
from sightline.data.build.lists import IDS, read_ids
from sightline.data.build.perceptual import BITS, Fingerprint, fingerprints, hashes, near_pairs
from sightline.errors import Problem, UsageError

NEAR = 6  # bits: what a change of brightness or strong compression costs at most
LEAKS, UNREADABLE = "leaks", "unreadable"


@dataclass(frozen=True, slots=True)
class Member:
    """An image of a split."""

    name: str
    file: Path


Splits = Mapping[str, Sequence[Member]]


@dataclass(frozen=True, slots=True)
class _Known:
    split: str
    name: str
    print: Fingerprint


def read_members(folder: Path, images: Path | None) -> list[Member]:
    """Find the images of a split: those that its lists name, or all in an image folder."""
    if (folder / f"{IDS}.txt").is_file():
        root = images or folder
        names = read_ids(folder)
        if not images and names and not (root / names[0]).is_file():
            raise UsageError(f"{folder} lists images that do not lie in it; pass --images FOLDER")
    else:
        root, names = folder, find_images(folder)
    if not names:
        raise UsageError(f"{folder}: no image in it")
    return [Member(name, file) for name, file in zip(names, locate(root, names), strict=True)]


def find_leaks(
    splits: Splits, distance: int, workers: int
) -> tuple[list[Row], list[Row], dict[str, list[Fingerprint | Problem]]]:
    """List images that two splits share, and those that cannot be read.

    Args:
        splits: the images of each split.
        distance: how many of the 64 bits may differ for two images to count as near-identical.
        workers: threads that decode.

    Returns:
        the lines of the table of leaks and of that of unreadable images, and what every image of a
        split is recognised by.
    """
    check_distance(distance)
    files = [member.file for members in splits.values() for member in members]
    rest = iter(fingerprints(files, workers))
    prints = {name: [next(rest) for _ in members] for name, members in splits.items()}
    known: dict[str, list[_Known]] = {}
    unreadable: list[Row] = []
    for name, members in splits.items():
        known[name] = []
        for member, found in zip(members, prints[name], strict=True):
            if isinstance(found, Problem):
                unreadable.append({"split": name, "image": member.name, "what": found.what})
            else:
                known[name].append(_Known(name, member.name, found))
    leaks: list[Row] = []
    for first, second in combinations(known.values(), 2):
        leaks += _between(first, second, distance)
    return leaks, unreadable, prints


def check_distance(distance: int) -> None:
    """Refuse a distance that no two hashes, or any two, keep."""
    if not 0 <= distance < BITS // 2:
        raise UsageError(
            f"distance is {distance}; it is a number of bits from 0 to {BITS // 2 - 1}"
        )


def _between(first: Sequence[_Known], second: Sequence[_Known], distance: int) -> Iterator[Row]:
    bits = [hashes([one.print for one in side]) for side in (first, second)]
    pairs = near_pairs(bits[0], bits[1], distance)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], pairs[:, 2]))
    for i, j, apart in pairs[order].tolist():
        a, b = first[i], second[j]
        yield {
            "split": a.split,
            "image": a.name,
            "other split": b.split,
            "other image": b.name,
            "same": "bytes" if a.print.digest == b.print.digest else "look",
            "bits apart": apart,
        }


def count(leaks: Sequence[Row], same: str) -> int:
    """Count the leaks of a kind."""
    return sum(line["same"] == same for line in leaks)


def report(splits: Splits, leaks: Sequence[Row], unreadable: Sequence[Row], out: Path) -> Built:
    """Sum up leaks, and write them as tables."""
    summary: list[tuple[str, str | int | float]] = [
        (f"images of {name}", len(members)) for name, members in splits.items()
    ]
    summary += [
        ("identical across splits", count(leaks, "bytes")),
        ("near-identical across splits", count(leaks, "look")),
        ("unreadable", len(unreadable)),
    ]
    tables = {LEAKS: leaks, UNREADABLE: unreadable}
    return Built(tuple(summary), tables, write_tables(tables, out))

"""Leaks: images that stand in two splits, byte for byte or to the eye."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from sightline.data.build.built import Row
from sightline.data.build.files import find_images, locate
from sightline.data.build.lists import IDS, read_ids
from sightline.data.build.perceptual import (
    BITS,
    Fingerprint,
    Hashes,
    fingerprints,
    near_pairs,
    repeats,
)
from sightline.errors import Problem, UsageError

NEAR = 6  # bits: what a change of brightness or strong compression costs at most


@dataclass(frozen=True, slots=True)
class Seen:
    """An image of a split, and what it is recognised by."""

    name: str
    print: Fingerprint


def find_members(folder: Path, images: Path | None) -> dict[str, Path]:
    """Find the images of a split: those that its lists name, or all in an image folder."""
    if (folder / f"{IDS}.txt").is_file():
        names = read_ids(folder)
        root = images or _root(folder, names)
    else:
        root, names = folder, find_images(folder)
    if not names:
        raise UsageError(f"{folder}: no image in it")
    return dict(zip(names, locate(root, names), strict=True))


def _root(folder: Path, names: Sequence[str]) -> Path:
    """Find where listed images lie: in the folder, or in `images` in it or up to two above it."""
    whole = folder.resolve()
    places = (folder, *(place / "images" for place in (whole, *whole.parents[:2])))
    for place in places:
        if not names or (place / names[0]).is_file():
            return place
    raise UsageError(f"{folder} lists images that do not lie in it; pass --images FOLDER")


def look(
    members: Mapping[str, Path], workers: int, folder: Path
) -> tuple[list[Seen], dict[str, Problem]]:
    """Recognise images, those that can be read; `folder` remembers if this is interrupted."""
    prints = fingerprints(list(members.values()), workers, folder)
    seen: list[Seen] = []
    unreadable: dict[str, Problem] = {}
    for name, found in zip(members, prints, strict=True):
        if isinstance(found, Problem):
            unreadable[name] = found
        else:
            seen.append(Seen(name, found))
    return seen, unreadable


def find_leaks(splits: Mapping[str, Sequence[Seen]], distance: int) -> list[Row]:
    """List images that two splits share, the nearest first.

    Args:
        splits: the images of each split.
        distance: how many of the 64 bits may differ for two images to count as near-identical.
    """
    return [line for pair in combinations(splits, 2) for line in _between(splits, *pair, distance)]


def check_distance(distance: int) -> None:
    """Refuse a distance that no two hashes, or any two, keep."""
    if not 0 <= distance < BITS // 2:
        raise UsageError(
            f"distance is {distance}; it is a number of bits from 0 to {BITS // 2 - 1}"
        )


def _between(
    splits: Mapping[str, Sequence[Seen]], one: str, other: str, distance: int
) -> Iterator[Row]:
    first, second = splits[one], splits[other]
    pairs = near_pairs(_bits(first), _bits(second), distance)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], pairs[:, 2]))
    for i, j, apart in pairs[order].tolist():
        a, b = first[i], second[j]
        yield {
            "split": one,
            "image": a.name,
            "other split": other,
            "other image": b.name,
            "same": "bytes" if a.print.digest == b.print.digest else "look",
            "bits apart": apart,
        }


def _bits(images: Sequence[Seen]) -> Hashes:
    return np.array([image.print.bits for image in images], np.uint64)


def find_repeats(images: Sequence[Seen], distance: int) -> dict[str, Seen]:
    """Find the images that repeat an earlier one, and which."""
    original = repeats(_bits(images), distance)
    return {images[i].name: images[j] for i, j in enumerate(original.tolist()) if j >= 0}


def find_known(
    images: Sequence[Seen], known: Sequence[Seen], distance: int
) -> dict[str, tuple[Seen, int]]:
    """Find the images that look as a known one, and the nearest of those with its distance."""
    pairs = near_pairs(_bits(images), _bits(known), distance)
    found: dict[str, tuple[Seen, int]] = {}
    for i, j, apart in pairs.tolist():
        name = images[i].name
        if name not in found or apart < found[name][1]:
            found[name] = known[j], apart
    return found


def summed(leaks: Sequence[Row]) -> tuple[tuple[str, int], ...]:
    """Count leaks by their kind."""
    same = [line["same"] for line in leaks]
    return (
        ("identical across splits", same.count("bytes")),
        ("near-identical across splits", same.count("look")),
    )

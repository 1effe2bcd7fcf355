"""Where subjects looked, for the images of a part data set.

A CSV has the columns image, subject, order, x, y in the images' pixels. PASCAL-S numbers its images
anew, so that they are matched by what they show: perceptual hashes that differ in few bits, then
the pixels themselves.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from sightline.data.build.perceptual import fingerprints, near_pairs
from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.photographs import open_upright
from sightline.errors import DataError, Problem, UsageError
from sightline.parts.annotated import Annotated
from sightline.parts.prepared import numbers, read_table, whole_numbers, write_table
from sightline.types import Fixation, LedgerEntry

COLUMNS = ("image", "subject", "order", "x", "y")
MATCHES = ("image", "matches", "bits", "difference")
BITS = 8  # in which hashes of the same picture may differ
DIFFERENCE = 8.0  # of gray values, mean, likewise
SIDE = 32  # of the small pictures that are compared


@dataclass(frozen=True, slots=True)
class Gazes:
    """Fixations by image, and what could not be used."""

    by_image: Mapping[str, tuple[Fixation, ...]]
    unmatched: tuple[str, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()


def read_gazes(place: str, objects: Sequence[Annotated], out: Path) -> Gazes:
    """Read fixations for objects: a CSV by name, or PASCAL-S by content."""
    if place.endswith(".csv"):
        return _from_table(Path(place), objects)
    data = read_dataset(place)
    if not data.truth.has_fixations:
        raise UsageError(f"{place}: no fixations are known in it; see docs/parts.md")
    ledger = Ledger()
    looked = data.truth.fixations("study", ledger)
    pictures = {one.image: one.picture for one in objects}
    matches, unmatched = match(dict(zip(data.split.ids, data.pictures, strict=True)), pictures, out)
    found = {}
    for item, name in enumerate(data.split.ids):
        if name in matches:
            image = matches[name]
            size = open_upright(pictures[image]).size
            found[image] = _scaled(looked[item], open_upright(data.pictures[item]).size, size)
    return Gazes(found, tuple(unmatched), tuple(ledger.entries))


def match(
    wanted: Mapping[str, Path], known: Mapping[str, Path], out: Path
) -> tuple[dict[str, str], list[str]]:
    """Find for each picture the one that shows the same; write the table, list the others."""
    names, others = list(wanted), list(known)
    hashes = []
    for files in ([wanted[n] for n in names], [known[n] for n in others]):
        prints = fingerprints(files, 1, out)
        broken = [one for one in prints if isinstance(one, Problem)]
        if broken:
            raise DataError(broken)
        bits = [one.bits for one in prints if not isinstance(one, Problem)]
        hashes.append(np.array(bits, np.uint64))
    best: dict[str, tuple[float, int, str]] = {}
    for i, j, apart in near_pairs(hashes[0], hashes[1], BITS).tolist():
        difference = _difference(wanted[names[i]], known[others[j]])
        found = (difference, apart, others[j])
        if difference <= DIFFERENCE and found < best.get(names[i], (np.inf, 0, "")):
            best[names[i]] = found
    lines = [
        (name, best[name][2], best[name][1], f"{best[name][0]:.2f}")
        if name in best
        else (name, "", "", "")
        for name in names
    ]
    write_table(out / "matches.csv", MATCHES, lines)
    (out / ".fingerprints.jsonl").unlink(missing_ok=True)
    return {name: found[2] for name, found in best.items()}, [n for n in names if n not in best]


def _difference(first: Path, second: Path) -> float:
    small = [
        cv2.resize(
            np.asarray(open_upright(file).convert("L"), np.float32),
            (SIDE, SIDE),
            interpolation=cv2.INTER_AREA,
        )
        for file in (first, second)
    ]
    return float(np.abs(small[0] - small[1]).mean())


def _scaled(
    fixations: Sequence[Fixation], of: tuple[int, int], to: tuple[int, int]
) -> tuple[Fixation, ...]:
    across, down = to[0] / of[0], to[1] / of[1]
    return tuple(replace(one, x=one.x * across, y=one.y * down) for one in fixations)


def _from_table(file: Path, objects: Sequence[Annotated]) -> Gazes:
    """Take fixations by the images' names, with or without suffix."""
    known = {name: one.image for one in objects for name in (one.image, Path(one.image).stem)}
    found: dict[str, list[Fixation]] = defaultdict(list)
    unmatched: dict[str, None] = {}
    for line, row in read_table(file, COLUMNS):
        (order,) = whole_numbers(file, line, row, ("order",))
        x, y = numbers(file, line, row, ("x", "y"))
        image = known.get(row["image"])
        if image is None:
            unmatched[row["image"]] = None
        else:
            found[image].append(Fixation(row["subject"], order, x, y))
    if not found:
        what = "names no image of this data set"
        raise DataError([Problem(what, str(file), remedy="write image ids as in objects.csv")])
    return Gazes({image: tuple(of) for image, of in found.items()}, tuple(unmatched))

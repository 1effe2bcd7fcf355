"""Perceptual hashes: 64 bits that survive resizing, compression and a change of brightness.

The picture is made grey and 32 x 32. Of its cosine transform the 64 lowest frequencies are taken
in the order of the sum of their two indices, the mean left out; a bit tells whether a coefficient
is above the median of all 64. Pictures that look the same differ in few bits, others in about half.
Flat pictures have nothing but their mean, and all look the same.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.build.files import each
from sightline.data.photographs import open_upright
from sightline.errors import DataError, Problem
from sightline.progress import shown
from sightline.rows import file_hash

Hashes = NDArray[np.uint64]
Key = tuple[str, int, int]  # path, bytes and time of change of a file
BITS = 64
SIDE = 32
GRAIN = 1  # decimals kept: what is smaller is rounding of a flat picture
BLOCK = 1 << 22  # pairs compared at a time
MEMORY = ".fingerprints.jsonl"
_LOWEST = sorted(((i, j) for i in range(SIDE) for j in range(SIDE)), key=lambda at: (sum(at), at))
_ROWS, _COLUMNS = np.array(_LOWEST[1 : BITS + 1]).T


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a picture is recognised by."""

    digest: str  # of the file's bytes
    bits: int
    size: tuple[int, int]  # width and height as seen, upright


def perceptual_hash(grey: NDArray[Any]) -> int:
    """Hash a grey picture."""
    small = cv2.resize(grey.astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    low = np.round(cv2.dct(small)[_ROWS, _COLUMNS], GRAIN)
    return int.from_bytes(np.packbits(low > np.median(low)).tobytes(), "big")


def fingerprint(file: Path) -> Fingerprint | Problem:
    """Read a picture file and hash it, or tell what is wrong with it."""
    try:
        picture = open_upright(file)
    except DataError as error:
        return error.problems[0]
    bits = perceptual_hash(np.asarray(picture.convert("L")))
    return Fingerprint(file_hash(file), bits, picture.size)


def fingerprints(files: Sequence[Path], workers: int, folder: Path) -> list[Fingerprint | Problem]:
    """Hash many pictures on several threads; `folder` remembers them if this is interrupted."""
    memory = folder / MEMORY
    known = _remembered(memory)
    with _written_down(memory) as note:

        def work(file: Path) -> Fingerprint | Problem:
            key = _key(file)
            found = known.get(key) or fingerprint(file)
            if isinstance(found, Fingerprint) and key not in known:
                note(key, found)
            return found

        return each(work, files, workers, "hashing images")


def _key(file: Path) -> Key:
    status = file.stat()
    return str(file.resolve()), status.st_size, status.st_mtime_ns


def _remembered(memory: Path) -> dict[Key, Fingerprint]:
    known: dict[Key, Fingerprint] = {}
    lines = memory.read_bytes().splitlines() if memory.is_file() else []
    for line in lines:
        try:
            path, size, changed, digest, bits, width, height = json.loads(line)
        except ValueError:
            continue  # cut short by a kill
        known[path, size, changed] = Fingerprint(digest, bits, (width, height))
    return known


@contextmanager
def _written_down(memory: Path) -> Iterator[Callable[[Key, Fingerprint], None]]:
    memory.parent.mkdir(parents=True, exist_ok=True)
    lock = Lock()
    with memory.open("ab") as stream:

        def note(key: Key, found: Fingerprint) -> None:
            line = json.dumps([*key, found.digest, found.bits, *found.size])
            with lock:
                stream.write(f"\n{line}".encode())

        yield note


def near_pairs(first: Hashes, second: Hashes, distance: int) -> NDArray[np.int64]:
    """Find all pairs at most so many bits apart: rows of index, index and distance."""
    found = [np.empty((0, 3), np.int64)]
    step = max(1, BLOCK // max(1, len(second)))
    with shown("comparing images", len(first)) as progress:
        for start in range(0, len(first), step):
            apart = np.bitwise_count(first[start : start + step, None] ^ second)
            i, j = np.nonzero(apart <= distance)
            found.append(np.stack([i + start, j, apart[i, j]], axis=1).astype(np.int64))
            progress(start)
    return np.concatenate(found)


def repeats(bits: Hashes, distance: int) -> NDArray[np.int64]:
    """Find for each picture the earlier one that it repeats, or -1.

    Only pictures that repeat none are compared with: a chain of small changes is not one picture.
    """
    original = np.full(len(bits), -1)
    with shown("comparing images", len(bits)) as progress:
        for i in range(len(bits)):
            if original[i] < 0:
                rest = original[i + 1 :]
                same = np.bitwise_count(bits[i + 1 :] ^ bits[i]) <= distance
                rest[same & (rest < 0)] = i
            progress(i)
    return original

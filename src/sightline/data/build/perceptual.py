"""Perceptual hashes: 64 bits that survive resizing, compression and a change of brightness.

The picture is made grey and 32 x 32. Of its cosine transform the 64 lowest frequencies are taken
in the order of the sum of their two indices, the mean left out; a bit tells whether a coefficient
is above the median of all 64. Pictures that look the same differ in few bits, others in about half.
"""

import hashlib
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from sightline.data.build.files import each
from sightline.errors import Problem
from sightline.progress import shown

Hashes = NDArray[np.uint64]
BITS = 64
SIDE = 32
DECODED = 4 * SIDE  # a JPEG is not decoded any finer than this needs
GRAIN = 1  # decimals kept: what is smaller is rounding of a flat picture
BLOCK = 1 << 22  # pairs compared at a time
_LOWEST = sorted(((i, j) for i in range(SIDE) for j in range(SIDE)), key=lambda at: (sum(at), at))
_ROWS, _COLUMNS = np.array(_LOWEST[1 : BITS + 1]).T
UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)


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
        content = file.read_bytes()
        with Image.open(io.BytesIO(content)) as picture:
            size = upright_size(picture)
            picture.draft("L", (DECODED, DECODED))  # does nothing unless it is a JPEG
            bits = perceptual_hash(_grey(ImageOps.exif_transpose(picture)))
    except UNREADABLE as error:
        what = f"image cannot be read ({error})"
        return Problem(what, str(file), remedy="replace or remove the file")
    return Fingerprint(hashlib.sha256(content).hexdigest(), bits, size)


def upright_size(picture: Image.Image) -> tuple[int, int]:
    """Tell the width and height of a picture when it is turned as its EXIF data asks."""
    turned = picture.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    return (picture.height, picture.width) if turned else (picture.width, picture.height)


def _grey(picture: Image.Image) -> NDArray[Any]:
    deep = picture.mode.startswith(("I", "F"))  # more than 8 bits: converting would clip them
    return np.asarray(picture if deep else picture.convert("RGB").convert("L"))


def fingerprints(
    files: Sequence[Path], workers: int, title: str = "hashing images"
) -> list[Fingerprint | Problem]:
    """Hash many pictures on several threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        return each(fingerprint, files, workers, title)


def hashes(prints: Sequence[Fingerprint]) -> Hashes:
    """Put hashes side by side."""
    return np.array([one.bits for one in prints], np.uint64)


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


def nearest(first: Hashes, second: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find for each of the first the nearest of the second: its index and distance."""
    indices, apart = np.full(len(first), -1), np.full(len(first), BITS + 1)
    step = max(1, BLOCK // max(1, len(second)))
    for start in range(0, len(first) if len(second) else 0, step):
        block = np.bitwise_count(first[start : start + step, None] ^ second)
        indices[start : start + step] = block.argmin(axis=1)
        apart[start : start + step] = block.min(axis=1)
    return indices, apart


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

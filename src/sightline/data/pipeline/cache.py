"""Decoded photographs on disk, so that every epoch but the first decodes nothing.

One file holds those of a list, a slot each: the resized bytes, then the stamp of the photograph's
file as it was when decoded, then the sum of the bytes. A slot is written front to back and counts
only if stamp and sum are right. Therefore a kill in between, a crash that loses some of it or a
changed photograph leave a slot that is decoded again, and any number of threads and processes fill
one file at the same time. (A file for each photograph would be simpler, but on ext4 creating it
costs 0.2 ms, five times as much as writing it.)

Reading maps a slot, and the mapping goes when the array does: memory does not grow with the number
of photographs. Writing goes through the file, as a mapping would end the process on a full disk. A
cache that cannot be written is left alone, and `complaint` says why.
"""

import errno
import hashlib
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import PIL
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

LAYOUT = 1  # raise it when bytes come to mean something else
RESERVE = 10**9  # bytes of the disk that are left free, for checkpoints among others
SUFFIX = ".photographs"
TAIL = 16  # bytes behind the pixels: stamp and sum


def default_folder() -> Path:
    """Tell where caches lie: in SIGHTLINE_HOME, or else in the user's folder for caches."""
    home = os.environ.get("SIGHTLINE_HOME")
    if home:
        return Path(home) / "photographs"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "sightline" / "photographs"


def kept(folder: Path) -> Iterator[tuple[Path, int]]:
    """List the caches in a folder, with the bytes that they take up on the disk."""
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        yield file, file.stat().st_blocks * 512


def clear(folder: Path) -> None:
    """Delete the caches in a folder and nothing else; who is reading one is not disturbed."""
    for file, _ in kept(folder):
        file.unlink(missing_ok=True)


class Cache:
    """The photographs of one list of files, resized to a square."""

    def __init__(self, folder: Path, files: Sequence[Path], sizes: NDArray[Any], side: int) -> None:
        self.complaint = ""
        self._files = files
        self._shape = side, side, 3
        self._count = side * side * 3
        self._slot = -(-(self._count + TAIL) // mmap.ALLOCATIONGRANULARITY)
        self._slot *= mmap.ALLOCATIONGRANULARITY
        self._file = folder / f"{_key(files, sizes, side)}{SUFFIX}"
        self._handle = -1
        try:
            self._open()
        except OSError as error:
            self._complain(error)

    def __del__(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)

    def get(self, index: int, decode: Callable[[int], Bytes]) -> Bytes:
        """Give the pixels at an index: the kept ones if the file is what it was, or else decode."""
        if self._handle < 0:
            return decode(index)
        try:
            stamp = _stamp(self._files[index])
        except OSError:
            return decode(index)  # which says what is wrong
        pixels = self._kept(index, stamp)
        if pixels is None:
            pixels = decode(index)
            self._keep(index, stamp, pixels)
        return pixels

    def _open(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        os.truncate(self._handle, self._slot * len(self._files))  # takes up nothing yet

    def _kept(self, index: int, stamp: bytes) -> Bytes | None:
        place = index * self._slot
        try:
            slot = mmap.mmap(self._handle, self._slot, access=mmap.ACCESS_READ, offset=place)
        except (OSError, ValueError):
            return None
        tail = slot[self._count : self._count + TAIL]
        if tail[: len(stamp)] != stamp:
            return None
        pixels = np.frombuffer(slot, np.uint8, self._count).reshape(self._shape)
        return pixels if tail == stamp + _sum(pixels) else None

    def _keep(self, index: int, stamp: bytes, pixels: Bytes) -> None:
        if self.complaint:
            return
        try:
            if shutil.disk_usage(self._file.parent).free < RESERVE:
                raise _full()
            slot = pixels.data, stamp + _sum(pixels)
            if os.pwritev(self._handle, slot, index * self._slot) != self._count + TAIL:
                raise _full()
        except OSError as error:
            self._complain(error)

    def _complain(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.complaint = f"{self._file}: decoded photographs are not kept ({reason})"


def _key(files: Sequence[Path], sizes: NDArray[Any], side: int) -> str:
    """Hash what decides about the bytes, but for the files' content."""
    digest = hashlib.sha256(f"{LAYOUT} {PIL.__version__} {side} {len(files)}\n".encode())
    digest.update(np.ascontiguousarray(sizes, np.int64).tobytes())
    for file in files:
        digest.update(os.fsencode(os.path.abspath(file)) + b"\0")  # noqa: PTH100, much the faster
    return digest.hexdigest()[:16]


def _stamp(file: Path) -> bytes:
    """Hash what changes when a file does, its place on the disk and its history included."""
    status = os.stat(file)  # noqa: PTH116, the faster
    text = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
    return hashlib.blake2b(text.encode(), digest_size=TAIL // 2).digest()


def _sum(pixels: Bytes) -> bytes:
    """Add up the bytes, eight at a time."""
    flat = pixels.reshape(-1)
    whole = len(flat) // 8 * 8
    total = int(flat[:whole].view(np.uint64).sum()) + int(flat[whole:].sum())
    return (total % 2**64).to_bytes(TAIL // 2)


def _full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

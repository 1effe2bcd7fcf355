"""Decoded photographs on disk, so that every epoch but the first decodes nothing.

One file holds them: a record of 16 bytes for each photograph, then the resized bytes of all. An
entry counts as filled when its record names the photograph's file as it is now (path, size and time
of change) and the sum of its bytes. The record is written last, so that a kill in between leaves an
entry that is empty; the sum is checked once in each process, so that a crash of the whole machine
does too. Workers may fill different entries at the same time, and the same one with the same bytes.

Writing goes through the file, not through the mapping: on a full disk that is an error to be dealt
with, where a mapping would end the process. A cache that cannot be written is left alone:
photographs are decoded each time, and `complaint` says why. Reading maps the file, and gives the
pages back now and then, so that resident memory does not grow with the number of photographs.
"""

import errno
import hashlib
import json
import mmap
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import rows

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

LAYOUT = 1  # part of a cache's key: raise it when bytes come to mean something else
RECORD = 16
READ_UNTIL_RELEASE = 256  # entries


def default_folder() -> Path:
    """Tell where caches lie: in SIGHTLINE_HOME, or else in the user's folder for caches."""
    home = os.environ.get("SIGHTLINE_HOME")
    if home:
        return Path(home) / "photographs"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "sightline" / "photographs"


class Cache:
    """The resized photographs of one list of files."""

    def __init__(self, folder: Path, files: Sequence[Path], sizes: NDArray[Any], side: int) -> None:
        self.complaint = ""
        self._arguments = folder, files, sizes, side
        self._files = files
        self._shape = side, side, 3
        self._bytes = side * side * 3
        self._start = -(-RECORD * len(files) // mmap.PAGESIZE) * mmap.PAGESIZE
        self._identities = np.zeros(len(files), np.uint64)
        self._checked = np.zeros(len(files), np.bool_)
        self._read = 0
        self._map: mmap.mmap | None = None
        self._file = folder / _key(files, sizes, side) / "photographs.u8"
        self._try(self._open)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send another process what it needs to open the same file."""
        return Cache, self._arguments

    def get(self, index: int) -> Bytes | None:
        """Give the pixels of an entry, or nothing if it is not filled."""
        if self._map is None:
            return None
        identity, total = self._records[index].tolist()
        if not identity or identity != self._identity(index):
            return None
        pixels: Bytes = self._pixels[index]
        if not self._checked[index]:
            if _sum(pixels) != total:
                return None
            self._checked[index] = True
        self._read += 1
        if self._read % READ_UNTIL_RELEASE == 0 and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
        return pixels

    def put(self, index: int, pixels: Bytes) -> None:
        """Fill an entry; where that fails, complain and go on without."""
        if not self.complaint:
            self._try(lambda: self._write(index, pixels))

    def filled(self) -> int:
        """Count the entries that are filled."""
        return sum(self.get(index) is not None for index in range(len(self._files)))

    def _try(self, work: Any) -> None:
        try:
            work()
        except OSError as error:
            reason = error.strerror or str(error)
            self.complaint = f"{self._file}: decoded photographs are not kept ({reason})"

    def _open(self) -> None:
        count = len(self._files)
        length = self._start + count * self._bytes
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._describe()
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _refuse_if_too_large(handle, self._file, length)
            if os.fstat(handle).st_size != length:
                os.truncate(handle, length)
            mapped = mmap.mmap(handle, length, access=mmap.ACCESS_READ)
        finally:
            os.close(handle)
        self._records: Words = np.ndarray((count, 2), np.uint64, mapped)
        self._pixels: Bytes = np.ndarray((count, *self._shape), np.uint8, mapped, self._start)
        self._map = mapped

    def _describe(self) -> None:
        file = self._file.with_name("about.json")
        if not file.is_file():
            about = {
                "what": "photographs decoded and resized by sightline; may be deleted at any time",
                "photographs": len(self._files),
                "first": str(self._files[0]),
                "side": self._shape[0],
            }
            rows.write_whole(file, json.dumps(about, indent=1) + "\n")

    def _write(self, index: int, pixels: Bytes) -> None:
        identity = self._identity(index)
        handle = os.open(self._file, os.O_WRONLY)
        try:
            if self._records[index, 0]:
                _write_at(handle, bytes(RECORD), index * RECORD)
            _write_at(handle, pixels.tobytes(), self._start + index * self._bytes)
            record = np.array([identity, _sum(pixels)], np.uint64)
            _write_at(handle, record.tobytes(), index * RECORD)
        finally:
            os.close(handle)
        self._checked[index] = True

    def _identity(self, index: int) -> int:
        """Hash a file's path, size and time of change, as they were when first asked for."""
        if not self._identities[index]:
            file = self._files[index]
            try:
                status = file.stat()
            except OSError:
                return 0
            text = f"{file}\0{status.st_size}\0{status.st_mtime_ns}"
            digest = hashlib.blake2b(os.fsencode(text), digest_size=8).digest()
            self._identities[index] = int.from_bytes(digest) | 1
        return int(self._identities[index])


def _key(files: Sequence[Path], sizes: NDArray[Any], side: int) -> str:
    """Hash what decides about the bytes, but for the files' content."""
    digest = hashlib.sha256(f"{LAYOUT} {side} {len(files)}".encode())
    digest.update(np.ascontiguousarray(sizes, np.int64).tobytes())
    for file in files:
        digest.update(os.fsencode(os.path.abspath(file)) + b"\0")  # noqa: PTH100, much the faster
    return digest.hexdigest()[:16]


def _sum(pixels: Bytes) -> int:
    """Add up bytes, eight at a time; what was lost is zero or old, and changes the sum."""
    flat = pixels.reshape(-1)
    whole = len(flat) // 8 * 8
    return (int(flat[:whole].view(np.uint64).sum()) + int(flat[whole:].sum())) % 2**64


def _write_at(handle: int, data: bytes, place: int) -> None:
    if os.pwrite(handle, data, place) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _refuse_if_too_large(handle: int, file: Path, length: int) -> None:
    missing = length - os.fstat(handle).st_blocks * 512
    free = shutil.disk_usage(file.parent).free
    if missing > free:
        needs = f"needs {missing / 1e9:.1f} GB more, {free / 1e9:.1f} GB are free"
        raise OSError(errno.ENOSPC, needs)

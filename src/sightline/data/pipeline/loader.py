"""Batches of photographs, the same for any number of workers and from wherever one starts.

Which photographs make up a batch, and how each is cropped and flipped, follows from the seed, the
epoch and the photograph's index alone. Workers are threads, since decoding, resizing and arranging
run without the interpreter lock.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sightline.data.photographs import Size, open_photograph
from sightline.data.pipeline import draws, transforms
from sightline.data.pipeline.ahead import ahead
from sightline.data.pipeline.cache import Cache, default_folder
from sightline.data.pipeline.kernels import arrange
from sightline.data.pipeline.planes import Planes
from sightline.data.pipeline.transforms import Geometry, Transform
from sightline.errors import DataError, Problem, UsageError

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Problems = tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """How photographs are read; only `batch` and `drop_last` change what a batch holds."""

    batch: Annotated[int, "photographs in a batch, over all processes"] = 32
    workers: Annotated[
        int | None, "threads that make batches, 0 for none; one a processor if not given"
    ] = None
    drop_last: Annotated[bool, "leave out the last batch of an epoch if it is not full"] = False
    on_error: Annotated[
        Literal["stop", "skip"], "stop at a broken photograph, or leave it out and list it"
    ] = "stop"
    cache: Annotated[bool, "keep decoded photographs on disk; later epochs decode nothing"] = True
    cache_folder: Annotated[
        Path | None, "where (SIGHTLINE_HOME or the user's folder for caches if not given)"
    ] = None

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.batch < 1:
            raise UsageError(f"a batch of {self.batch} is none; give 1 or more")
        if self.workers is not None and self.workers < 0:
            raise UsageError(f"{self.workers} workers are none; give 0 or more")
        if self.on_error not in ("stop", "skip"):
            raise UsageError(f"on_error is stop or skip, not '{self.on_error}'")

    @property
    def threads(self) -> int:
        """Tell how many threads make batches."""
        return (os.cpu_count() or 1) if self.workers is None else self.workers


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some photographs as a network gets them, and which they are."""

    number: int  # in its epoch
    indices: Ints  # (B,), without those that could not be read; B may be 0
    images: Floats  # (B, 3, side, side)
    masks: Bytes | None = None  # (B, side, side), in the codes of `sightline.types`


class Part(NamedTuple):
    """Which share of every batch a process reads: its rank among how many."""

    rank: int = 0
    world: int = 1

    def of(self, count: int) -> tuple[int, int]:
        """Tell where this share of some photographs begins and ends."""
        return count * self.rank // self.world, count * (self.rank + 1) // self.world


class Loader:
    """Reads a list of photographs, epoch by epoch.

    Args:
        files: the photographs; their places in this list are the indices of a batch.
        sizes: (N, 2), width and height that the annotations state, 0 where unknown; see
            `sightline.data.photographs`.
        planes: gives the mask of an index, (height, width) over the whole photograph, in the codes
            of `sightline.types`; it moves with the photograph's pixels. Threads call it. See
            `sightline.data.pipeline.planes`.
        transform: sizes and normalization.
        reading: batches, workers, cache, and what happens to broken photographs.
        seed: of the order, the crops and the flips.
        training: shuffle, crop and flip. Otherwise photographs come in order, whole.
    """

    def __init__(
        self,
        files: Sequence[Path],
        *,
        sizes: NDArray[Any] | None = None,
        planes: Planes | None = None,
        transform: Transform | None = None,
        reading: Reading | None = None,
        seed: int = 0,
        training: bool = True,
    ) -> None:
        self.transform, self.reading = transform or Transform(), reading or Reading()
        self.seed, self.training = seed, training
        self.left_out: dict[int, Problems] = {}  # by index, with on_error "skip"
        self._files, self._planes = files, planes
        self._sizes = np.zeros((len(files), 2), np.int64) if sizes is None else sizes
        self._resized = self.transform.resized(training)
        self._side = self.transform.side(training)
        self._levels = transforms.levels(self.transform)
        self._cache = None
        if self.reading.cache:
            folder = self.reading.cache_folder or default_folder()
            self._cache = Cache(folder, files, self._sizes, self._resized)

    def __len__(self) -> int:
        """Count the batches of an epoch."""
        count, size = len(self._files), self.reading.batch
        return count // size if self.reading.drop_last else -(-count // size)

    @property
    def complaint(self) -> str:
        """Say why decoded photographs are not kept, or nothing if they are."""
        return self._cache.complaint if self._cache else ""

    def epoch(
        self, epoch: int = 0, *, start: int = 0, part: tuple[int, int] = (0, 1)
    ) -> Iterator[Batch]:
        """Give the batches of an epoch.

        A broken photograph stops it with the DataError that names the file; with on_error "skip" it
        is missing from its batch, whose other photographs stay what they are.

        Args:
            epoch: which one; every epoch has its own order, crops and flips.
            start: the number of the first batch, to go on in the middle of an epoch.
            part: rank and number of processes that share every batch. Shares are consecutive;
                together, in the order of ranks, they are the batch of a single process.
        """
        share = Part(*part)
        if not 0 <= share.rank < share.world:
            raise UsageError(f"there is no part {share.rank} of {share.world}")
        if not 0 <= start <= len(self):
            raise UsageError(f"an epoch of {len(self)} batches has none numbered {start}")
        return self._batches(epoch, start, share)

    def picture(self, index: int) -> Bytes:
        """Give a photograph resized, (side, side, 3); DataError names a file that is broken."""
        return self._cache.get(index, self._decoded) if self._cache else self._decoded(index)

    def _decoded(self, index: int) -> Bytes:
        size: Size = int(self._sizes[index, 0]), int(self._sizes[index, 1])
        image = open_photograph(self._files[index], size=size)
        return np.asarray(image.resize((self._resized, self._resized), Image.Resampling.BILINEAR))

    def _batches(self, epoch: int, start: int, share: Part) -> Iterator[Batch]:
        order = self._order(epoch)
        size, stopped = self.reading.batch, threading.Event()

        def make(number: int) -> tuple[Batch, dict[int, Problems]]:
            items = order[number * size : (number + 1) * size]
            first, last = share.of(len(items))
            return self._batch(epoch, number, items[first:last], stopped)

        numbers = range(start, len(self))
        for batch, problems in ahead(make, numbers, self.reading.threads, stopped):
            self.left_out.update(problems)
            yield batch

    def _order(self, epoch: int) -> Ints:
        count = len(self._files)
        return draws.order(self.seed, epoch, count) if self.training else np.arange(count)

    def _batch(
        self, epoch: int, number: int, items: Ints, stopped: threading.Event
    ) -> tuple[Batch, dict[int, Problems]]:
        side = self._side
        images = np.empty((len(items), 3, side, side), np.float32)
        masks = np.empty((len(items), side, side), np.uint8) if self._planes else None
        kept: list[int] = []
        problems: dict[int, Problems] = {}
        for index, part in zip(items.tolist(), self._parts(epoch, items), strict=True):
            if stopped.is_set():
                break
            place = len(kept)
            try:
                self._fill(index, part, images[place], masks if masks is None else masks[place])
                kept.append(index)
            except DataError as error:
                if self.reading.on_error == "stop":
                    raise
                problems[index] = error.problems
        images, masks = images[: len(kept)], masks if masks is None else masks[: len(kept)]
        return Batch(number, np.array(kept, np.int64), images, masks), problems

    def _fill(self, index: int, part: Geometry, image: Floats, mask: Bytes | None) -> None:
        """Write a photograph and its mask into their places of a batch."""
        picture = self.picture(index)
        if mask is not None and self._planes:
            mask[:] = transforms.moved(self._planes(index), part, self._resized, self._side)
        arrange(picture, part.x, part.y, part.flip, self._levels, image)

    def _parts(self, epoch: int, items: Ints) -> list[Geometry]:
        """Tell which part of each photograph is taken."""
        if not self.training:
            return [Geometry(0, 0, False)] * len(items)
        return transforms.geometries(self.transform, self.seed, epoch, items)

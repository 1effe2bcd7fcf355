"""Single photographs as a network gets them, by index: what every kind of loader is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sightline.data.photographs import open_photograph
from sightline.data.pipeline import transforms
from sightline.data.pipeline.cache import Cache
from sightline.data.pipeline.kernels import arrange
from sightline.data.pipeline.transforms import Geometry, Transform

Bytes = NDArray[np.uint8]


class Pictures:
    """Photographs as bytes, resized to a square, from the cache or from their files."""

    def __init__(
        self,
        files: Sequence[Path],
        side: int,
        sizes: NDArray[Any] | None = None,
        cache_folder: Path | None = None,
    ) -> None:
        self.side = side
        self._files = tuple(files)
        self._sizes = np.zeros((len(self._files), 2), np.int64) if sizes is None else sizes
        self.cache = None
        if cache_folder is not None and self._files:
            self.cache = Cache(cache_folder, self._files, self._sizes, side)

    def __len__(self) -> int:
        return len(self._files)

    def kept(self, index: int) -> Bytes | None:
        """Give a photograph from the cache, or nothing."""
        return self.cache.get(index) if self.cache else None

    def get(self, index: int) -> Bytes:
        """Give a photograph, (side, side, 3), read-only; DataError names a file that is broken."""
        kept = self.kept(index)
        if kept is not None:
            return kept
        width, height = map(int, self._sizes[index])
        image = open_photograph(self._files[index], size=(width, height))
        resized = image.resize((self.side, self.side), Image.Resampling.BILINEAR)
        pixels = np.asarray(resized)
        if self.cache:
            self.cache.put(index, pixels)
        return pixels


@dataclass(frozen=True)
class Samples:
    """The photographs of one epoch, as floats and by index; fit for torch's `DataLoader`.

    A test sample has no crop and no flip, and is the same in every epoch.
    """

    pictures: Pictures
    transform: Transform
    training: bool
    seed: int = 0
    epoch: int = 0

    def __len__(self) -> int:
        return len(self.pictures)

    def __getitem__(self, index: int) -> tuple[NDArray[np.float32], int]:
        """Give a photograph, (3, side, side), and its index."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        side = self.transform.side(self.training)
        out = np.empty((1, 3, side, side), np.float32)
        self.fill(out, [self.pictures.get(index)], [index])
        return out[0], index

    def fill(
        self, out: NDArray[np.float32], pictures: Sequence[Bytes], indices: Sequence[int]
    ) -> None:
        """Crop, flip and normalize some pictures into a batch, (B, 3, side, side)."""
        levels = transforms.levels(self.transform)
        parts = self.geometries(indices)
        for target, picture, part in zip(out, pictures, parts, strict=True):
            arrange(picture, part.x, part.y, part.flip, levels, target)

    def geometries(self, indices: Sequence[int]) -> list[Geometry]:
        """Tell which part of each photograph is taken, so that its mask can be moved with it."""
        if not self.training:
            return [Geometry(0, 0, False)] * len(indices)
        wanted = np.asarray(indices, np.int64)
        return transforms.geometries(self.transform, self.seed, self.epoch, wanted)

"""Photographs to read, and the plain definition of what reading them gives."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Geometry, Transform, geometries

SMALL = Transform(resize=24, crop=20, test_resize=20)


def saved(file: Path, seed: int = 0, size: tuple[int, int] = (30, 22)) -> Path:
    """Write a photograph of noise that is smooth enough for every pixel to differ."""
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(file)
    return file


@dataclass
class Album:
    """Some photographs on disk, and loaders of them."""

    files: list[Path]
    cache: Path

    def loader(
        self, *, training=True, seed=0, sizes=None, planes=None, transform=SMALL, **reading
    ) -> Loader:
        chosen = {"batch": 4, "workers": 2, "cache_folder": self.cache, **reading}
        return Loader(
            self.files,
            sizes=sizes,
            planes=planes,
            transform=transform,
            reading=Reading(**chosen),
            seed=seed,
            training=training,
        )

    def part(self, index: int, *, epoch=0, seed=0, transform=SMALL) -> Geometry:
        return geometries(transform, seed, epoch, np.array([index]))[0]

    def plain(
        self, index: int, part: Geometry, transform: Transform, training: bool = True
    ) -> np.ndarray:
        """Read a photograph as one would write it down."""
        side = transform.resize if training else transform.test_resize
        image = (
            Image.open(self.files[index])
            .convert("RGB")
            .resize((side, side), Image.Resampling.BILINEAR)
        )
        pixels = np.array(image)
        if training:
            crop = transform.crop
            pixels = pixels[part.y : part.y + crop, part.x : part.x + crop]
        if part.flip:
            pixels = pixels[:, ::-1]
        scaled = pixels.astype(np.float32) / np.float32(255)
        normalized = (scaled - np.float32(transform.mean)) / np.float32(transform.std)
        return normalized.transpose(2, 0, 1)


@pytest.fixture
def save() -> Callable[..., Path]:
    """Give what writes a photograph."""
    return saved


@pytest.fixture
def album(tmp_path: Path) -> Album:
    """Give 11 photographs of different sizes, one of them gray."""
    files = [
        saved(tmp_path / f"{i % 3}" / f"{i}.{suffix}", i, (30 + i, 22 + 3 * i))
        for i, suffix in enumerate(["jpg", "png", "bmp", "webp"] * 2 + ["jpg"] * 3)
    ]
    gray = tmp_path / "2" / "gray.png"
    Image.open(files[-1]).convert("L").save(gray)
    return Album([*files[:-1], gray], tmp_path / "cache")

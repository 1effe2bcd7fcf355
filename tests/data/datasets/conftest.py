"""Small folders in the layouts in which data sets were released."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

SIZE = "<size><width>{}</width><height>{}</height></size>"
BOX = "<xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax>"
THING = f"<object><name>{{}}</name><bndbox>{BOX}</bndbox></object>"

Write = Callable[[dict[str, str]], Path]


def picture(file: Path, width: int = 40, height: int = 30, seed: int = 0) -> None:
    """Write a noisy photograph."""
    file.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    Image.fromarray(pixels).save(file)


def gray(file: Path, values: np.ndarray) -> None:
    """Write a mask."""
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(values.astype(np.uint8)).save(file)


def xml(file: Path, *things: tuple[object, ...], width: int = 40, height: int = 30) -> None:
    """Write VOC's annotation of an image."""
    file.parent.mkdir(parents=True, exist_ok=True)
    inner = "".join(THING.format(*thing) for thing in things)
    file.write_text(f"<annotation>{SIZE.format(width, height)}{inner}</annotation>")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write text files below a folder."""

    def made(files: dict[str, str], folder: str = "data") -> Path:
        root = tmp_path / folder
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    return made

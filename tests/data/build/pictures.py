"""Pictures that tests of builders are made of."""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image


def scene(number: int, size: tuple[int, int] = (96, 72)) -> Image.Image:
    """Make a picture that looks like no other: smooth blotches of colour."""
    blotches = np.random.default_rng(number).integers(0, 256, (7, 9, 3), dtype=np.uint8)
    return Image.fromarray(cv2.resize(blotches, size, interpolation=cv2.INTER_CUBIC))


def save(picture: Image.Image, file: Path, **options: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file, **options)
    return file


def mask(art: str) -> np.ndarray:
    """Read a mask from a drawing: # is inside."""
    rows = art.split()
    return np.array([[255 * (cell == "#") for cell in row] for row in rows], np.uint8)


def save_mask(art: str, file: Path) -> Path:
    return save(Image.fromarray(mask(art)), file)


def drawn(file: Path) -> str:
    """Draw a mask file as `mask` reads it."""
    pixels = np.asarray(Image.open(file))
    assert set(np.unique(pixels)) <= {0, 255}
    return " ".join("".join("#" if value else "." for value in row) for row in pixels)


def tree(folder: Path) -> dict[str, bytes]:
    """Read all files that a recipe has left, but for what it remembers of its sources."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and path.name != "recipe.json"
    }

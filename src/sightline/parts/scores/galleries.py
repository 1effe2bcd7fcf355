"""Images in the order of their hardness: a row each, the easiest, the middle and the hardest."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from sightline.data.photographs import SUFFIXES, read_photograph
from sightline.drawing.overlay import Picture, labelled, save, sheet
from sightline.errors import DataError, Problem
from sightline.parts.scores.hardness import Row

SIDE = 120
INSIDE = ("", "context", "tight")  # of a folder of prepared parts
ENDINGS = ("", ".png", *(f".{one.lstrip('.')}" for ones in SUFFIXES.values() for one in ones))


def draw(rows: Sequence[Row], images: Path, file: Path) -> Path:
    """Draw the rows, each image under its score."""
    most = max(len(row.images) for row in rows)
    blank = np.full((SIDE + 18, SIDE, 3), 255, np.uint8)
    tiles = []
    for row in rows:
        tiles.append(_title(row.name))
        for image, score in zip(row.images, row.scores, strict=True):
            tiles.append(labelled(_tile(find(images, image)), f"{score:.3f}"))
        tiles += [blank] * (most - len(row.images))
    file.parent.mkdir(parents=True, exist_ok=True)
    save(sheet(tiles, most + 1), str(file))
    return file


def find(folder: Path, image: str) -> Path:
    """Find the picture of an image by its name, with or without an extension."""
    for place in INSIDE:
        for ending in ENDINGS:
            file = folder / place / f"{image}{ending}"
            if file.is_file():
                return file
    remedy = "name the folder of 'parts prepare', or one with a picture of each image"
    raise DataError([Problem("no picture of this image", str(folder), image=image, remedy=remedy)])


def _tile(file: Path) -> Picture:
    picture = read_photograph(file)
    height, width = picture.shape[:2]
    scale = SIDE / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    tile = np.full((SIDE, SIDE, 3), 255, np.uint8)
    y, x = (SIDE - small.shape[0]) // 2, (SIDE - small.shape[1]) // 2
    tile[y : y + small.shape[0], x : x + small.shape[1]] = small
    return tile


def _title(text: str) -> Picture:
    tile = np.full((SIDE + 18, SIDE, 3), 255, np.uint8)
    font = cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(tile, text[:18], (2, SIDE // 2), font, 0.38, (20, 20, 20), 1, cv2.LINE_AA)
    return tile

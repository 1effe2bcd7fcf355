"""A score map over its image, with the true boxes and the found ones; and sheets of such tiles."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # (height, width, 3), red first

TRUE, FOUND = (80, 255, 80), (255, 255, 255)  # box colors, the true ones dashed
DASH = 6
LABEL_HEIGHT = 18


def overlay(
    image: Picture,
    score_map: NDArray[np.float64],
    *,
    true: Sequence[Sequence[float]] = (),
    found: Sequence[Sequence[float]] = (),
    strength: float = 0.5,
) -> Picture:
    """Lay a map in [0, 1] over its image; boxes are in the image's pixels."""
    height, width = image.shape[:2]
    levels = (np.clip(score_map, 0, 1) * 255).astype(np.uint8)
    heat = cv2.applyColorMap(cv2.resize(levels, (width, height)), cv2.COLORMAP_VIRIDIS)
    mixed = cv2.addWeighted(image, 1 - strength, heat[:, :, ::-1], strength, 0)
    picture = np.ascontiguousarray(mixed, np.uint8)
    for box in found:
        x0, y0, x1, y1 = (round(corner) for corner in box)
        cv2.rectangle(picture, (x0, y0), (x1 - 1, y1 - 1), FOUND, 1)
    for box in true:
        _dashed(picture, box)
    return picture


def _dashed(picture: Picture, box: Sequence[float]) -> None:
    """Draw a dashed box, so that it stays visible where both coincide."""
    x0, y0, x1, y1 = (round(corner) for corner in box)
    x1, y1 = min(x1, picture.shape[1] - 1), min(y1, picture.shape[0] - 1)
    for x in range(x0, x1, 2 * DASH):
        for y in (y0, y1):
            cv2.line(picture, (x, y), (min(x + DASH, x1), y), TRUE, 1)
    for y in range(y0, y1, 2 * DASH):
        for x in (x0, x1):
            cv2.line(picture, (x, y), (x, min(y + DASH, y1)), TRUE, 1)


def labelled(picture: Picture, text: str) -> Picture:
    """Put a line of text under a picture."""
    strip = np.full((LABEL_HEIGHT, picture.shape[1], 3), 255, np.uint8)
    cv2.putText(strip, text, (3, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (20, 20, 20), 1, cv2.LINE_AA)
    return np.concatenate([picture, strip])


def sheet(tiles: Sequence[Picture], columns: int, gap: int = 4) -> Picture:
    """Set tiles of one size in rows."""
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // columns)
    whole = np.full((rows * (height + gap) + gap, columns * (width + gap) + gap, 3), 255, np.uint8)
    for i, tile in enumerate(tiles):
        y, x = gap + (i // columns) * (height + gap), gap + (i % columns) * (width + gap)
        whole[y : y + height, x : x + width] = tile
    return whole


def save(picture: Picture, file: str) -> None:
    """Write a PNG."""
    cv2.imwrite(file, picture[:, :, ::-1])

"""Photographs with their pseudo boxes, and the true ones where they were opened.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization, Figure 5
"""

from pathlib import Path

import cv2
import numpy as np

from sightline.annotators.contract import Floats
from sightline.annotators.driver import Annotated
from sightline.data.photographs import read_photograph
from sightline.drawing.overlay import Picture, labelled, overlay, save, sheet
from sightline.errors import DataError

SIDE, COLUMNS, PAPER = 168, 6, 235
BOX, EDGE = (255, 214, 10), (20, 20, 20)


def draw(found: Annotated, file: Path, count: int, true: list[Floats] | None = None) -> None:
    """Draw some images, evenly spaced over the split: found boxes yellow, true ones dashed."""
    total = len(found.outcomes)
    places = [k * total // min(count, total) for k in range(min(count, total))]
    tiles = [_tile(found, item, true[item] if true else None) for item in places]
    save(sheet(tiles, min(COLUMNS, len(tiles))), str(file))


def _tile(found: Annotated, item: int, true: Floats | None) -> Picture:
    outcome = found.outcomes[item]
    blank = np.full((SIDE, SIDE, 3), PAPER, np.uint8)
    try:
        image = read_photograph(found.dataset.pictures[item], size=outcome.size)
    except DataError:
        return labelled(blank, "cannot be read")
    scale = SIDE / max(image.shape[:2])
    size = [max(1, round(side * scale)) for side in image.shape[1::-1]]
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    if true is not None:
        small = overlay(small, np.zeros((2, 2)), true=(true * scale).tolist(), strength=0)
    if outcome.box:
        x0, y0, x1, y1 = (round(edge * scale) for edge in outcome.box)
        for color, width in ((EDGE, 3), (BOX, 1)):
            cv2.rectangle(small, (x0, y0), (x1 - 1, y1 - 1), color, width)
    top, left = (SIDE - small.shape[0]) // 2, (SIDE - small.shape[1]) // 2
    blank[top : top + small.shape[0], left : left + small.shape[1]] = small
    return labelled(blank, "" if outcome.box else f"none: {outcome.reason}"[:30])

"""A photograph beside what a classifier sees in it: labels, heat and box."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sightline.drawing.overlay import Picture, labelled, overlay

LONGEST = 480  # side of each of the two pictures
MARGIN, LINE = 12, 26
BOX, EDGE = (255, 214, 10), (20, 20, 20)
INK, PALE, BAR, ASKED = (25, 25, 25), (110, 110, 110), (198, 219, 239), (255, 224, 130)


def sighting(
    photograph: Picture,
    score_map: NDArray[np.float64],
    box: Sequence[float] | None,
    labels: Sequence[tuple[str, float]],
    asked: str,
    note: str,
) -> Picture:
    """Draw one sheet.

    Args:
        photograph: in its own pixels.
        score_map: in [0, 1], of any size with the photograph's proportions.
        box: x0, y0, x1, y1 in the photograph's pixels; None where there is none.
        labels: names and probabilities, the likeliest first.
        asked: the name that was localized, which is marked.
        note: how the picture came about.
    """
    scale = LONGEST / max(photograph.shape[:2])
    size = tuple(max(1, round(side * scale)) for side in photograph.shape[1::-1])
    small = cv2.resize(photograph, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    corners = None if box is None else [corner * scale for corner in box]
    heat = overlay(small, np.asarray(cv2.resize(score_map, size), np.float64))
    pair = [_boxed(picture, corners) for picture in (small, heat)]
    gap = np.full((size[1], MARGIN, 3), 255, np.uint8)
    pictures = np.concatenate([pair[0], gap, pair[1]], 1)
    return _framed(pictures, labels, asked, note)


def _boxed(picture: Picture, corners: Sequence[float] | None) -> Picture:
    """Draw a box that shows on light and on dark."""
    drawn = picture.copy()
    if corners is not None:
        x0, y0, x1, y1 = (round(corner) for corner in corners)
        for colour, width in ((EDGE, 5), (BOX, 3)):
            cv2.rectangle(drawn, (x0, y0), (x1 - 1, y1 - 1), colour, width)
    return drawn


def _framed(
    pictures: Picture, labels: Sequence[tuple[str, float]], asked: str, note: str
) -> Picture:
    """Set the labels under the pictures as bars, and the note under the labels."""
    width = max(pictures.shape[1], LONGEST) + 2 * MARGIN
    height = pictures.shape[0] + 3 * MARGIN + LINE * len(labels) + LINE
    page = Image.new("RGB", (width, height), "white")
    page.paste(Image.fromarray(pictures), (MARGIN, MARGIN))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(15)
    y = pictures.shape[0] + 2 * MARGIN
    for name, probability in labels:
        colour = ASKED if name == asked else BAR
        draw.rectangle(
            (MARGIN, y + 2, MARGIN + round((width - 2 * MARGIN) * probability), y + LINE - 4),
            colour,
        )
        draw.text((MARGIN + 6, y + 3), f"{100 * probability:5.1f} %   {name}", INK, font)
        y += LINE
    draw.text((MARGIN, y + 4), _fitting(note, font, width - 2 * MARGIN), PALE, font)
    return np.asarray(page)


def _fitting(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    """Shorten a text until it fits."""
    while text and font.getlength(text) > width:
        text = text[:-2].rstrip(" .") + "…"
    return text


def tile(
    photograph: Picture,
    score_map: NDArray[np.float64],
    box: Sequence[float] | None,
    name: str,
    side: int = 224,
) -> Picture:
    """Draw a small square picture with its label, for a contact sheet."""
    across, down = side / photograph.shape[1], side / photograph.shape[0]
    small = cv2.resize(photograph, (side, side), interpolation=cv2.INTER_AREA).astype(np.uint8)
    heat = overlay(small, np.asarray(cv2.resize(score_map, (side, side)), np.float64))
    scales = (across, down, across, down)
    corners = None if box is None else [c * s for c, s in zip(box, scales, strict=True)]
    return labelled(_boxed(heat, corners), name)

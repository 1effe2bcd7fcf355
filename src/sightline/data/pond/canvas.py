"""The canvas: twice the picture's size, colours with soft edges, and who owns each pixel.

Only exact operations (integers, saturating sums, tables) touch pixels, so that the bytes are the
same on any processor.
"""

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.pond.outlines import SHIFT, Points

OVERSAMPLING = 2
HALF = 1 << (SHIFT - 1)
Image = NDArray[np.uint8]
Colour = tuple[int, int, int]


@cache
def rgb(text: str) -> Colour:
    """Read `#rrggbb`."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """Mix two colours, `share` of the other."""
    w = round(256 * share)
    v = 256 - w
    return (
        (one[0] * v + other[0] * w) >> 8,
        (one[1] * v + other[1] * w) >> 8,
        (one[2] * v + other[2] * w) >> 8,
    )


class Canvas:
    """A picture in the making."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.side = size * OVERSAMPLING
        self.picture: Image = np.zeros((self.side, self.side, 3), np.uint8)
        self.owner: Image = np.zeros((self.side, self.side), np.uint8)

    def pixels(self, points: Sequence[tuple[float, float]]) -> Points:
        """Turn points in shares of the picture's side into fixed-point pixels."""
        placed: Points = np.rint(np.array(points) * (self.side << SHIFT)).astype(np.int32)
        return placed - HALF

    def width(self, share: float) -> int:
        """Turn a line's width in shares of the side into whole pixels."""
        return max(1, round(share * self.side))

    def fill(self, shapes: Sequence[Points], colour: Colour, owner: int = 0) -> None:
        """Fill shapes; an owner of 0 leaves the pixels to whom they belong."""
        for shape in shapes:  # one by one: holes would be cut where shapes overlap
            cv2.fillPoly(self.picture, [shape], colour, cv2.LINE_AA, SHIFT)
            if owner:
                self.cover(self.owner, shape, owner)

    def cover(self, plane: Image, shape: Points, value: int, width: int = 0) -> None:
        """Set the pixels of a plane whose middle a shape covers, or a line of some width."""
        if width:
            cv2.polylines(plane, [shape + HALF], False, value, width, cv2.LINE_8, SHIFT)
        else:
            cv2.fillPoly(plane, [shape + HALF], value, cv2.LINE_8, SHIFT)

    def stroke(
        self, lines: Sequence[Points], colour: Colour, width: int = 1, closed: bool = False
    ) -> None:
        """Draw lines."""
        cv2.polylines(self.picture, lines, closed, colour, width, cv2.LINE_AA, SHIFT)

    def finished(self) -> Image:
        """Give the picture in its own size."""
        small = cv2.resize(self.picture, (self.size, self.size), interpolation=cv2.INTER_AREA)
        return small.astype(np.uint8, copy=False)

    def owners(self) -> Image:
        """Tell who owns the middle of each pixel."""
        return np.ascontiguousarray(self.owner[1::OVERSAMPLING, 1::OVERSAMPLING])


def table(values: Sequence[float]) -> Image:
    """Make a table for `cv2.LUT` of 256 rounded and clipped values."""
    return np.clip(np.rint(np.array(values, np.float64)), 0, 255).astype(np.uint8)


def ramp(colours: Sequence[Colour]) -> Image:
    """Make a table from dark to light through colours, for grey values 0 to 255."""  # (256, 1, 3)
    place, rest = np.divmod(np.arange(256) * (len(colours) - 1), 256)
    stops, share = np.array(colours), rest[:, None]
    between = (stops[place] * (256 - share) + stops[place + 1] * share) >> 8
    return np.asarray(between[:, None, :], np.uint8)


def grey3(grey: Image) -> Image:
    """Repeat a grey picture in three channels."""
    return cv2.merge((grey, grey, grey)).astype(np.uint8, copy=False)

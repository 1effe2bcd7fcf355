"""Crop, flip and normalize in one pass, from bytes by pixel to floats by channel."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Arrange = Callable[[Bytes, int, int, bool, Floats, Floats], None]


def _arrange(picture: Bytes, x: int, y: int, flip: bool, levels: Floats, out: Floats) -> None:
    """Do what `reference` does, without the interpreter lock and without temporary arrays."""
    height, width = out.shape[1:]
    last = np.uint64(width - 1)
    for row in range(height):
        line = picture[y + row, x : x + width]
        for channel in range(3):
            level, target = levels[channel], out[channel, row]
            if flip:
                for column in range(width):
                    # an unsigned place spares the check for one counted from the end
                    target[column] = level[line[last - np.uint64(column), channel]]
            else:
                for column in range(width):
                    target[column] = level[line[column, channel]]


arrange: Arrange = compiled(_arrange)


def reference(picture: Bytes, x: int, y: int, flip: bool, levels: Floats, out: Floats) -> None:
    """Define what `arrange` computes.

    Args:
        picture: (height, width, 3).
        x: the left edge of what is cut out; its size is that of `out`.
        y: its upper edge.
        flip: mirror it left to right.
        levels: (3, 256), what each byte becomes in each channel.
        out: (3, height, width), written to.
    """
    height, width = out.shape[1:]
    cropped = picture[y : y + height, x : x + width]
    if flip:
        cropped = cropped[:, ::-1]
    for channel in range(3):
        out[channel] = levels[channel][cropped[:, :, channel]]

"""The same as `foveation`, as the papers say it: level by level, for each picture anew."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import correlate1d, distance_transform_edt

from sightline.parts.foveation import LEVELS, Field, Mask, Picture, kernel, step, transfer

Values = NDArray[np.float64]


def foveated(picture: Picture, mask: Mask, field: Field) -> Picture:
    """Show a picture as seen by who looks at the mask."""
    return blended(picture, pyramid_of(picture), mask, field)


def blended(picture: Picture, pyramid: Sequence[Values], mask: Mask, field: Field) -> Picture:
    """Blend a picture's blurred forms by the distance to the mask."""
    if not mask.any():
        return np.rint(pyramid[-1]).clip(0, 255).astype(np.uint8)
    distance = np.asarray(distance_transform_edt(~mask))
    frequency = field.frequency(distance)
    shown = pyramid[-1].copy()
    undecided = np.full(mask.shape, fill_value=True)
    for level in range(1, LEVELS + 1):
        finer, coarser = transfer(level - 1, frequency), transfer(level, frequency)
        here = undecided & (coarser <= 0.5)
        weight = (0.5 - coarser[here]) / (finer - coarser)[here]
        fine, coarse = pyramid[level - 1][here], pyramid[level][here]
        shown[here] = weight[:, None] * fine + (1 - weight)[:, None] * coarse
        undecided &= ~here
    rounded = np.rint(shown).clip(0, 255).astype(np.uint8)
    whole = distance <= field.whole
    rounded[whole] = picture[whole]
    return rounded


def pyramid_of(picture: Picture) -> list[Values]:
    """Blur a picture to each level from the one before."""
    pyramid = [picture.astype(np.float64)]
    for level in range(1, LEVELS + 1):
        taps = kernel(step(level))
        rows = correlate1d(pyramid[-1], taps, axis=0, mode="reflect")
        pyramid.append(np.asarray(correlate1d(rows, taps, axis=1, mode="reflect")))
    return pyramid

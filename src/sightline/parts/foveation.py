"""The fall of visual resolution away from what is looked at, of Geisler and Perry.

Paper: Geisler and Perry, Real-time foveated multiresolution system, SPIE 1998; Perry and Geisler,
Gaze-contingent real-time simulation of arbitrary visual fields, SPIE 2002

The distance d of a pixel to the focus mask takes the place of eccentricity. The spatial frequency
that is left at half its amplitude there is

    f(d) = min(1/2, peak * e2 / (d + e2))    cycles a pixel,

where e2 is the distance at which resolution has halved. A pixel is blended of the two blurred
pictures whose own half-amplitude frequencies enclose f(d), with the weight at which the blend's
transfer at f(d) is one half (2002, equation of the blending function). Inside the mask, and
wherever f(d) is 1/2, the picture is untouched.

In degrees, with p pixels a degree, contrast sensitivity's f(e) = e2 ln(1/CT0) / (alpha (e + e2))
is the same with peak = ln(1/CT0) / (alpha p) and e2 in pixels.

`sightline.parts.foveation_reference` says the same slowly.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Picture = NDArray[np.uint8]  # (height, width, 3)
Mask = NDArray[np.bool_]  # (height, width)
NYQUIST = 0.5  # cycles a pixel
LEVELS = 6  # blurred pictures; the last one halves what 1/128 cycles a pixel has
REACH = 5  # of a blur's kernel, in standard deviations
STEPS = 16  # of the table of levels, a pixel of distance
POINTS = 8193  # frequencies at which transfers are known


@dataclass(frozen=True, slots=True)
class Field:
    """How resolution falls: the frequency at the mask, and the distance at which it has halved."""

    half: float  # e2, pixels
    peak: float = 1.0  # cycles a pixel at the mask; from 1/2 on it is whole up to some distance

    def frequency(self, distance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the half-amplitude frequencies in cycles a pixel."""
        return np.minimum(NYQUIST, self.peak * self.half / (distance + self.half))

    @property
    def whole(self) -> float:
        """Give the distance up to which nothing is lost."""
        return max(0.0, self.half * (self.peak / NYQUIST - 1))


def from_degrees(
    pixels: float, *, half: float = 2.3, alpha: float = 0.106, contrast: float = 1 / 64
) -> Field:
    """Give the field of a human eye that sees so many pixels a degree."""
    return Field(half * pixels, math.log(1 / contrast) / (alpha * pixels))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A picture and its blurred forms, made once for all masks."""

    picture: Picture
    blurred: NDArray[np.float32]  # (LEVELS + 1, height, width, 3); the first is the picture


def sigma(level: int) -> float:
    """Give the blur whose transfer is one half at 1/2^(level + 1) cycles a pixel."""
    return math.sqrt(math.log(2) / 2) / (math.pi * NYQUIST / 2.0**level)


def levels_of(picture: Picture) -> Levels:
    """Blur a picture, each level once more than the one before."""
    blurred = [picture.astype(np.float32)]
    for level in range(1, LEVELS + 1):
        blurred.append(_blurred(blurred[-1], step(level)))
    return Levels(picture, np.stack(blurred))


def step(level: int) -> float:
    """Give the blur from one level to the next: variances add."""
    before = sigma(level - 1) if level > 1 else 0.0
    return math.sqrt((sigma(level) - before) * (sigma(level) + before))


def kernel(deviation: float) -> NDArray[np.float64]:
    """Give a Gaussian's samples."""
    reach = math.ceil(REACH * deviation)
    values = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return np.asarray(values / values.sum())


def _blurred(picture: NDArray[np.float32], deviation: float) -> NDArray[np.float32]:
    taps = kernel(deviation).astype(np.float32)
    return np.asarray(cv2.sepFilter2D(picture, -1, taps, taps, borderType=cv2.BORDER_REFLECT))


@lru_cache(maxsize=1)
def _transfers() -> NDArray[np.float64]:
    """Give what each level leaves of gratings of POINTS frequencies up to 1/2 cycle a pixel.

    It is that of the kernels' samples, which an ideal Gaussian is not.
    """
    left = [np.ones(POINTS)]
    for level in range(1, LEVELS + 1):
        taps = kernel(step(level))
        left.append(left[-1] * np.abs(np.fft.rfft(taps, 2 * (POINTS - 1))))
    return np.stack(left)


def transfer(level: int, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what a level leaves of gratings of some frequencies."""
    known = _transfers()[level]
    return np.asarray(np.interp(frequency, np.linspace(0, NYQUIST, POINTS), known))


def blend(frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the level at which these are the half-amplitude frequencies: between two, a blend."""
    found = np.full(frequency.shape, float(LEVELS))
    for level in range(LEVELS, 0, -1):
        finer, coarser = transfer(level - 1, frequency), transfer(level, frequency)
        here = coarser <= 0.5
        found[here] = level - (0.5 - coarser[here]) / (finer - coarser)[here]
    return found


@lru_cache(maxsize=64)
def table(field: Field, farthest: int) -> NDArray[np.float32]:
    """Give the level at distances from where the picture ceases to be whole, STEPS to a pixel."""
    distances = field.whole + np.arange(farthest * STEPS + 2) / STEPS
    return blend(field.frequency(distances)).astype(np.float32)


def foveated(levels: Levels, mask: Mask, field: Field) -> Picture:
    """Show a picture as seen by who looks at the mask; without one it is at its coarsest."""
    if not mask.any():
        return _rounded(levels.blurred[-1])
    outside = np.logical_not(mask).view(np.uint8)
    distance = cv2.distanceTransform(outside, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    farthest = math.ceil(math.hypot(*mask.shape))
    shown = np.empty_like(levels.picture)
    known = table(field, farthest)
    _blend(levels.blurred, levels.picture, distance, field.whole, known, shown)
    return shown


def _rounded(values: NDArray[np.float32]) -> Picture:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


@compiled
def _blend(
    blurred: Any, picture: Any, distance: Any, whole: float, levels: Any, shown: Any
) -> None:
    height, width = distance.shape
    deepest = len(blurred) - 1
    for y in range(height):
        for x in range(width):
            if distance[y, x] <= whole:
                for channel in range(3):
                    shown[y, x, channel] = picture[y, x, channel]
                continue
            place = (distance[y, x] - whole) * STEPS
            before = int(place)
            share = place - before
            level = levels[before] * (1 - share) + levels[before + 1] * share
            finer = min(int(level), deepest - 1)
            coarse = level - finer
            for channel in range(3):
                fine = blurred[finer, y, x, channel]
                value = fine + coarse * (blurred[finer + 1, y, x, channel] - fine)
                shown[y, x, channel] = int(min(max(value, 0.0), 255.0) + 0.5)

"""Seeds: a few pixels that a class map is surest of, drawn anew in every step."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FOREGROUND, BACKGROUND, IGNORED = 1, 0, 255
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Seeding:
    """How many seeds, and from where; sides are in pixels."""

    foreground: int
    background: int
    share: float  # of the pixels, the lowest ones, that may be background
    erosion: int  # side of the square that the object's region shrinks by
    dilation: int  # side of a seed


def seeds(scores: NDArray[np.float32], how: Seeding, dice: np.random.Generator) -> Mask:
    """Draw the seeds of a map (H, W) in [0, 1]: 1 object, 0 background, 255 for all else.

    A map that is the same everywhere is sure of nothing.
    """
    found = np.full(scores.shape, IGNORED, np.uint8)
    if not scores.max() > scores.min():
        return found
    object_seeds = _grown(_drawn(object_region(scores, how.erosion), how.foreground, dice), how)
    other_seeds = _grown(_drawn(background_region(scores, how.share), how.background, dice), how)
    found[other_seeds & ~object_seeds] = BACKGROUND
    found[object_seeds & ~other_seeds] = FOREGROUND
    return found


def object_region(scores: NDArray[np.float32], erosion: int) -> NDArray[np.bool_]:
    """Give what Otsu's threshold finds, without its margin; with it, if nothing else is left."""
    levels = np.floor(255 * scores).clip(0, 255).astype(np.uint8)
    otsu, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    region = (levels > min(max(otsu, 1), 254)).astype(np.uint8)
    inner = cv2.erode(region, np.ones((erosion, erosion), np.uint8))
    return np.asarray(inner if inner.any() else region, bool)


def background_region(scores: NDArray[np.float32], share: float) -> NDArray[np.bool_]:
    """Give the share of the pixels whose scores are lowest, one at least."""
    count = max(1, int(share * scores.size))
    region = np.zeros(scores.size, bool)
    region[np.argsort(scores, axis=None, kind="stable")[:count]] = True
    return region.reshape(scores.shape)


def scaled_side(side: int, image_side: float, usual: int) -> int:
    """Bring an odd side for images of the usual size to another size; odd again, 1 at least."""
    return 2 * max(0, round((side * image_side / usual - 1) / 2)) + 1


def _drawn(region: NDArray[np.bool_], count: int, dice: np.random.Generator) -> NDArray[np.bool_]:
    """Draw so many different pixels of a region, all alike."""
    places = np.flatnonzero(region)
    chosen = np.zeros(region.size, bool)
    chosen[dice.choice(places, min(count, len(places)), replace=False)] = True
    return chosen.reshape(region.shape)


def _grown(points: NDArray[np.bool_], how: Seeding) -> NDArray[np.bool_]:
    square = np.ones((how.dilation, how.dilation), np.uint8)
    return np.asarray(cv2.dilate(points.astype(np.uint8), square), bool)

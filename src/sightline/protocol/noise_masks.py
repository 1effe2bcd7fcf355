"""Masks made worse on purpose: eroded until a given share of the object is gone.

Paper: Murtaza et al., A Realistic Protocol for Evaluation of Weakly Supervised Object
Localization, supplement F: filter sizes and iterations vary until a mask has lost what it should.

Here the pixels go in the order of their distance to the background, which is erosion with disks of
every radius; among pixels of the same distance a seeded draw decides, so that the level is met to
one pixel. The image's edge does not erode, as with OpenCV.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.types import BACKGROUND, FOREGROUND, IGNORE

Codes = NDArray[np.uint8]  # (height, width), in the codes of `sightline.types`

LEVELS = (0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90)  # percent of the object that is removed


def removal_order(mask: Codes, rng: np.random.Generator) -> NDArray[np.int64]:
    """List the foreground's pixels, as positions in the flat mask, those that go first first."""
    inside = mask == FOREGROUND
    positions = np.flatnonzero(inside)
    if not len(positions):
        return positions
    return positions[np.lexsort((rng.random(len(positions)), _depth(inside).flat[positions]))]


def eroded(mask: Codes, level: float, order: NDArray[np.int64]) -> Codes:
    """Remove that percentage of the foreground; regions to ignore stay."""
    worse = mask.copy()
    worse.flat[order[: round(len(order) * level / 100)]] = BACKGROUND
    return worse


def _depth(inside: NDArray[np.bool_]) -> NDArray[Any]:
    """Give each pixel's distance to the nearest one outside; to the edge where there is none."""
    from scipy.ndimage import distance_transform_edt

    if inside.all():
        return np.asarray(distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1])
    return np.asarray(distance_transform_edt(inside))


def confusion(mask: Codes, truth: Codes) -> NDArray[np.int64]:
    """Count true positives, false positives, true negatives and false negatives of a mask."""
    counted = (truth != IGNORE) & (mask != IGNORE)
    found, there = mask[counted] == FOREGROUND, truth[counted] == FOREGROUND
    return np.array(
        [
            (found & there).sum(),
            (found & ~there).sum(),
            (~found & ~there).sum(),
            (~found & there).sum(),
        ]
    )


def mask_error(counts: NDArray[np.int64]) -> float:
    """Give 1 - ROC-AUC, from 0 to 1, of a mask as the score of its pixels.

    A score of two values has one point between the ends of its curve, so that the area is the mean
    of the true positive and the true negative rate. NaN where one of the two classes is absent.
    """
    tp, fp, tn, fn = (float(count) for count in counts)
    if not tp + fn or not tn + fp:
        return float("nan")
    return 1 - (tp / (tp + fn) + tn / (tn + fp)) / 2

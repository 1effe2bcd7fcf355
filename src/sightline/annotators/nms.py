"""Non-maximum suppression: of boxes that overlap too much, the best one stays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def suppressed(
    boxes: Floats, scores: Floats, overlap: float, *, most: int | None = None
) -> NDArray[np.int64]:
    """Give the positions of the boxes that stay, best first; of equal scores the first one.

    Args:
        boxes: x0, y0, x1, y1 with true ends, (N, 4).
        scores: the higher the better, (N,).
        overlap: a box goes where its IoU with a better one that stays exceeds this.
        most: stop after as many.
    """
    left = np.argsort(-scores, kind="stable")
    areas = np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0), axis=1)
    kept: list[int] = []
    while len(left) and (most is None or len(kept) < most):
        best, left = int(left[0]), left[1:]
        kept.append(best)
        low = np.maximum(boxes[left, :2], boxes[best, :2])
        high = np.minimum(boxes[left, 2:], boxes[best, 2:])
        shared = np.prod(np.maximum(high - low, 0), axis=1)
        union = areas[left] + areas[best] - shared
        left = left[shared <= overlap * union]
    return np.array(kept, np.int64)

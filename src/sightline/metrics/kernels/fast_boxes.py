"""From segments to the best overlap with the true boxes at each threshold, and on to hits."""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled
from sightline.metrics.kernels.fast_components import HIGH, LOW, X0, X1, Y0, Y1, Ints

Floats = NDArray[np.float64]

FIXED_POINT = 2.0**40  # mean overlaps are summed as integers, so that any order gives the same


@compiled
def best_overlap(
    segments: Ints, top: int, height: int, width: int, truth: Floats, reference_ends: bool
) -> Floats:
    """Give for each threshold 0 ... top the best IoU of any segment's box with any true box.

    The last entry, top + 1, is the threshold that nothing reaches. With `reference_ends` the
    released evaluator's conventions hold: a predicted box ends one past its last pixel but never
    past the image's, every side counts one more, and no foreground means the box 0, 0, 0, 0.
    """
    depth = 1
    while 1 << depth <= top + 1:
        depth += 1
    best = np.zeros((depth, top + 2))  # best[d, k]: over ranges that start at k, 2**d long
    extra = 1.0 if reference_ends else 0.0
    for i in range(len(segments)):
        x0, y0 = float(segments[i, X0]), float(segments[i, Y0])
        x1, y1 = segments[i, X1] + 1.0, segments[i, Y1] + 1.0
        if reference_ends:
            x1, y1 = min(x1, width - 1.0), min(y1, height - 1.0)
        overlap = _best_iou(x0, y0, x1, y1, truth, extra)
        if overlap > 0:
            low, high = segments[i, LOW], segments[i, HIGH]
            d = 0
            while 2 << d <= high - low + 1:
                d += 1
            best[d, low] = max(best[d, low], overlap)
            second = high + 1 - (1 << d)
            best[d, second] = max(best[d, second], overlap)
    for d in range(depth - 1, 0, -1):
        half = 1 << (d - 1)
        for k in range(top + 2 - half):
            best[d - 1, k] = max(best[d - 1, k], best[d, k])
            best[d - 1, k + half] = max(best[d - 1, k + half], best[d, k])
    if reference_ends:
        best[0, top + 1] = _best_iou(0.0, 0.0, 0.0, 0.0, truth, extra)
    result: Floats = best[0].copy()
    return result


@compiled
def _best_iou(x0: float, y0: float, x1: float, y1: float, truth: Floats, extra: float) -> float:
    best = 0.0
    area = (x1 - x0 + extra) * (y1 - y0 + extra)
    for j in range(len(truth)):
        tx0, ty0, tx1, ty1 = truth[j, 0], truth[j, 1], truth[j, 2], truth[j, 3]
        w = min(x1, tx1) - max(x0, tx0) + extra
        h = min(y1, ty1) - max(y0, ty0) + extra
        if w > 0 and h > 0:
            other = (tx1 - tx0 + extra) * (ty1 - ty0 + extra)
            best = max(best, w * h / (area + other - w * h))
    return best


@compiled
def hit_ranges(overlap: Floats, needed: float) -> Ints:
    """List the runs of positions whose overlap suffices, as (start, end) with end excluded."""
    ranges = np.empty((len(overlap) // 2 + 1, 2), np.int32)
    count = 0
    inside = False
    for i in range(len(overlap)):
        if (overlap[i] >= needed) != inside:
            inside = not inside
            ranges[count, 0 if inside else 1] = i
            count += not inside
    if inside:
        ranges[count, 1] = len(overlap)
        count += 1
    return ranges[:count]


def fixed_point(overlap: Floats) -> NDArray[np.int64]:
    """Give overlaps as integers, whose sum is the same in any order."""
    return np.rint(overlap * FIXED_POINT).astype(np.int64)

"""What is counted over the pixels of a map: levels, histograms, the peak and the energy."""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]

PART = 128  # pixels binned before they are counted


@compiled
def value_range(score_map: Floats) -> tuple[float, float, bool]:
    """Give the smallest and the largest value, and whether all are finite.

    Each row is first reduced lane by lane, which a processor does for several columns at once.
    """
    height, width = score_map.shape
    low, high = score_map[0].copy(), score_map[0].copy()
    unsound = np.zeros(width, np.int8)
    for y in range(height):
        for x in range(width):
            value = score_map[y, x]
            low[x] = value if value < low[x] else low[x]
            high[x] = value if value > high[x] else high[x]
            unsound[x] |= np.int8(not abs(value) < np.inf)
    return low.min(), high.max(), not unsound.any()


@compiled
def quantized(score_map: Floats) -> Ints:
    """Cut 255 times each score to a whole number, as the released evaluator does."""
    levels = np.empty(score_map.shape, np.int32)
    for y in range(score_map.shape[0]):
        for x in range(score_map.shape[1]):
            levels[y, x] = np.int32(score_map[y, x] * 255.0)
    return levels


@compiled
def histograms(score_map: Floats, mask: Bytes, n: int) -> Ints:
    """Count foreground (row 0) and background (row 1) pixels by score.

    The bins begin at i / n, computed as i * (1 / n) as `numpy.arange` does; the last one holds
    all scores from 1 on. A score's product with n is its bin but for rounding, which is provoked
    to err upward only and then undone against the edge itself. Pixels are taken in parts that
    stay near the processor, and neighbours count into separate lanes, since adding to one place
    twice in a row makes it wait.
    """
    scores, codes = score_map.ravel(), mask.ravel()
    step, bins = 1.0 / n, np.int32(n + 1)
    counts = np.zeros((2, 3, bins), np.int32)  # by lane; background, foreground, ignored
    flat = counts.ravel()
    lane = (np.arange(PART) % 2 * 3 * bins).astype(np.int32)
    place = np.empty(PART, np.int32)
    for start in range(0, scores.size, PART):
        part, code = scores[start : start + PART], codes[start : start + PART]
        for x in range(len(part)):
            value = min(part[x], 1.0)
            i = np.int32(value * n + 1e-9)
            i -= np.int32(value < i * step)
            place[x] = lane[x] + bins * np.int32(min(code[x], np.uint8(2))) + i
        for x in range(len(part)):
            flat[np.uint32(place[x])] += 1
    return np.stack((counts[0, 1] + counts[1, 1], counts[0, 0] + counts[1, 0]))


@compiled
def counts_at(score_map: Floats, mask: Bytes, threshold: float, strict: bool) -> Ints:
    """Count true and false positives, true and false negatives at one threshold."""
    counts = np.zeros(4, np.int32)
    for y in range(score_map.shape[0]):
        for x in range(score_map.shape[1]):
            code = mask[y, x]
            if code <= 1:
                value = score_map[y, x]
                positive = value > threshold if strict else value >= threshold
                counts[(0 if positive else 2) + (positive != (code == 1))] += 1
    return counts


@compiled
def peak(score_map: Floats) -> tuple[int, int]:
    """Give x and y of the highest score, the first in reading order if several are equal."""
    best, row = -np.inf, 0
    for y in range(score_map.shape[0]):
        highest = score_map[y].max()
        if highest > best:
            best, row = highest, y
    return int(np.argmax(score_map[row])), row


@compiled
def energy_inside(score_map: Floats, mask: Bytes) -> float:
    """Give the share of all scores that lies on the foreground, ignored pixels left out.

    Columns are summed side by side, then together: always in the same order.
    """
    height, width = score_map.shape
    inside, total = np.zeros(width), np.zeros(width)
    for y in range(height):
        for x in range(width):
            value, code = score_map[y, x], mask[y, x]
            total[x] += value if code <= 1 else 0.0
            inside[x] += value if code == 1 else 0.0
    whole = total.sum()
    return inside.sum() / whole if whole > 0 else 0.0


@compiled
def distance_to(mask: Bytes, x: int, y: int) -> float:
    """Give the distance of a pixel from the nearest foreground pixel, infinity if there is none."""
    nearest = np.inf
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            if mask[row, column] == 1:
                nearest = min(nearest, float((row - y) ** 2 + (column - x) ** 2))
    return float(np.sqrt(nearest))

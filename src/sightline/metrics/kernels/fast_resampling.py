"""Scores of many resamples of the same images, each with thresholds of its own choice."""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def resampled_accuracy(
    weights: NDArray[np.int32],
    image: NDArray[np.int32],
    group: NDArray[np.int32],
    start: NDArray[np.int32],
    stop: NDArray[np.int32],
    groups: int,
    positions: int,
    joint: bool,
) -> Floats:
    """Give each resample's accuracy: the mean over groups (IoU thresholds) of the best threshold.

    Image `image[e]` is a hit for group `group[e]` at the threshold positions from `start[e]` up to
    but not at `stop[e]`. A resample counts each image `weights[r, image]` times. `joint` takes one
    position for all groups.
    """
    accuracy = np.empty(len(weights))
    steps = np.empty((groups, positions + 1), np.int64)
    for r in range(len(weights)):
        steps[:] = 0
        for e in range(len(image)):
            weight = weights[r, image[e]]
            steps[group[e], start[e]] += weight
            steps[group[e], stop[e]] -= weight
        accuracy[r] = _best(steps, joint) / max(1, weights[r].sum()) / groups
    return accuracy


@compiled
def _best(steps: NDArray[np.int64], joint: bool) -> int:
    """Sum the steps up and give the largest count: each group's own, or the largest sum."""
    groups, positions = steps.shape
    if joint:
        for g in range(1, groups):
            for i in range(positions):
                steps[0, i] += steps[g, i]
        groups = 1
    total = 0
    for g in range(groups):
        running = best = 0
        for i in range(positions):
            running += steps[g, i]
            best = max(best, running)
        total += best
    return total

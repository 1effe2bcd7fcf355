"""Random numbers that depend on a seed, an epoch and an index alone, in any order of drawing.

Each is a hash of its coordinates (the finalizer of SplitMix64, applied to one after the other), so
that no worker has to know what another one drew, and no release of NumPy changes them.
"""

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.uint64]
Ints = NDArray[np.int64]

ORDER, CROP_X, CROP_Y, FLIP = range(4)  # what a number is drawn for
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
HALF = np.uint64(32)


def drawn(seed: int, epoch: int, purpose: int, indices: Ints) -> Draws:
    """Draw 64 bits for each index."""
    state = np.zeros(len(indices), np.uint64)
    for coordinate in (seed, epoch, purpose):
        state = _mixed(state + np.uint64(coordinate % 2**64) + GOLDEN)
    return _mixed(state + indices.astype(np.uint64) + GOLDEN)


def below(limit: int, draws: Draws) -> Ints:
    """Turn draws into whole numbers from 0 to the limit, which is left out."""
    return (((draws >> HALF) * np.uint64(limit)) >> HALF).astype(np.int64)


def order(seed: int, epoch: int, count: int) -> Ints:
    """Shuffle the indices below a count."""
    return np.argsort(drawn(seed, epoch, ORDER, np.arange(count)), kind="stable")


def _mixed(state: Draws) -> Draws:
    for shift, multiplier in zip(SHIFTS[:2], MULTIPLIERS, strict=True):
        state = (state ^ (state >> shift)) * multiplier
    return state ^ (state >> SHIFTS[2])

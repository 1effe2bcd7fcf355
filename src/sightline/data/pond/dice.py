"""Chance that is the same on every machine: one independent stream for each purpose of a scene.

Streams are apart so that a dial changes what it is about and nothing else: the same seed with
another cue shows the same animals in the same poses, elsewhere.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws built on uniform numbers alone: their stream is fixed for all versions of Python."""

    def __init__(self, seed: int, index: int, purpose: str) -> None:
        digest = hashlib.sha256(f"pond/{seed}/{index}/{purpose}".encode()).digest()
        self._random = random.Random(int.from_bytes(digest[:16], "big")).random

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Draw evenly from an interval."""
        return low + (high - low) * self._random()

    def around(self, mean: float, spread: float) -> float:
        """Draw from a bell of bounded width: three uniform numbers, standard deviation `spread`."""
        total = self._random() + self._random() + self._random()
        return mean + 2.0 * spread * (total - 1.5)

    def chance(self, probability: float) -> bool:
        """Say yes with a probability."""
        return self._random() < probability

    def integer(self, below: int) -> int:
        """Draw from 0, 1, ... below - 1."""
        return int(self._random() * below)

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of several evenly."""
        return items[int(self._random() * len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """Draw a position in proportion to its weight."""
        left = self._random() * sum(weights)
        last = 0
        for position, weight in enumerate(weights):
            if weight > 0:
                last = position
                left -= weight
                if left < 0:
                    break
        return last

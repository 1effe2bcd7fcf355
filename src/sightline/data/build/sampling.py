"""Draws that depend on the seed and the names alone, never on the order of a list."""

import hashlib
from collections.abc import Iterable


def shuffled(names: Iterable[str], seed: int) -> list[str]:
    """Order names at random: by the hash of seed and name.

    A larger draw holds a smaller one of the same seed, and a name that is added or removed changes
    nothing for the others.
    """
    return sorted(set(names), key=lambda name: (_rank(name, seed), name))


def _rank(name: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{name}".encode()).digest()


def draw(names: Iterable[str], count: int, seed: int) -> list[str]:
    """Draw names at random, all of them if there are fewer, and sort them."""
    return sorted(shuffled(names, seed)[:count])


def portion(fraction: float, total: int) -> int:
    """Turn a fraction into a count: the nearest, halves up, and one at least where there is any."""
    return min(total, max(1, int(fraction * total + 0.5))) if fraction > 0 else 0

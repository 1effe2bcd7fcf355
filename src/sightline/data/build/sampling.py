"""Draws that depend on the seed and the names alone, never on the order of a list."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from sightline.data.build.built import Row
from sightline.errors import DataError, Problem

NAMED = 10  # classes that a refusal names


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


def too_small(sizes: Mapping[str, int], needed: int, what: str = "images") -> list[Row]:
    """List the classes that have less than is needed, as the lines of a table."""
    return [
        {"class": name, what: size, "needed": needed}
        for name, size in sizes.items()
        if size < needed
    ]


def refuse_small(short: Sequence[Row], file: str) -> None:
    """Stop if a class is too small, naming those that are."""
    if not short:
        return
    shown = [f"{line['class']} ({line['images']} of {line['needed']})" for line in short]
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    what = f"too few images in {_classes(len(shown))}: {', '.join(shown[:NAMED])}{more}"
    raise DataError([Problem(what, file, remedy="ask for fewer, or pass --short count")])


def _classes(count: int) -> str:
    return "1 class" if count == 1 else f"{count} classes"

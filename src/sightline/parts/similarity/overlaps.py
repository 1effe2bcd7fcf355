"""Phrases that two texts have in common, the longest first, no word used twice."""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Words = NDArray[np.int32]
USED = -1  # stands where a word of the second text was


def overlap_reference(first: list[int], second: list[int]) -> int:
    """Sum the squared lengths of common phrases: the definition, slow and legible.

    The longest phrase of the first text that still is in the second counts, the first of several;
    its words are then gone from both.
    """
    first, second, total = list(first), list(second), 0
    for length in range(min(len(first), len(second)), 0, -1):
        for start in range(len(first) - length + 1):
            phrase = first[start : start + length]
            places = range(len(second) - length + 1)
            found = next((p for p in places if second[p : p + length] == phrase), None)
            if found is not None and USED not in phrase:
                first[start : start + length] = [USED] * length
                second[found : found + length] = [USED - 1] * length
                total += length**2
    return total


@compiled
def overlap(first: Words, second: Words) -> int:
    """Sum the squared lengths of common phrases, as `overlap_reference` does."""
    left = second.copy()
    reach = np.zeros(len(first), np.int64)  # the longest phrase from each word on
    most = 0
    for start in range(len(first)):
        reach[start] = _longest(first, start, len(first) - start, left)
        most = max(most, reach[start])
    total = 0
    while most > 0:
        next_most = 0
        for start in range(len(first)):
            if reach[start] == most:
                place = _find(first, start, most, left)
                if place < 0:  # taken meanwhile
                    reach[start] = _longest(first, start, most - 1, left)
                else:
                    left[place : place + most] = USED
                    total += most * most
                    for word in range(start, start + most):
                        reach[word] = 0
                    for word in range(start - 1, -1, -1):
                        if reach[word] <= start - word:
                            break
                        reach[word] = start - word
        for start in range(len(first)):
            next_most = max(next_most, reach[start])
        most = next_most
    return total


@compiled
def _find(first: Words, start: int, length: int, second: Words) -> int:
    """Find a phrase of the first text in the second; -1 where it is not."""
    for place in range(len(second) - length + 1):
        same = 0
        while same < length and first[start + same] == second[place + same]:
            same += 1
        if same == length:
            return place
    return -1


@compiled
def _longest(first: Words, start: int, most: int, second: Words) -> int:
    """Give the length of the longest phrase from a word on that is in the second text."""
    best = 0
    for place in range(len(second)):
        same = 0
        while (
            same < most
            and place + same < len(second)
            and first[start + same] == second[place + same]
        ):
            same += 1
        best = max(best, same)
    return best

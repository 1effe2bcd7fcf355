"""What a similarity is: a number for any two noun synsets, the larger the more alike.

A file of this folder that is registered has

    NEEDS     "nouns" (shipped), "glosses" (shipped for common categories), "dictionary" (all
              glosses, from an installed WordNet) or "vectors" (a file that the user names)
    Options   its options
    measure   (options, wordnet) -> Measure
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.parts.wordnet.taxonomy import Taxonomy, Ways, meetings

Floats = NDArray[np.float64]


class Measure(Protocol):
    """Measures synsets, by their ids."""

    def scores(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Measure each of some synsets against each of others: (rows, columns)."""

    def unit(self, scores: Floats) -> Floats:
        """Bring scores to 0 ... 1 without changing their order, as CDS needs them."""


@dataclass(frozen=True, slots=True)
class ByColumn:
    """Measures all rows against one column after the other, along the ways up from them."""

    taxonomy: Taxonomy
    column: Callable[[Ways, int], Floats]
    to_unit: Callable[[Floats], Floats]

    def scores(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Measure each of some synsets against each of others: (rows, columns)."""
        ways = Ways.of(self.taxonomy, [self.taxonomy.number(name) for name in rows])
        numbers = [self.taxonomy.number(name) for name in columns]
        made = {number: self.column(ways, number) for number in dict.fromkeys(numbers)}
        return np.array([made[n] for n in numbers]).reshape(len(columns), len(rows)).T

    def unit(self, scores: Floats) -> Floats:
        """Bring scores to 0 ... 1 without changing their order, as CDS needs them."""
        return self.to_unit(scores)


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Measures one pair after the other."""

    pair: Callable[[str, str], float]
    to_unit: Callable[[Floats], Floats]

    def scores(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Measure each of some synsets against each of others: (rows, columns)."""
        made = [[self.pair(row, column) for column in columns] for row in rows]
        return np.array(made, np.float64).reshape(len(rows), len(columns))

    def unit(self, scores: Floats) -> Floats:
        """Bring scores to 0 ... 1 without changing their order, as CDS needs them."""
        return self.to_unit(scores)


def clipped(scores: Floats) -> Floats:
    """Bring to 0 ... 1 what hardly leaves it."""
    return np.clip(scores, 0, 1)


def squashed(scores: Floats) -> Floats:
    """Bring to 0 ... 1 what has no upper end: x / (1 + x)."""
    return np.asarray(scores / (1 + scores))


def shared_information(taxonomy: Taxonomy, ways: Ways, number: int) -> Floats:
    """Give the most information of any synset at which ways up from two synsets first meet."""
    told = [
        np.maximum.reduceat(taxonomy.information[meeting.at], ways.starts)
        for meeting in meetings(taxonomy, ways, number)
    ]
    return np.asarray(np.maximum.reduce(told))


def own_information(taxonomy: Taxonomy, ways: Ways) -> Floats:
    """Give the information of the synsets themselves."""
    return np.asarray(taxonomy.information[ways.steps[ways.starts, 0]])

"""The depth of the deepest synset that two are kinds of, as a share of their own depths.

Paper: Wu and Palmer, Verb semantics and lexical selection, ACL 1994
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.hyperparameters import validate
from sightline.parts.similarity.contract import ByColumn, Floats, Measure, clipped
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Taxonomy, Ways, meetings, shortest

NEEDS = "nouns"
Depth = Literal["first", "deepest", "shallowest"]


@dataclass(frozen=True, slots=True)
class Options:
    """Which depth a synset has that is reached by ways of several lengths."""

    depth: Annotated[
        Depth,
        "first: the one that comes first as text, as in WordNet::Similarity (14 before 9)",
    ] = "first"

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure: 2 d / (d_a + d_b).

    d is the depth of a synset at which ways up from both first meet, the deepest of them; d_a is d
    and the steps of the shortest way from it to a, which may lead over yet another synset.
    """
    taxonomy = wordnet.taxonomy
    depth = _depths(taxonomy, options.depth)

    def column(ways: Ways, number: int) -> Floats:
        met = [meeting.at for meeting in meetings(taxonomy, ways, number)]
        deep = [depth(at) for at in met]
        best = np.maximum.reduce([np.maximum.reduceat(one, ways.starts) for one in deep])
        lengths = [
            np.minimum.reduceat(
                np.where(d == best[ways.owners], _both(taxonomy, ways, number, at), np.inf),
                ways.starts,
            )
            for at, d in zip(met, deep, strict=True)
        ]
        return np.asarray(2 * best / (2 * best + np.minimum.reduce(lengths) - 2))

    return ByColumn(taxonomy, column, clipped)


def _depths(taxonomy: Taxonomy, which: Depth) -> Callable[[NDArray[np.int32]], NDArray[np.int64]]:
    choose: dict[Depth, Callable[[list[int]], int]] = {
        "first": lambda found: min(found, key=lambda depth: f"{depth - 1}:"),
        "deepest": max,
        "shallowest": min,
    }

    @cache
    def one(number: int) -> int:
        return choose[which](taxonomy.depths(number))

    def of(numbers: NDArray[np.int32]) -> NDArray[np.int64]:
        some, places = np.unique(numbers, return_inverse=True)
        return np.array([one(int(number)) for number in some], np.int64)[places]

    return of


def _both(taxonomy: Taxonomy, ways: Ways, number: int, at: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the synsets from where ways meet to either end: n_a + n_b."""
    some, places = np.unique(at, return_inverse=True)
    to_other = shortest(taxonomy, Ways.of(taxonomy, some.tolist()), number)[places]
    lengths = np.zeros(len(at), np.int64)
    for place, one in enumerate(some.tolist()):
        mine = places == place
        lengths[mine] = shortest(taxonomy, ways, one)[ways.owners[mine]]
    return lengths + to_other

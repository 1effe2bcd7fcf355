"""The shortest way between two, as a logarithm of its share in the taxonomy's depth.

Paper: Leacock and Chodorow, Combining local context and WordNet similarity, 1998
"""

from dataclasses import dataclass

import numpy as np

from sightline.parts.similarity.contract import ByColumn, Floats, Measure
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Ways, shortest

NEEDS = "nouns"


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure: ln(2 D / n) of n synsets on the way and depth D; unit: over ln(2 D)."""
    taxonomy = wordnet.taxonomy
    longest = 2 * taxonomy.depth

    def column(ways: Ways, number: int) -> Floats:
        return np.log(longest / shortest(taxonomy, ways, number))

    return ByColumn(taxonomy, column, lambda scores: scores / np.log(longest))

"""The information that two share, as a part of what both have.

Paper: Lin, An information-theoretic definition of similarity, ICML 1998
"""

from dataclasses import dataclass

import numpy as np

from sightline.parts.similarity.contract import (
    ByColumn,
    Floats,
    Measure,
    clipped,
    own_information,
    shared_information,
)
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Ways

NEEDS = "nouns"


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; 0 where one of two was never met in the tagged texts."""
    taxonomy = wordnet.taxonomy

    def column(ways: Ways, number: int) -> Floats:
        mine, other = own_information(taxonomy, ways), float(taxonomy.information[number])
        known = (mine > 0) & (other > 0)
        shared = shared_information(taxonomy, ways, number)
        return np.where(known, 2 * shared / np.where(known, mine + other, 1), 0.0)

    return ByColumn(taxonomy, column, clipped)

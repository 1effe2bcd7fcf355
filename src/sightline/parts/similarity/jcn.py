"""One over the information in which two differ.

Paper: Jiang and Conrath, Semantic similarity based on corpus statistics, ROCLING 1997
"""

import math
from dataclasses import dataclass

import numpy as np

from sightline.parts.similarity.contract import (
    ByColumn,
    Floats,
    Measure,
    own_information,
    shared_information,
    squashed,
)
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Ways

NEEDS = "nouns"
ALMOST = 0.01  # of one meeting: what two are given to differ in that do not differ


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; 0 where one of two was never met in the tagged texts."""
    taxonomy = wordnet.taxonomy
    total = int(taxonomy.frequencies[taxonomy.root])
    closest = -math.log((total - ALMOST) / total)

    def column(ways: Ways, number: int) -> Floats:
        mine, other = own_information(taxonomy, ways), float(taxonomy.information[number])
        apart = mine + other - 2 * shared_information(taxonomy, ways, number)
        known = (mine > 0) & (other > 0)
        return np.where(known, 1 / np.where(apart == 0, closest, apart), 0.0)

    return ByColumn(taxonomy, column, squashed)

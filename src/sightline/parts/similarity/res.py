"""The information of the most telling synset that two are kinds of.

Paper: Resnik, Using information content to evaluate semantic similarity, IJCAI 1995
"""

from dataclasses import dataclass

import numpy as np

from sightline.parts.similarity.contract import ByColumn, Floats, Measure, shared_information
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Ways

NEEDS = "nouns"


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; unit: over the information of what was met once."""
    taxonomy = wordnet.taxonomy
    most = np.log(taxonomy.frequencies[taxonomy.root])

    def column(ways: Ways, number: int) -> Floats:
        return shared_information(taxonomy, ways, number)

    return ByColumn(taxonomy, column, lambda scores: scores / most)

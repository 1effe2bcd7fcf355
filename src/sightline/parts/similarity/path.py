"""One over the number of synsets on the shortest way between two.

Paper: Pedersen, Patwardhan and Michelizzi, WordNet::Similarity, HLT-NAACL 2004
"""

from dataclasses import dataclass

from sightline.parts.similarity.contract import ByColumn, Floats, Measure, clipped
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.taxonomy import Ways, shortest

NEEDS = "nouns"


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; it is in 0 ... 1 as it is."""
    taxonomy = wordnet.taxonomy

    def column(ways: Ways, number: int) -> Floats:
        return 1 / shortest(taxonomy, ways, number)

    return ByColumn(taxonomy, column, clipped)

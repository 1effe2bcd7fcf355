"""The mean angle between what stands with the words of two, text by text.

Paper: Patwardhan and Pedersen, Using WordNet-based context vectors, EACL 2006 workshop
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sightline.parts.similarity import super_glosses
from sightline.parts.similarity.contract import Floats, Measure, Pairwise, clipped
from sightline.parts.similarity.cooccurrence import cooccurrence
from sightline.parts.similarity.super_glosses import BETWEEN
from sightline.parts.wordnet.installed import WordNet

NEEDS = "dictionary"
PAIRS = (
    *(("example", "example"), ("example", "glos"), ("example", "syns")),
    *(("glos", "glos"), ("glosexample", "glosexample"), ("hype", "hype")),
)


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; it is in 0 ... 1 as it is."""
    glosses, words = wordnet.glosses, cooccurrence(wordnet.dictionary)

    @cache
    def vectors(synset: str) -> Mapping[str, Floats]:
        names = dict.fromkeys(name for pair in PAIRS for name in pair)
        found = {name: super_glosses.texts(glosses, synset, name) for name in names}
        return {name: words.vector(BETWEEN.join(parts)) for name, parts in found.items()}

    def pair(first: str, second: str) -> float:
        mine, other = vectors(first), vectors(second)
        return sum(float(mine[a] @ other[b]) for a, b in PAIRS) / len(PAIRS)

    return Pairwise(pair, clipped)

"""The angle between what stands with the words of two glosses and of those around them.

Paper: Patwardhan and Pedersen, Using WordNet-based context vectors, EACL 2006 workshop
"""

from dataclasses import dataclass
from functools import cache

from sightline.parts.similarity import super_glosses
from sightline.parts.similarity.contract import Floats, Measure, Pairwise, clipped
from sightline.parts.similarity.cooccurrence import cooccurrence
from sightline.parts.similarity.super_glosses import BETWEEN
from sightline.parts.wordnet.installed import WordNet

NEEDS = "dictionary"
FUNCTIONS = (
    *("also", "attr", "example", "glosexample", "glos", "holo"),
    *("hype", "hypo", "mero", "pert", "sim", "syns"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """None."""


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure; it is in 0 ... 1 as it is."""
    glosses, words = wordnet.glosses, cooccurrence(wordnet.dictionary)

    @cache
    def vector(synset: str) -> Floats:
        found = (super_glosses.texts(glosses, synset, f, examples=True) for f in FUNCTIONS)
        return words.vector(" ".join(BETWEEN.join(parts) for parts in found))

    def pair(first: str, second: str) -> float:
        return float(vector(first) @ vector(second))

    return Pairwise(pair, clipped)

"""The mean angle between what stands with the words of two, text by text.

Paper: Patwardhan and Pedersen, Using WordNet-based context vectors, EACL 2006 workshop
"""

from dataclasses import dataclass

from sightline.parts.similarity import super_glosses
from sightline.parts.similarity.contract import Measure
from sightline.parts.similarity.cooccurrence import ByText, cooccurrence
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
    glosses = wordnet.glosses

    def text(synset: str, function: str) -> str:
        return BETWEEN.join(super_glosses.texts(glosses, synset, function))

    return ByText(cooccurrence(wordnet.dictionary), text, PAIRS)

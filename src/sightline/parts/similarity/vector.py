"""The angle between what stands with the words of two glosses and of those around them.

Paper: Patwardhan and Pedersen, Using WordNet-based context vectors, EACL 2006 workshop
"""

from dataclasses import dataclass

from sightline.parts.similarity import super_glosses
from sightline.parts.similarity.contract import Measure
from sightline.parts.similarity.cooccurrence import ByText, cooccurrence
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
    glosses = wordnet.glosses

    def text(synset: str, function: str) -> str:
        found = (super_glosses.texts(glosses, synset, f, examples=True) for f in FUNCTIONS)
        return " ".join(BETWEEN.join(parts) for parts in found)

    return ByText(cooccurrence(wordnet.dictionary), text, (("all", "all"),))

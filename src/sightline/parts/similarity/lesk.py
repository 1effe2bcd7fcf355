"""Phrases that the glosses of two, and of what they are related to, have in common.

Paper: Banerjee and Pedersen, Extended gloss overlaps, IJCAI 2003
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Annotated

import numpy as np

from sightline.parts.similarity import super_glosses
from sightline.parts.similarity.contract import Measure, Pairwise, squashed
from sightline.parts.similarity.overlaps import Words, overlap
from sightline.parts.wordnet.installed import WordNet

NEEDS = "glosses"
NINE = ("also", "attr", "glos", "holo", "hype", "hypo", "mero", "pert", "sim")
PAIRS = (  # which texts of one are compared with which of the other
    *product(NINE, NINE),
    ("example", "example"),
    *(("example", "glos"), ("glos", "example")),
    *(("example", "syns"), ("syns", "example")),
    *(("glos", "syns"), ("syns", "glos")),
)


@dataclass(frozen=True, slots=True)
class Options:
    """How overlaps are counted."""

    normalize: Annotated[bool, "divide each by the lengths of both texts"] = False


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure: the sum of squared lengths of common phrases; unit: x / (1 + x)."""
    numbers: dict[str, int] = {"": -3}

    def numbered(words: tuple[str, ...], side: int) -> Words:
        found = [numbers.setdefault(word, len(numbers)) for word in words]
        between = -3 - side  # differs, so that nothing reaches over it
        return np.array([between if number == -3 else number for number in found], np.int32)

    @cache
    def texts(synset: str, side: int) -> Mapping[str, Words]:
        made = {
            name: tuple(super_glosses.tokens(super_glosses.texts(wordnet.glosses, synset, name)))
            for name in dict.fromkeys(pair[side] for pair in PAIRS)
        }
        return {name: numbered(words, side) for name, words in made.items() if words}

    def pair(first: str, second: str) -> float:
        mine, other = texts(first, 0), texts(second, 1)
        total = 0.0
        for name, against in PAIRS:
            if name in mine and against in other:
                a, b = mine[name], other[against]
                total += overlap(a, b) / (len(a) * len(b) if options.normalize else 1)
        return total

    return Pairwise(pair, squashed)

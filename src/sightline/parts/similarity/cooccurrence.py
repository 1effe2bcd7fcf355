"""Which words stand together in the glosses of WordNet, and texts as sums of what stands with them.

Words that only hold a sentence together are left out: articles, prepositions, pronouns and
conjunctions. WordNet::Similarity leaves the list to its user, and does not say which one its
released vectors were made with; with these words it agrees with the list among its samples.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress
from sightline.parts.wordnet import princeton
from sightline.parts.wordnet.glosses import Dictionary

Floats = NDArray[np.float64]
NO_WORD = re.compile(r"[^a-z0-9]+")
ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {  # morphy(7WN)'s rules of detachment
    "n": (
        *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "v": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
ARTICLES = "a an the this that"
PREPOSITIONS = (
    "aboard about above across after against along alongside amid amidst among amongst anti around"
    " as astride at bar barring before behind below beneath beside besides between beyond but by"
    " circa concerning considering despite down during except excepting excluding following for"
    " from in including inside into like minus near notwithstanding of off on onto opposite outside"
    " over past pending per plus regarding round save since than through throughout till to toward"
    " towards under underneath unlike until up upon versus via with within without worth"
)
PRONOUNS = (
    "all another any anybody anyone anything aught both each either enough everybody everyone few fewer"
    " he her hers herself him himself his i it its itself many me mine more most myself naught"
    " neither nobody none nothing oneself other otherwise our ourself ourselves own self several"
    " she some somebody someone something somewhat such suchlike sundry thee theirs them themselves"
    " there they thine thou thyself twain us various we what whatever whatsoever which whichever"
    " whichsoever who whoever whom whomever whomsoever whose whosoever ye yon yonder you yours"
    " yourself yourselves"
)
CONJUNCTIONS = (
    "although and because if nor or so though unless when whereas wherewith wherewithal while yet"
)
STOP = frozenset(" ".join((ARTICLES, PREPOSITIONS, PRONOUNS, CONJUNCTIONS)).split())


class Forms:
    """Words as WordNet lists them: compounds joined, inflections taken off."""

    def __init__(self, dictionary: Dictionary) -> None:
        folder = dictionary.folder
        self.known = {s: set(princeton.senses(folder, s)) for s in princeton.SPEECH}
        self.irregular = {s: princeton.exceptions(folder, s) for s in princeton.SPEECH}
        compounds = {word for words in self.known.values() for word in words if "_" in word}
        self.compounds = compounds
        self.longest = max(word.count("_") + 1 for word in compounds)
        self.beginnings = {word.partition("_")[0] for word in compounds}

    def joined(self, text: str) -> list[str]:
        """Split a text into words, the longest compounds first; capitals are no letters here."""
        words = NO_WORD.sub(" ", text.replace("'", "")).split()
        found, place = [], 0
        while place < len(words):
            size = self._compound(words, place)
            found.append("_".join(words[place : place + size]))
            place += size
        return found

    def _compound(self, words: list[str], place: int) -> int:
        if words[place] not in self.beginnings:
            return 1
        most = min(self.longest, len(words) - place)
        sizes = range(most, 1, -1)
        fits = (size for size in sizes if "_".join(words[place : place + size]) in self.compounds)
        return next(fits, 1)

    @cached_property
    def _bases(self) -> dict[str, str]:
        return {}

    def base(self, word: str) -> str:
        """Give the one word of WordNet that this is a form of, a noun before others."""
        if word not in self._bases:
            valid = [(s, form) for s in princeton.SPEECH for form in self._valid(word, s)]
            nouns = [one for one in valid if one[0] == "n"] if len(valid) > 1 else valid
            self._bases[word] = nouns[0][1] if len(nouns) == 1 else word
        return self._bases[word]

    def _valid(self, word: str, speech: str) -> list[str]:
        rules = ENDINGS[speech]
        forms = [word[: -len(old)] + new for old, new in rules if word.endswith(old)]
        forms = list(self.irregular[speech].get(word, forms))
        return [form for form in dict.fromkeys([word, *forms]) if form in self.known[speech]]


def stopped(word: str) -> bool:
    """Tell whether a word, or every word of a compound, is left out."""
    return all(part in STOP for part in word.split("_"))


class Cooccurrence:
    """The matrix of words that stand in a gloss together, and texts as vectors by it."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.forms = Forms(dictionary)
        self.numbers: dict[str, int] = {}
        self.matrix = self._counted(dictionary.all_glosses())

    def _counted(self, glosses: list[str]) -> Any:
        from scipy import sparse

        columns: list[int] = []
        ends = [0]
        with progress.shown("words of glosses", len(glosses)) as step:
            for done, gloss in enumerate(glosses):
                columns += [
                    self.numbers.setdefault(word, len(self.numbers))
                    for part in gloss.lower().split(";")
                    for word in self._kept(self.forms.joined(part))
                ]
                ends.append(len(columns))
                step(done + 1)
        shape = (len(glosses), len(self.numbers))
        ones = np.ones(len(columns), np.float64)
        counts = sparse.csr_array((ones, np.array(columns), np.array(ends)), shape=shape)
        return (counts.T @ counts).tocsr()  # counts of equal words of a gloss are summed

    def _kept(self, words: Iterable[str]) -> list[str]:
        bases = (self.forms.base(word) for word in words if not stopped(word))
        return [word for word in bases if not stopped(word)]

    def vector(self, text: str) -> Floats:
        """Sum what stands with the different words of a text; length 1, or 0 if there is none.

        As in WordNet::Similarity, words of a synset with a capital lose it, and then mostly count
        for nothing.
        """
        words = set(self.forms.joined(text))
        rows = sorted(self.numbers[word] for word in words if word in self.numbers)
        chosen = np.zeros(len(self.numbers))
        chosen[rows] = 1
        summed = np.asarray(self.matrix.T @ chosen)
        length = float(np.sqrt(summed @ summed))
        return summed / length if length else summed


@cache
def cooccurrence(dictionary: Dictionary) -> Cooccurrence:
    """Count once."""
    return Cooccurrence(dictionary)

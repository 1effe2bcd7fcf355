"""Which words stand together in the glosses of WordNet, and texts as sums of what stands with them.

Words that only hold a sentence together are left out: articles, prepositions, pronouns and
conjunctions. WordNet::Similarity leaves the list to its user, and does not say which one its
released vectors were made with; with these words it agrees with the list among its samples.
"""

import contextlib
import hashlib
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress
from sightline.parts.wordnet import princeton
from sightline.parts.wordnet.glosses import Dictionary
from sightline.rows import canonical

Floats = NDArray[np.float64]
AT_ONCE = 100  # rows whose vectors are held at a time
LAYOUT = 1  # of the kept file; raise it when its numbers come to mean something else
UNREADABLE = (OSError, ValueError, KeyError, zipfile.BadZipFile)
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
    "all another any anybody anyone anything aught both each either enough everybody everyone few"
    " fewer he her hers herself him himself his i it its itself many me mine more most myself"
    " naught neither nobody none nothing oneself other otherwise our ourself ourselves own self"
    " several she some somebody someone something somewhat such suchlike sundry thee theirs them"
    " themselves there they thine thou thyself twain us various we what whatever whatsoever which"
    " whichever whichsoever who whoever whom whomever whomsoever whose whosoever ye yon yonder you"
    " yours yourself yourselves"
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
        self._bases: dict[str, str] = {}

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
        kept = kept_file(dictionary)
        try:
            self.numbers, self.matrix = read(kept)
        except UNREADABLE:
            self.numbers = {}
            self.matrix = self._counted(dictionary.all_glosses())
            with contextlib.suppress(OSError):  # it is counted again then
                write(kept, self.numbers, self.matrix)

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

    def vectors(self, texts: Sequence[str]) -> Any:
        """Sum what stands with the different words of each text; rows of length 1, or 0 if none.

        As in WordNet::Similarity, words of a synset with a capital lose it, and then mostly count
        for nothing.
        """
        from scipy import sparse

        found = [
            {self.numbers.get(word, -1) for word in self.forms.joined(t)} - {-1} for t in texts
        ]
        columns = np.array([number for numbers in found for number in sorted(numbers)], np.int64)
        ends = np.cumsum([0, *map(len, found)])
        shape = (len(texts), len(self.numbers))
        chosen = sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)
        summed = chosen @ self.matrix
        lengths = np.sqrt(np.asarray(summed.multiply(summed).sum(axis=1)).ravel())
        return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ summed


@dataclass(frozen=True, slots=True)
class ByText:
    """Compares texts of some functions of one synset with those of another: the mean angle."""

    words: Cooccurrence
    text: Callable[[str, str], str]  # of a synset, by function
    compared: tuple[tuple[str, str], ...]

    def scores(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Measure each of some synsets against each of others: (rows, columns)."""
        second = {name: self._vectors(columns, name) for _, name in self.compared}
        starts = range(0, len(rows), AT_ONCE)
        parts = [self._block(rows[start : start + AT_ONCE], second) for start in starts]
        return np.concatenate(parts) if parts else np.zeros((0, len(columns)))

    def _block(self, rows: Sequence[str], second: Mapping[str, Any]) -> Floats:
        first = {name: self._vectors(rows, name) for name, _ in self.compared}
        products = [(first[a] @ second[b].T).toarray() for a, b in self.compared]
        return np.asarray(np.mean(products, axis=0))

    def _vectors(self, synsets: Sequence[str], function: str) -> Any:
        return self.words.vectors([self.text(one, function) for one in synsets])

    def unit(self, scores: Floats) -> Floats:
        """Bring scores to 0 ... 1, which they hardly leave."""
        return np.clip(scores, 0, 1)


def kept_file(dictionary: Dictionary) -> Path:
    """Tell where the counts are kept, in SIGHTLINE_HOME or the user's folder for caches."""
    home = os.environ.get("SIGHTLINE_HOME")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    files = sorted(f for f in dictionary.folder.iterdir() if f.name.startswith(("data.", "index.")))
    told = [LAYOUT, sorted(STOP), [(f.name, f.stat().st_size) for f in files]]
    name = hashlib.sha256(canonical(told).encode()).hexdigest()[:16]
    return (Path(home) if home else Path(caches) / "sightline") / "wordnet" / f"{name}.npz"


def read(file: Path) -> tuple[dict[str, int], Any]:
    """Read counts back."""
    from scipy import sparse

    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
        words = kept["words"].tobytes().decode().split("\n")
        parts = (kept["data"].astype(np.float64), kept["indices"], kept["indptr"])
        matrix = sparse.csr_array(parts, shape=(len(words), len(words)))
    return {word: number for number, word in enumerate(words)}, matrix


def write(file: Path, numbers: Mapping[str, int], matrix: Any) -> None:
    """Keep counts, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{os.getpid()}-{file.name}")
    words = np.frombuffer("\n".join(numbers).encode(), np.uint8)
    small = {name: getattr(matrix, name).astype(np.int32) for name in ("data", "indices", "indptr")}
    np.savez(partial, words=words, **small)
    partial.replace(file)


@cache
def cooccurrence(dictionary: Dictionary) -> Cooccurrence:
    """Count once."""
    return Cooccurrence(dictionary)

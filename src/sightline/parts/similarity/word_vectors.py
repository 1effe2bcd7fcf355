"""The angle between word vectors from a file, averaged over the words of a name.

Paper: Mikolov et al., Efficient estimation of word representations in vector space, 2013

Not WordNet's: the alternative that 002, supplement B, discusses. NaN where a name has no vector.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError
from sightline.parts.similarity.contract import Floats, Measure
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.tables import Nouns

NEEDS = "vectors"
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Options:
    """Where the vectors are."""

    file: Annotated[str, "vectors as text (GloVe, word2vec) or .bin (word2vec)"] = ""


@dataclass(frozen=True)
class ByName:
    """Compares the usual names of synsets."""

    nouns: Nouns
    file: Path

    @cached_property
    def vectors(self) -> dict[str, Vector]:
        """Read the vectors of all words that nouns consist of."""
        named = (word for texts in self.nouns.spelled for word in _names(texts))
        return read(self.file, {part for name in named for part in parts(name)})

    def scores(self, rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """Measure each of some synsets against each of others: (rows, columns)."""
        first, second = self._pooled(rows), self._pooled(columns)
        return np.asarray(first @ second.T)

    def _pooled(self, synsets: Sequence[str]) -> Floats:
        size = len(next(iter(self.vectors.values()))) if self.vectors else 1
        found = [pooled(self.nouns.words(one)[0], self.vectors) for one in synsets]
        missing = np.full(size, np.nan)
        return np.array([missing if one is None else one for one in found]).reshape(-1, size)

    def unit(self, scores: Floats) -> Floats:
        """Bring scores to 0 ... 1: what points away, or has no vector, is 0."""
        return np.clip(np.nan_to_num(scores), 0, 1)


def measure(options: Options, wordnet: WordNet) -> Measure:
    """Make the measure: the cosine; unit: clipped to 0 ... 1."""
    if not options.file:
        raise UsageError("word-vectors needs a file: --vectors FILE")
    return ByName(wordnet.nouns, Path(options.file))


def _names(texts: str) -> list[str]:
    return [text.partition("#")[0] for text in texts.split(" ")]


def parts(name: str) -> set[str]:
    """Give a name, its words, and both with other capitals, as a file may have any of them."""
    words = [name.replace(" ", "_"), *name.replace("_", " ").split()]
    return {form for word in words for form in (word, word.lower(), word.capitalize())}


def pooled(name: str, vectors: dict[str, Vector]) -> Floats | None:
    """Average the vectors of a name's words, length 1; None where one of them has none."""
    joined = name.replace(" ", "_")
    words = [joined] if _either(joined, vectors) is not None else joined.split("_")
    found = [vector for word in words if (vector := _either(word, vectors)) is not None]
    if len(found) < len(words):
        return None
    summed = np.mean(found, axis=0, dtype=np.float64)
    return np.asarray(summed / (np.linalg.norm(summed) or 1))


def _either(word: str, vectors: dict[str, Vector]) -> Vector | None:
    return vectors.get(word, vectors.get(word.lower()))


def report(names: Iterable[str], file: Path) -> dict[str, object]:
    """Tell which names have no vector, which have several words, and what capitals change."""
    listed = list(dict.fromkeys(names))
    vectors = read(file, {part for name in listed for part in parts(name)})
    several = [name for name in listed if len(name.replace("_", " ").split()) > 1]
    capitals = {}
    for name in listed:
        small, large = vectors.get(name.lower()), vectors.get(name.capitalize())
        if small is not None and large is not None and name.lower() != name.capitalize():
            lengths = np.linalg.norm(small) * np.linalg.norm(large)
            capitals[name] = float(small @ large / lengths) if lengths else 0.0
    return {
        "names": len(listed),
        "missing": [name for name in listed if pooled(name, vectors) is None],
        "several_words": several,
        "several_words_missing": [name for name in several if pooled(name, vectors) is None],
        "capital_cosines": capitals,
    }


def read(file: Path, wanted: set[str]) -> dict[str, Vector]:
    """Read the vectors of some words, whatever the size of the file."""
    if not file.is_file():
        raise UsageError(f"{file}: no such file of word vectors")
    return _read_binary(file, wanted) if file.suffix == ".bin" else _read_text(file, wanted)


def _read_text(file: Path, wanted: set[str]) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    size = 0
    with file.open(encoding="utf-8", errors="replace") as stream:
        for number, line in enumerate(stream, start=1):
            word, *values = line.rstrip().split(" ")
            if number == 1 and len(values) == 1:
                continue  # word2vec says how many there are
            size = size or len(values)
            if word in wanted:
                try:
                    found[word] = np.array(values, np.float32)
                except ValueError:
                    raise UsageError(f"{file}:{number}: is no word with numbers") from None
                if len(values) != size:
                    raise UsageError(f"{file}:{number}: has {len(values)} numbers, not {size}")
    return found


def _read_binary(file: Path, wanted: set[str]) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    with file.open("rb") as stream:
        try:
            count, size = map(int, stream.readline().split())
        except ValueError:
            raise UsageError(f"{file}: is no word2vec file") from None
        for _ in range(count):
            spelled = bytearray()
            while (letter := stream.read(1)) not in (b" ", b""):
                spelled += letter
            raw = stream.read(4 * size)
            if len(raw) < 4 * size:
                raise UsageError(f"{file}: ends before its {count} words do")
            word = spelled.decode("utf-8", "replace").lstrip("\n")
            if word in wanted:
                found[word] = np.frombuffer(raw, "<f4").copy()
    return found

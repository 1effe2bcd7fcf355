"""Makes the shipped tables out of Princeton's files: python -m ... FOLDER."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sightline import registry
from sightline.data.class_names import imagenet
from sightline.parts.wordnet import categories, princeton, tables
from sightline.parts.wordnet.glosses import RELATIONS
from sightline.parts.wordnet.princeton import Synset

OWN = "s"  # instead of a part of speech


def noun_lines(folder: Path) -> Iterator[str]:
    """Write the nouns."""
    counts, senses = princeton.counts(folder), princeton.senses(folder, "n")
    for synset in princeton.synsets(folder, "n"):
        above = dict.fromkeys(to for sign, to in synset.pointers if sign in RELATIONS["hype"])
        met = sum(counts.get(key, 0) for key in synset.keys)
        words = (_numbered(word, senses[word.lower()].index(synset.id)) for word in synset.words)
        kinds = " ".join(_short(one) for one in above)
        yield "\t".join([_short(synset.id), str(met or ""), kinds, " ".join(words)])


def _short(synset: str) -> str:
    return synset[1:].lstrip("0")


def _numbered(word: str, place: int) -> str:
    return f"{word}#{place + 1}" if place else word


def gloss_lines(folder: Path, wanted: Iterable[str]) -> Iterator[str]:
    """Write the glosses of synsets, and of what these relate to."""
    all_of = {s.id: s for speech in princeton.SPEECH for s in princeton.synsets(folder, speech)}
    cores = set(wanted)
    around = {to for one in cores for ids in _related(all_of[one]).values() for to in ids}
    for one in sorted(cores | around):
        synset = all_of[one]
        words = "" if one.startswith("n") else " ".join(synset.words)
        kept = _related(synset) if one in cores else {}
        listed = (f"{name}={','.join(map(_own, ids))}" for name, ids in kept.items())
        relations = " ".join(listed) or ("-" if one in cores else "")
        yield "\t".join([_own(one), words, relations, synset.gloss])


def _own(synset: str) -> str:
    """Name what is no noun apart: outside of nouns, distributions of WordNet 3.0 differ in ids."""
    return synset if synset.startswith("n") else f"{OWN}{synset[1:]}"


def _related(synset: Synset) -> Mapping[str, tuple[str, ...]]:
    found = {
        name: tuple(dict.fromkeys(to for sign, to in synset.pointers if sign in signs))
        for name, signs in RELATIONS.items()
    }
    return {name: ids for name, ids in found.items() if ids}


def main(folder: Path) -> None:
    """Write both tables."""
    princeton.check(folder)
    tables.write(tables.NOUNS, noun_lines(folder))
    pond = (registry.load("species", name).SPECIES for name in registry.names("species"))
    coarse_and_fine = {s for one in pond for s in (one.synset, one.coarse_synset)}
    wanted = {*imagenet().synsets, *categories.fixed().values(), *coarse_and_fine}
    tables.write(tables.GLOSSES, gloss_lines(folder, wanted))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Makes the shipped tables out of Princeton's files: python -m ... FOLDER."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sightline import registry
from sightline.data.class_names import imagenet
from sightline.parts.wordnet import categories, princeton, tables
from sightline.parts.wordnet.glosses import RELATIONS
from sightline.parts.wordnet.princeton import Synset


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
    """Write the glosses of synsets and of what these relate to, all of which are nouns."""
    all_of = {synset.id: synset for synset in princeton.synsets(folder, "n")}
    cores = set(wanted)
    around = {to for one in cores for ids in _related(all_of[one]).values() for to in ids}
    for one in sorted(cores | around):
        kept = _related(all_of[one]) if one in cores else {}
        relations = " ".join(f"{name}={','.join(ids)}" for name, ids in kept.items())
        yield "\t".join([one, relations or ("-" if one in cores else ""), all_of[one].gloss])


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

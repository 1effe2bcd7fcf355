"""What categories and labels mean, and how alike they are: the numbers behind CDS and B-CDS."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sightline.errors import DataError, Problem, UsageError
from sightline.parts import mapping as mappings
from sightline.parts.mapping import LabelMapping
from sightline.parts.similarity import measuring
from sightline.parts.similarity.contract import Measure
from sightline.parts.wordnet.names import Several, resolve

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Meanings:
    """How alike each label is to each category, and whether it counts as a hit."""

    categories: tuple[str, ...]
    labels: tuple[str, ...]
    similar: Floats  # (labels, categories), 0 ... 1
    hits: NDArray[np.bool_]  # (labels, categories)
    mapping: LabelMapping
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def expected(self, labels: Sequence[str]) -> dict[str, dict[str, Floats]]:
        """Give chance (any of the labels, all alike) and floor (always the best one) of scores."""
        rows = [self.labels.index(label) for label in labels]
        similar, hits = self.similar[rows], self.hits[rows].astype(np.float64)
        return {
            name: {"chance": 1 - table.mean(axis=0), "floor": 1 - table.max(axis=0)}
            for name, table in (("cds", similar), ("b_cds", hits))
        }


def read_synsets(file: Path) -> dict[str, str]:
    """Read which noun a name means, from a CSV file with the columns name and synset."""
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            if not {"name", "synset"} <= set(reader.fieldnames or ()):
                raise UsageError(f"{file}:1: has not the columns name and synset")
            found, problems = {}, []
            for line in reader:
                try:
                    found[line["name"] or ""] = resolve(line["synset"] or "").synset
                except UsageError as error:
                    problems.append(Problem(str(error), str(file), reader.line_num))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file}: cannot be read as names and synsets ({error})") from None
    if problems:
        raise DataError(problems)
    return found


def understand(
    categories: Iterable[str],
    labels: Iterable[str],
    measure: Measure,
    mapping: str,
    *,
    told: Mapping[str, str] | None = None,
    senses: Several = "first",
    skip: bool = False,
) -> Meanings:
    """Find what names mean and measure them.

    Args:
        categories: of the images, in the order of tables.
        labels: all that any classifier gave or could have given.
        measure: how alike nouns are.
        mapping: hypernymy, by-hand or a file.
        told: what names mean where that is known.
        senses: whether a name of several senses is an error.
        skip: count a label that means nothing as unlike everything, and list it.
    """
    named, given = tuple(dict.fromkeys(categories)), tuple(dict.fromkeys(labels))
    found, notes, problems = _resolved((*named, *given), told or {}, senses)
    unknown = [name for name in named if name not in found]
    if problems and (unknown or not skip):
        first = [p for p in problems if p.image in unknown] or problems
        raise DataError(first, "--on-error skip")
    synsets = {name: found[name] for name in named}
    known = [label for label in given if label in found]
    rows = list(dict.fromkeys(found[label] for label in known))
    scores = measure.unit(measuring.matrix(measure, rows, list(synsets.values()), "similarity"))
    place = {synset: number for number, synset in enumerate(rows)}
    similar = np.zeros((len(given), len(named)))
    for number, label in enumerate(given):
        if label in found:
            similar[number] = scores[place[found[label]]]
    chosen = _mapping(mapping, synsets, given, found)
    hits = np.array([[one in chosen.labels[name] for name in named] for one in given], bool)
    hits = hits.reshape(len(given), len(named))
    return Meanings(named, given, similar, hits, chosen, tuple(notes), tuple(problems))


def _resolved(
    names: Sequence[str], told: Mapping[str, str], senses: Several
) -> tuple[dict[str, str], list[str], list[Problem]]:
    found, notes, problems = {}, [], []
    for name in dict.fromkeys(names):
        if name in told:
            found[name] = told[name]
            continue
        try:
            meaning = resolve(name, senses)
        except UsageError as error:
            remedy = "or name its synset with --synsets FILE"
            problems.append(Problem(str(error), image=name, remedy=remedy))
            continue
        found[name] = meaning.synset
        notes += [meaning.note] if meaning.others else []
    return found, notes, problems


def _mapping(
    text: str, categories: Mapping[str, str], labels: Sequence[str], found: Mapping[str, str]
) -> LabelMapping:
    """Make the mapping in terms of labels as they were given."""
    if text not in (mappings.HYPERNYMY, mappings.BY_HAND):
        return mappings.choose(text, categories, labels)
    synsets = list(dict.fromkeys(found.values()))
    made = mappings.choose(text, categories, synsets)
    given = {
        name: frozenset(label for label in labels if found.get(label) in of)
        for name, of in made.labels.items()
    }
    return LabelMapping(made.name, given)

"""Which of a classifier's labels count as which category: by what WordNet says, or by hand.

A file of them has lines `category,label`; a label is a WordNet id, a name or the number of a class.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.data.class_names import ClassNames, imagenet
from sightline.errors import DataError, Problem, UsageError
from sightline.parts.wordnet.tables import nouns

HYPERNYMY, BY_HAND = "hypernymy", "by-hand"
FILE = Path(__file__).parent / "wordnet" / "by_hand.csv"


@dataclass(frozen=True, slots=True)
class LabelMapping:
    """The labels of each category; a category may have none."""

    name: str
    labels: Mapping[str, frozenset[str]]

    @property
    def count(self) -> int:
        """Count the labels that belong to a category."""
        return sum(map(len, self.labels.values()))

    @property
    def empty(self) -> list[str]:
        """List the categories that no label belongs to."""
        return [category for category, labels in self.labels.items() if not labels]

    def without(self, categories: Sequence[str]) -> "LabelMapping":
        """Leave categories without labels."""
        unknown = [name for name in categories if name not in self.labels]
        if unknown:
            raise UsageError(f"'{unknown[0]}' is none of the categories: {', '.join(self.labels)}")
        kept = {c: frozenset() if c in categories else of for c, of in self.labels.items()}
        return LabelMapping(self.name, kept)


def by_hypernymy(categories: Mapping[str, str], labels: Sequence[str]) -> LabelMapping:
    """Take all labels that are kinds of a category's noun, itself included.

    `categories` are synsets by name. Labels that are no synsets belong nowhere.
    """
    taxonomy = nouns().taxonomy
    known = [label for label in labels if label in taxonomy.numbers]
    above = {label: taxonomy.above(taxonomy.number(label)) for label in known}
    found = {
        name: frozenset(label for label in known if taxonomy.number(synset) in above[label])
        for name, synset in categories.items()
    }
    return LabelMapping(HYPERNYMY, found)


def by_hand(categories: Mapping[str, str], labels: Sequence[str]) -> LabelMapping:
    """Add what people take for PASCAL's categories although WordNet does not: oxen for cows."""
    found = dict(by_hypernymy(categories, labels).labels)
    for line in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()):
        for name, synset in categories.items():
            if synset == line["category"] and line["label"] in labels:
                found[name] |= {line["label"]}
    return LabelMapping(BY_HAND, found)


def read(file: Path, categories: Sequence[str], labels: Sequence[str]) -> LabelMapping:
    """Read a mapping from a file; a category without a line has no labels."""
    found: dict[str, set[str]] = {name: set() for name in categories}
    problems = []
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.DictReader(stream)
            if not {"category", "label"} <= set(reader.fieldnames or ()):
                raise UsageError(f"{file}:1: a mapping has the columns category and label")
            for line in reader:
                try:
                    category, label = (line["category"] or "").strip(), line["label"] or ""
                    if category not in found:
                        raise UsageError(f"'{category}' is none of {', '.join(categories)}")
                    found[category].add(label_of(label.strip(), labels))
                except UsageError as error:
                    problems.append(Problem(str(error), str(file), reader.line_num))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file}: cannot be read as a mapping ({error})") from None
    if problems:
        raise DataError(problems)
    return LabelMapping(str(file), {name: frozenset(of) for name, of in found.items()})


def label_of(text: str, labels: Sequence[str]) -> str:
    """Find a label by its id, its name or its number."""
    if text in labels:
        return text
    return labels[named(labels).find(text)]


def named(labels: Sequence[str]) -> ClassNames:
    """Give the names of labels, those of ILSVRC's ids among them."""
    known = dict(zip(imagenet().synsets, imagenet().names, strict=True))
    names = tuple(known.get(label, (label,)) for label in labels)
    return ClassNames(names, tuple(label if label in known else "" for label in labels))


def choose(text: str, categories: Mapping[str, str], labels: Sequence[str]) -> LabelMapping:
    """Make the mapping that is asked for: hypernymy, by-hand or a file."""
    if text == HYPERNYMY:
        return by_hypernymy(categories, labels)
    if text == BY_HAND:
        return by_hand(categories, labels)
    if not Path(text).is_file():
        raise UsageError(f"--mapping {text}: neither a file nor {HYPERNYMY} or {BY_HAND}")
    return read(Path(text), list(categories), labels)

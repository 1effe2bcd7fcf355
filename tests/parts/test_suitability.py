"""Mappings, and the two criteria that a similarity is chosen by."""

import numpy as np
import pytest

from sightline.data.class_names import imagenet
from sightline.errors import DataError, UsageError
from sightline.parts import mapping as mappings
from sightline.parts import suitability
from sightline.parts.mapping import LabelMapping
from sightline.parts.similarity import measuring
from sightline.parts.wordnet.categories import PASCAL
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.names import resolve

LABELS = imagenet().synsets
CATEGORIES = {name: resolve(name).synset for name in PASCAL}


def scores_of(name):
    measure = measuring.make(name, WordNet())
    return lambda rows, columns: measuring.matrix(measure, rows, columns, name)


def test_kinds_of_the_categories_among_the_labels():
    found = mappings.by_hypernymy(CATEGORIES, LABELS)
    counts = {name: len(labels) for name, labels in found.labels.items()}
    few = {"aeroplane": 1, "bicycle": 2, "bird": 59, "bus": 3, "car": 10, "cat": 7, "cow": 0}
    assert counts == few | {"dog": 118, "horse": 1, "person": 3, "sheep": 1, "train": 1}
    assert found.empty == ["cow"]
    added = mappings.by_hand(CATEGORIES, LABELS).labels["cow"]
    assert {LABELS.index(label) for label in added} == {345, 346}


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("wup", 199, 10), ("res", 201, 10), ("path", 202, 9), ("lch", 202, 9), ("jcn", 15, 1)],
)
def test_both_criteria_on_ilsvrc(name, first, second):
    everything = mappings.by_hypernymy(CATEGORIES, LABELS)
    scores = scores_of(name)
    one = suitability.criterion_1(scores, everything, LABELS)
    assert (one.agreeing, one.total) == (first, 206)
    # the published row: .833 for wup and res, .75 for path and lch
    two = suitability.criterion_2(scores, everything.without(["person"]), CATEGORIES)
    assert (two.agreeing, two.total) == (second, 12)
    assert {"cow", "person"} <= set(two.failing)


def test_ties_are_decided_as_said():
    table = {"a": (9, 1, 1), "b": (1, 9, 0), "c": (1, 0, 9)}
    labels = ["a", "b", "c"]

    def scores(rows, columns):
        return np.array([[table[r][labels.index(c)] for c in columns] for r in rows], float)

    mapping = LabelMapping("", {"x": frozenset("ac"), "y": frozenset("b")})
    counted = {
        ties: suitability.criterion_1(scores, mapping, labels, ties).agreeing
        for ties in ("first", "any", "all")
    }
    assert counted == {"first": 1, "any": 2, "all": 1}  # a is as near to b as to c
    named = {"x": "a", "y": "b"}
    strict = suitability.criterion_2(scores, LabelMapping("", {"x": {"c"}, "y": {"b"}}), named)
    loose = suitability.criterion_2(
        scores, LabelMapping("", {"x": {"c"}, "y": {"b"}}), named, "any"
    )
    assert (strict.failing, loose.failing) == (("x",), ())


def test_a_mapping_from_a_file(tmp_path):
    file = tmp_path / "m.csv"
    file.write_text("category,label\ncow,ox\ncow,346\ndog,n02085620\n")
    found = mappings.read(file, ["cow", "dog", "cat"], LABELS)
    assert found.labels == {
        "cow": {"n02403003", "n02408429"},
        "dog": {"n02085620"},
        "cat": frozenset(),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("category,label\ncow,oxx\n", r"m\.csv:2: no class is called 'oxx'"),
        ("category,label\nyak,ox\n", r"m\.csv:2: 'yak' is none of cow, dog"),
        ("a,b\n", r"m\.csv:1: a mapping has the columns category and label"),
    ],
)
def test_a_mapping_that_is_wrong(tmp_path, text, said):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises((DataError, UsageError), match=said):
        mappings.read(tmp_path / "m.csv", ["cow", "dog"], LABELS)


def test_a_mapping_that_does_not_exist():
    with pytest.raises(UsageError, match="neither a file nor hypernymy or by-hand"):
        mappings.choose("manual", CATEGORIES, LABELS)
    with pytest.raises(UsageError, match="'yak' is none of the categories"):
        mappings.by_hypernymy(CATEGORIES, LABELS).without(["yak"])

"""The nine measures against what WordNet::Similarity 2.05 answers."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.parts.similarity import measuring
from sightline.parts.similarity.overlaps import overlap, overlap_reference
from sightline.parts.wordnet.installed import WordNet
from sightline.parts.wordnet.tables import nouns
from sightline.parts.wordnet.taxonomy import Taxonomy

FILE = Path(__file__).with_name("wordnet_similarity.csv")
PAIRS = list(csv.DictReader(FILE.read_text().splitlines()))
SIDES = [[pair[f"synset_{side}"] for pair in PAIRS] for side in "ab"]
DOG, CAT, PERSON = "n02084071", "n02121620", "n00007846"


def expected(name: str) -> np.ndarray:
    return np.array([float(pair[name]) for pair in PAIRS])


def measured(name: str, wordnet: WordNet, **options: str) -> np.ndarray:
    return measuring.pairs(measuring.make(name, wordnet, options), *SIDES, name)


@pytest.mark.parametrize("name", ["path", "lch", "wup", "res", "lin", "jcn"])
def test_measures_of_the_taxonomy_are_those_of_the_other_program(name):
    np.testing.assert_allclose(measured(name, WordNet()), expected(name), rtol=1e-9, atol=0)


def test_lesk_is_exact_with_the_shipped_glosses(monkeypatch):
    monkeypatch.setattr(WordNet, "_found", lambda self: None)
    assert measured("lesk", WordNet()).tolist() == expected("lesk").tolist()


@pytest.mark.long
@pytest.mark.parametrize("name", ["vector", "vector_pairs"])
def test_vector_measures_agree_with_the_stop_list_among_its_samples(name, installed):
    np.testing.assert_allclose(measured(name, installed), expected(name), rtol=0, atol=1e-3)


def test_a_matrix_holds_what_pairs_say():
    for name in ("path", "lch", "wup", "res", "lin", "jcn", "lesk"):
        measure = measuring.make(name, WordNet())
        rows, columns = [DOG, CAT, PERSON, DOG], [PERSON, CAT]
        one = [[measure.scores([row], [column])[0, 0] for column in columns] for row in rows]
        assert measure.scores(rows, columns).tolist() == one
        unit = measure.unit(measure.scores(rows, columns))
        assert 0 <= unit.min() <= unit.max() <= 1


def test_which_depth_counts_is_a_choice():
    # the dog lies 15 or 10 synsets deep, a person 5 or 8: as text, "14" is before "9"
    dogs, people = ("n02085620", "n02093647"), ("n09835506", "n10148035")

    def of(depth):
        measure = measuring.make("wup", WordNet(), {"depth": depth})
        return [measure.scores([a], [b])[0, 0] for a, b in (dogs, people)]

    first, deepest, shallowest = map(of, ("first", "deepest", "shallowest"))
    assert first == [deepest[0], shallowest[1]]
    assert shallowest[0] < deepest[0]
    assert shallowest[1] < deepest[1]


def test_ways_that_meet_only_in_the_added_root():
    #   0    3      two roots; 2 is a kind of 1, 4 of 3
    #   1    4
    #   2
    taxonomy = Taxonomy(tuple("abcde"), ((), (0,), (1,), (), (3,)), (1, 0, 2, 1, 0))
    assert taxonomy.paths(2) == [(2, 1, 0, 5)]
    assert taxonomy.depth == 3
    assert taxonomy.frequencies.tolist() == [3, 2, 2, 1, 0, 4]
    assert taxonomy.information[4] == 0


def test_two_ways_up_count_twice():
    diamond = Taxonomy(tuple("abcd"), ((), (0,), (0,), (1, 2)), (0, 0, 0, 5))
    assert diamond.frequencies.tolist() == [10, 5, 5, 5, 10]
    assert nouns().taxonomy.frequencies[-1] == 128767  # the published file's root


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_the_fast_overlap_is_the_slow_one(first, second):
    fast = overlap(np.array(first, np.int32), np.array(second, np.int32))
    assert fast == overlap_reference(first, second)


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        ([1, 2, 3], [0, 1, 2, 3], 9),
        ([1, 2, 3], [1, 2, 0, 3], 5),
        ([1, 2, 1, 2], [1, 2], 4),  # a word is used once
        ([], [1], 0),
    ],
)
def test_overlap(first, second, score):
    assert overlap_reference(first, second) == score


def test_options_and_names_that_are_wrong():
    with pytest.raises(Exception, match="did you mean wup"):
        measuring.make("wupp", WordNet())
    with pytest.raises(Exception, match="has no option 'deep'"):
        measuring.make("wup", WordNet(), {"deep": "1"})
    with pytest.raises(Exception, match="none of first, deepest, shallowest"):
        measuring.make("wup", WordNet(), {"depth": "mean"})
    with pytest.raises(Exception, match=r"write MEASURE\.OPTION=VALUE"):
        measuring.options(["depth=first"])


def test_glosses_that_are_not_shipped_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(WordNet, "_found", lambda self: None)
    with pytest.raises(Exception, match=r"'happiness'.* is not shipped; apt-get install"):
        measuring.make("lesk", WordNet()).scores(["n13987423"], [DOG])
    with pytest.raises(Exception, match=r"needs all glosses of WordNet 3\.0; apt-get install"):
        measuring.make("vector", WordNet())

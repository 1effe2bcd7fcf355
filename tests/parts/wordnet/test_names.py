"""What names of classes stand for."""

import pytest

from sightline import registry
from sightline.data.class_names import imagenet
from sightline.errors import UsageError
from sightline.parts.wordnet import princeton, tables
from sightline.parts.wordnet.categories import PASCAL
from sightline.parts.wordnet.names import resolve

SYNSETS = (  # facts of the benchmark's twelve categories
    *("n02691156", "n02834778", "n01503061", "n02924116", "n02958343", "n02121620"),
    *("n02403454", "n02084071", "n02374451", "n00007846", "n02411705", "n04468005"),
)


def test_the_categories_of_the_benchmark():
    assert [resolve(name).synset for name in PASCAL] == list(SYNSETS)


@pytest.mark.parametrize(
    ("name", "synset"),
    [
        ("n02084071", "n02084071"),
        ("airplane", "n02691156"),
        ("Potted Plant", "n03991062"),
        ("dining table", "n03201208"),
        ("wine glass", "n04592099"),
        ("dog.n.03", "n10023039"),
        ("dog#n#1", "n02084071"),
        ("dog#2", "n10114209"),
        ("great_white_shark", "n01484850"),
    ],
)
def test_spellings(name, synset):
    assert resolve(name).synset == synset


def test_senses_are_listed_where_there_are_several():
    meaning = resolve("crane")
    assert len(meaning.others) == 4
    assert "'crane' has 5 senses; taken: n" in meaning.note
    assert "wading bird" in meaning.note
    with pytest.raises(UsageError, match="has 5 senses, name one: n"):
        resolve("crane", several="stop")
    assert resolve("dog", several="stop").others == ()  # a data set's own use is no question


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dogg", "did you mean dog"),
        ("n99999999", "no noun synset"),
        ("dog#n#9", "has 7 senses"),
        ("", "is no noun"),
    ],
)
def test_what_is_no_noun(name, said):
    with pytest.raises(UsageError, match=said):
        resolve(name)


def test_pond_and_ilsvrc_are_known():
    for name in registry.names("species"):
        species = registry.load("species", name).SPECIES
        assert resolve(species.name).synset == species.synset
        assert resolve(species.coarse).synset == species.coarse_synset
        assert species.synset in tables.glosses()
    for synset, (name, *_) in zip(imagenet().synsets, imagenet().names, strict=True):
        assert tables.nouns().words(synset)[0].replace("_", " ") == name


def test_the_shipped_nouns_are_those_of_an_installed_wordnet(installed):
    from sightline.parts.wordnet import make_tables

    folder = installed.dictionary.folder
    lines = list(make_tables.noun_lines(folder))
    assert len(lines) == len(tables.nouns().taxonomy.ids) == 82115
    senses = princeton.senses(folder, "n")
    assert {word: senses[word] for word in ("dog", "crane", "bat")} == {
        word: tables.nouns().senses[word] for word in ("dog", "crane", "bat")
    }


def test_what_is_no_wordnet(tmp_path):
    from sightline.parts.wordnet.installed import WordNet

    with pytest.raises(UsageError, match="no such folder"):
        WordNet(tmp_path / "none")
    with pytest.raises(UsageError, match=r"holds no data\.noun"):
        WordNet(tmp_path)
    for speech in princeton.SPEECH.values():
        (tmp_path / f"data.{speech}").write_text("  1 licence\n")
    with pytest.raises(UsageError, match=r"another WordNet than 3\.0"):
        assert WordNet(tmp_path).dictionary

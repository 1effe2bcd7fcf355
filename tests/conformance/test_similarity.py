"""Every registered similarity keeps its contract."""

import numpy as np
import pytest

from sightline import registry
from sightline.errors import UsageError
from sightline.parts.wordnet.installed import WordNet

NAMES = [e.name for e in registry.describe("similarity") if e.source == "sightline"]
SYNSETS = ["n02084071", "n02121620", "n02958343"]
NEEDED = ("nouns", "glosses", "dictionary", "vectors")


@pytest.mark.parametrize("name", NAMES)
def test_what_it_says_of_itself(name):
    module = registry.load("similarity", name)
    assert module.NEEDS in NEEDED
    assert module.Options() == module.Options()


@pytest.mark.parametrize(
    "name", [n for n in NAMES if registry.load("similarity", n).NEEDS in ("nouns", "glosses")]
)
def test_a_synset_is_most_like_itself(name):
    module = registry.load("similarity", name)
    measure = module.measure(module.Options(), WordNet())
    scores = measure.scores(SYNSETS, SYNSETS)
    assert scores.shape == (3, 3)
    assert np.isfinite(scores).all()
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    unit = measure.unit(scores)
    assert unit.min() >= 0
    assert unit.max() <= 1
    assert (unit.argsort(axis=1) == scores.argsort(axis=1)).all()  # the order stays


@pytest.mark.parametrize("name", NAMES)
def test_what_it_lacks_is_said_in_one_line(name, monkeypatch):
    module = registry.load("similarity", name)
    monkeypatch.setattr(WordNet, "_found", lambda self: None)
    if module.NEEDS in ("dictionary", "vectors"):
        with pytest.raises(UsageError, match="needs"):
            module.measure(module.Options(), WordNet())
    else:
        assert module.measure(module.Options(), WordNet())

"""What tests of the part benchmark share."""

from pathlib import Path

import pytest

from sightline.errors import UsageError
from sightline.parts.annotated import read_annotated
from sightline.parts.prepared import Prepared
from sightline.parts.preparing import Choices, prepare
from sightline.parts.schemes import AS_IS, Schemes
from sightline.parts.wordnet.installed import WordNet
from sightline.types import Fixation

from .parts_data import write

ALL = ("torso", "head", "eye", "tail")
KINDS = {"dog-1": ALL, "dog-2": ("torso", "head"), "cat-1": ALL, "dog-3": ("eye", "torso")}
LOOKED = [("a", 0, 43, 13), ("a", 1, 20, 30), ("a", 2, 36, 20), ("b", 0, 36, 20), ("b", 1, 200, 5)]


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    source = read_annotated(str(write(tmp_path / "data", KINDS)))
    looked = {
        one.image: [Fixation(subject, order, x + 0.5, y + 0.5) for subject, order, x, y in LOOKED]
        for one in source.objects
    }
    out = tmp_path / "prepared"
    prepare(source, Schemes(AS_IS, "drop"), out, Choices(), fixations=looked)
    return Prepared(out)


@pytest.fixture(scope="session")
def installed() -> WordNet:
    """Give an installed WordNet 3.0, or skip."""
    found = WordNet()
    try:
        assert found.dictionary
    except UsageError as error:
        pytest.skip(f"no WordNet 3.0 is installed: {error}")
    return found

"""What tests of the part benchmark share."""

import pytest

from sightline.errors import UsageError
from sightline.parts.wordnet.installed import WordNet


@pytest.fixture(scope="session")
def installed() -> WordNet:
    """Give an installed WordNet 3.0, or skip."""
    found = WordNet()
    try:
        assert found.dictionary
    except UsageError as error:
        pytest.skip(f"no WordNet 3.0 is installed: {error}")
    return found

"""A tiny data set to search on."""

import importlib.util
from pathlib import Path

import pytest

TRAINING = Path(__file__).parents[1] / "training" / "conftest.py"


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data set of the trainer's tests, which no test changes."""
    found = importlib.util.spec_from_file_location("training_conftest", TRAINING)
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    written: Path = module.write_data(tmp_path_factory.mktemp("photographs"))
    return written

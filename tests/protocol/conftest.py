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


@pytest.fixture(scope="session")
def runs(photographs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train two configurations for two epochs, keeping each."""
    import torch

    from sightline.training import train

    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("runs")
    for name, lr in (("slow", 0.001), ("fast", 0.1)):
        train(
            "cam",
            data=photographs,
            backbone="small-plain",
            out=root / name,
            epochs=2,
            lr=lr,
            keep=("every",),
            batch=4,
            size=32,
            workers=0,
            accelerator="cpu",
            cache=False,
            show_progress=False,
        )
    return root

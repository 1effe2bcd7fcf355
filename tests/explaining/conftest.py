"""Generated photographs with boxes and masks, and a network of four classes that sees colours."""

import textwrap
from pathlib import Path

import pytest
import torch

from sightline.data import example
from sightline.data.dataset import Dataset, read_dataset

torch.set_num_threads(1)
SIDE = 64
NETWORK = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed({seed})
        self.first = nn.Conv2d(3, 8, 5, stride=2, padding=2)
        self.second = nn.Conv2d(8, 16, 3, stride=4, padding=1)
        self.head = nn.Linear(16, {classes})

    def forward(self, images):
        features = torch.relu(self.second(torch.relu(self.first(images))))
        return self.head(features.mean((2, 3)))


def constant(images, labels):
    return torch.ones(len(images), 4, 4)


def wrong(images, labels):
    return torch.ones(2, 3)


def broken(images, labels):
    maps = images.mean(1).clone()
    maps[1:2] = float("nan")
    return maps


NUMBER = 3
"""


def write_network(file: Path, *, seed: int = 0, classes: int = 4) -> Path:
    """Write a Python file with a network and some explainers."""
    file.write_text(textwrap.dedent(NETWORK).format(seed=seed, classes=classes))
    return file


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write ten scenes, which no test changes."""
    root = tmp_path_factory.mktemp("photographs")
    example.write(root, 10, 3)
    return root


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """Give a Python file with a network."""
    return write_network(tmp_path / "net.py")


@pytest.fixture
def dataset(photographs: Path) -> Dataset:
    """Give the scenes as a split."""
    return read_dataset(
        photographs / "truth", images=photographs / "images", masks=photographs / "masks"
    )

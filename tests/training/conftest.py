"""A tiny data set in three splits, with boxes and masks, and runs on it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from sightline.data import example
from sightline.training import train
from sightline.types import ResultRow

torch.set_num_threads(1)
SPLITS = {"train": (12, 1), "val": (8, 2), "test": (6, 3)}  # images and seed


def write_data(root: Path, counts: dict[str, tuple[int, int]] = SPLITS) -> Path:
    """Write photographs, masks and lists as `../shared/data/pets` has them."""
    for split, (count, seed) in counts.items():
        made = root / "made"
        example.write(made, count, seed)
        for kind in ("images", "masks"):
            shutil.move(made / kind, root / kind / split)
        lists = root / "metadata" / split
        lists.mkdir(parents=True)
        for file in (made / "truth").glob("*.txt"):
            lines = file.read_text(encoding="utf-8").split("\n")
            text = "\n".join(f"{split}/{line}" for line in lines)
            (lists / file.name).write_text(text, encoding="utf-8")
        shutil.rmtree(made)
    return root


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the data set, which no test changes."""
    return write_data(tmp_path_factory.mktemp("photographs"))


@pytest.fixture
def data(photographs: Path, tmp_path: Path) -> Path:
    """Give a copy that may be spoilt."""
    return Path(shutil.copytree(photographs, tmp_path / "data"))


Train = Callable[..., ResultRow]


@pytest.fixture
def trained(photographs: Path, tmp_path: Path) -> Train:
    """Train for one epoch on the tiny data, or as told."""

    def call(method: str = "cam", **settings: object) -> ResultRow:
        usual = {
            "data": photographs,
            "backbone": "small-plain",
            "out": tmp_path / "run",
            "epochs": 1,
            "batch": 4,
            "workers": 0,
            "accelerator": "cpu",
            "cache": False,
            "show_progress": False,
        }
        return train(method, **{**usual, **settings})  # type: ignore[arg-type]

    return call

"""A tiny data set in three splits, and runs on it that keep every epoch."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def photographs(tmp_path_factory) -> Path:
    """Write photographs with boxes and masks, which no test changes."""
    from sightline.data import example

    root = tmp_path_factory.mktemp("photographs")
    for split, (count, seed) in {"train": (12, 1), "val": (8, 2), "test": (6, 3)}.items():
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
def runs(photographs, tmp_path_factory) -> Path:
    """Train two configurations for two epochs."""
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

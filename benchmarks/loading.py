"""Speed of reading photographs, beside a plain PyTorch loader in the same run.

    .venv/bin/python benchmarks/loading.py [--data ../shared/data/pets] [--workers 2] [--repeats 5]

The peer is what one would write: Pillow opens, resizes, crops and flips, NumPy and torch normalize,
a `DataLoader` with as many worker processes collates. Its workers are started, and all files are
in the system's cache, before any time is taken. Our first epoch starts its threads and fills an
empty cache on disk; our second one reads from it. The batches of both are compared number by number
first. The two take turns; a line gives the median and the range over the repeats.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from sightline.data.pipeline.draws import order
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Geometry, Transform, geometries

Item = tuple[torch.Tensor, int]


class Plain(Dataset[Item]):
    """Photographs as the papers' code reads them, with crops and flips drawn beforehand."""

    def __init__(self, files: Sequence[Path], parts: Sequence[Geometry]) -> None:
        self.files, self.parts, transform = files, parts, Transform()
        self.resized, self.side = transform.resize, transform.crop
        self.mean = torch.tensor(transform.mean).view(3, 1, 1)
        self.std = torch.tensor(transform.std).view(3, 1, 1)

    def __len__(self) -> int:
        """Count the photographs."""
        return len(self.files)

    def __getitem__(self, index: int) -> Item:
        """Read a photograph."""
        part, square = self.parts[index], (self.resized, self.resized)
        with Image.open(self.files[index]) as opened:
            image = opened.convert("RGB").resize(square, Image.Resampling.BILINEAR)
        image = image.crop((part.x, part.y, part.x + self.side, part.y + self.side))
        if part.flip:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()
        return pixels.float().div_(255).sub_(self.mean).div_(self.std), index


class Peer:
    """The plain loader with its workers running."""

    def __init__(self, files: Sequence[Path], batch: int, workers: int) -> None:
        indices = np.arange(len(files))
        self.order = order(0, 0, len(files)).tolist()
        self.loader: Any = DataLoader(
            Plain(files, geometries(Transform(), 0, 0, indices)),
            batch_size=batch,
            sampler=self.order,
            num_workers=workers,
            persistent_workers=workers > 0,
        )

    def epoch(self) -> Iterator[Any]:
        """Give the batches of an epoch."""
        return iter(self.loader)


def rate(batches: Iterator[Any], count: int) -> float:
    """Run through an epoch, in photographs a second."""
    started = time.perf_counter()
    for _ in batches:
        pass
    return count / (time.perf_counter() - started)


def compare(loader: Loader, peer: Peer) -> None:
    """Make sure that both give the same batches; this warms up files, kernels and workers, too."""
    for ours, (images, indices) in zip(loader.epoch(), peer.epoch(), strict=True):
        assert (ours.indices == indices.numpy()).all(), "another order"
        assert (ours.images == images.numpy()).all(), f"batch {ours.number} differs"


def turn(files: Sequence[Path], reading: Reading, peer: Peer) -> dict[str, float]:
    """Measure both once, each ratio with a neighbour in time."""
    loader = Loader(files, reading=reading)
    plain, count = rate(peer.epoch(), len(files)), len(files)
    first = rate(loader.epoch(0), count)
    second = rate(loader.epoch(1), count)
    assert not loader.complaint, loader.complaint
    return {
        "plain loader, images/s": plain,
        "first epoch, images/s": first,
        "second epoch, images/s": second,
        "first epoch / plain loader": first / plain,
        "second epoch / first epoch": second / first,
        "second epoch / plain loader": second / plain,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/pets"))
    parser.add_argument("--images", type=int, default=1110)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    files = sorted((options.data / "images").rglob("*.jpg"))[: options.images]
    if not files:
        print(f"{options.data}: no photographs; pass --data FOLDER with images/*.jpg")
        return
    peer = Peer(files, options.batch, options.workers)
    turns = []
    for repeat in range(options.repeats + 1):
        with tempfile.TemporaryDirectory() as folder:
            reading = Reading(
                batch=options.batch, workers=options.workers, cache_folder=Path(folder)
            )
            if repeat:
                turns.append(turn(files, reading, peer))
            else:
                compare(Loader(files, reading=reading), peer)
    print(f"{len(files)} photographs, batches of {options.batch}, {options.workers} workers each\n")
    print("| | median | range |\n|---|---|---|")
    for name in turns[0]:
        values = [taken[name] for taken in turns]
        digits = 0 if "images" in name else 2
        low, middle, high = min(values), statistics.median(values), max(values)
        print(f"| {name} | {middle:.{digits}f} | {low:.{digits}f} to {high:.{digits}f} |")


if __name__ == "__main__":
    main()

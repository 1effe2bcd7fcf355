"""What is known of published networks: names and shapes of their tensors, and their answers.

The tables and answers in `published/` were written by `record.py` from other implementations
(torchvision, timm and efficientnet_lite_pytorch). Weights and images are computed from numbers, so
that the answers can be had again anywhere.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

PUBLISHED = Path(__file__).parent / "published"
ANSWERS = PUBLISHED / "answers.json"
TABLES = {  # by naming: the backbone that it belongs to
    "torchvision-vgg16": "vgg16",
    "torchvision-resnet50": "resnet50",
    "torchvision-inception_v3": "inception-v3",
    "packaged-lite0": "efficientnet-lite0",
    "timm-lite0": "efficientnet-lite0",
}
CASES = [  # naming, side of the maps
    *[("torchvision-vgg16", side) for side in (14, 28)],
    *[("torchvision-resnet50", side) for side in (7, 14, 28)],
    *[("torchvision-inception_v3", side) for side in (14, 28)],
]
KEPT = 24  # channels of an answer
LARGE = 20_000_000  # values of a tensor that no backbone takes over


def shapes(table: str) -> dict[str, tuple[int, ...]]:
    """Read the names and shapes of a published network."""
    with (PUBLISHED / f"{table}.csv").open(encoding="utf-8") as lines:
        return {name: tuple(map(int, shape.split())) for name, shape in csv.reader(lines)}


def answers() -> dict[str, list[float]]:
    """Read what other implementations answered, by `NAMING SIDE`."""
    found: dict[str, list[float]] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


def noise(count: int, seed: int) -> np.ndarray:
    """Scatter numbers of mean 0 and deviation 1, the same on every machine."""
    x = ((np.arange(count, dtype=np.uint64) + 1) * 2654435761 + seed * 40503) % 2**32
    x ^= x >> np.uint64(15)
    x = x * 2246822519 % 2**32
    x ^= x >> np.uint64(13)
    return ((x / 2**32 - 0.5) * 12**0.5).astype(np.float32)


def image(side: int = 64) -> Tensor:
    """Make an image."""
    return torch.from_numpy(noise(3 * side * side, 7)).reshape(1, 3, side, side)


def weights(table: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Make weights for a published network; those that are large and not used have no values."""
    return {
        name: torch.zeros(()).expand(shape)
        if np.prod(shape) > LARGE
        else torch.from_numpy(_values(name, shape, seed))
        for seed, (name, shape) in enumerate(table.items())
    }


def _values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    if not shape:
        return np.zeros((), np.int64)
    scattered = noise(int(np.prod(shape)), seed).reshape(shape)
    if len(shape) > 1:
        return scattered * np.float32((2 / np.prod(shape[1:])) ** 0.5)
    if name.endswith("running_var") or (name.endswith("weight") and len(shape) == 1):
        return 1 + np.float32(0.2) * scattered
    return np.float32(0.1) * scattered

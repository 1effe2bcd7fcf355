"""The later convolutional methods learn to localize, from class labels and from nothing on disk."""

import pytest
import torch
from torch import Tensor

from sightline.methods import assembly
from sightline.methods.contract import Batch, Method, given

SIDE, COUNT, STEPS = 48, 24, 60


def scenes(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw colored squares on gray noise: images, classes (colors), and where the squares are."""
    dice = torch.Generator().manual_seed(seed)
    images = 0.4 * torch.randn(COUNT, 3, SIDE, SIDE, generator=dice)
    labels = torch.arange(COUNT) % 3
    squares = torch.zeros(COUNT, SIDE, SIDE, dtype=torch.bool)
    for n, label in enumerate(labels.tolist()):
        y, x = torch.randint(0, SIDE - 20, (2,), generator=dice).tolist()
        squares[n, y : y + 20, x : x + 20] = True
        images[n, label, y : y + 20, x : x + 20] += 3
    return images, labels, squares


def learned(name: str, **options: object) -> Method:
    torch.manual_seed(0)
    network = assembly.build(name, "small-plain", 3, options=options)
    images, labels, _ = scenes(0)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.03, momentum=0.9)
    network.train()
    for step in range(STEPS):
        optimizer.zero_grad()
        chosen = torch.randperm(COUNT, generator=torch.Generator().manual_seed(step))[:8]
        dice = torch.Generator().manual_seed(step)
        epoch = 10 * step / STEPS
        batch = Batch(images[chosen], labels[chosen], dice, epoch=epoch, epochs=10)
        network.step(batch).loss.backward()
        optimizer.step()
    return network.eval()


def separation(network: Method) -> float:
    """Tell how often a pixel of the square has a higher score than one beside it, in new scenes."""
    images, labels, squares = scenes(1)
    with torch.no_grad():
        maps = network.localize(images, given(labels)).maps
    maps = torch.nn.functional.interpolate(maps, (SIDE, SIDE), mode="bilinear")[:, 0]
    shares = []
    for scores, square in zip(maps, squares, strict=True):
        ranks = scores.flatten().argsort().argsort().reshape(SIDE, SIDE).double()
        inside = int(square.sum())
        least = inside * (inside - 1) / 2
        shares.append((ranks[square].sum() - least) / (inside * (SIDE * SIDE - inside)))
    return float(torch.stack(shares).mean())


@pytest.fixture(scope="module")
def untrained() -> float:
    torch.manual_seed(0)
    return separation(assembly.build("random", "small-plain", 3).eval())


@pytest.mark.parametrize(
    ("name", "options"), [("nl-ccam", {}), ("f-cam", {"width": 16, "foreground_seeds": 5})]
)
def test_a_few_steps_are_enough_to_beat_random_weights(name, options, untrained):
    assert separation(learned(name, **options)) > max(0.85, untrained + 0.1)

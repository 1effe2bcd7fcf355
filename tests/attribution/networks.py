"""Small networks whose maps are known."""

import torch
from torch import Tensor, nn


class Pooled(nn.Module):
    """Two convolutions, average pooling and a linear layer: CAM is defined."""

    def __init__(self, classes: int = 5) -> None:
        super().__init__()
        self.early = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.late = nn.Conv2d(6, 8, 3, stride=2, padding=1)
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(8, classes)

    def forward(self, images: Tensor) -> Tensor:
        features = self.act(self.late(torch.relu(self.early(images))))
        return self.head(features.mean((2, 3)))


def pooled(seed: int = 0) -> Pooled:
    """Make one with fixed weights."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Pooled()


def images(count: int = 3, side: int = 32) -> Tensor:
    """Draw images."""
    return torch.randn(count, 3, side, side, generator=torch.Generator().manual_seed(1))


def textbook_cam(network: Pooled, batch: Tensor, labels: Tensor) -> Tensor:
    """Weight the last features by the linear layer's row, as the paper has it."""
    with torch.no_grad():
        x = torch.relu(network.late(torch.relu(network.early(batch))))
        return (network.head.weight[labels][:, :, None, None] * x).sum(1)

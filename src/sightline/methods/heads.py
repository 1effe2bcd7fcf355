"""What several methods share: a classifier that is a class map, scaled maps, a loss for pixels."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.assembly import initialize
from sightline.methods.contract import Method

IGNORED = 255  # in masks: neither object nor background


class ClassMaps(nn.Linear):
    """Pooling and a linear layer: the class scores; in the other order, the class maps.

    A class map's mean over space is the class score exactly, since the bias is in both.
    """

    def forward(self, features: Tensor) -> Tensor:
        """Give class scores, (N, C), for features (N, D, h, w)."""
        return super().forward(features.mean((2, 3)))

    def maps(self, features: Tensor, labels: Tensor) -> Tensor:
        """Give the maps of some classes alone, (N, K, h, w), for labels (N, K)."""
        weighted = torch.einsum("nkd,ndhw->nkhw", self.weight[labels], features)
        return weighted + self.bias[labels][..., None, None]


def convolution(inputs: int, outputs: int, side: int) -> nn.Conv2d:
    """Make a layer that keeps the size of its input."""
    return nn.Conv2d(inputs, outputs, side, padding=side // 2)


def begin(method: Method) -> None:
    """Fill a method's own layers with random values, in the way of the backbone's new ones."""
    for name, layer in method.named_children():
        if name != "backbone":
            initialize(layer, method.backbone.initialization)


def picked(maps: Tensor, labels: Tensor) -> Tensor:
    """Take some classes' maps of each image: (N, C, h, w) and labels (N, K) give (N, K, h, w)."""
    images = torch.arange(len(maps), device=maps.device)
    return maps[images[:, None], labels]


def scaled(maps: Tensor) -> Tensor:
    """Stretch each map over [0, 1]; one that is the same everywhere becomes 0."""
    low, high = maps.amin((-2, -1), keepdim=True), maps.amax((-2, -1), keepdim=True)
    span = high - low
    return (maps - low) / torch.where(span > 0, span, torch.ones_like(span))


def enlarged(maps: Tensor, images: Tensor) -> Tensor:
    """Bring maps (N, 1, h, w) to the size of the images, as (N, H, W)."""
    size = images.shape[-2:]
    return functional.interpolate(maps, size, mode="bilinear", align_corners=False)[:, 0]


def pixel_loss(scores: Tensor, masks: Tensor) -> Tensor:
    """Average the binary cross-entropy over the pixels that are not ignored; 0 if all are."""
    counted = masks != IGNORED
    target = torch.where(counted, masks, 0).to(scores.dtype)
    losses = functional.binary_cross_entropy_with_logits(scores, target, reduction="none")
    return (losses * counted).sum() / counted.sum().clamp(min=1)


def chance(generator: torch.Generator, *shape: int) -> Tensor:
    """Draw numbers evenly from [0, 1), where the generator lives."""
    return torch.rand(shape, generator=generator, device=generator.device)


def numpy_dice(generator: torch.Generator) -> np.random.Generator:
    """Make NumPy's random numbers follow from torch's."""
    device = generator.device
    seed = torch.randint(2**63 - 1, (1,), generator=generator, device=device)
    return np.random.default_rng(int(seed.item()))

"""Features of a network's stage with their gradients: what the family of CAM is made of."""

import torch
from torch import Tensor

from sightline.attribution.gradients import aimed
from sightline.attribution.networks import Network
from sightline.attribution.settings import Target


def features_and_gradients(
    network: Network, images: Tensor, labels: Tensor, target: Target
) -> tuple[Tensor, Tensor]:
    """Give a stage's features and the gradients of the class scores for them, (N, K, h, w) each."""
    size = network.most or len(images)
    parts = [
        _part(network, images[start : start + size], labels[start : start + size], target)
        for start in range(0, len(images), size)
    ]
    features, gradients = zip(*parts, strict=True)
    return torch.cat(features), torch.cat(gradients)


def features_of(network: Network, images: Tensor) -> Tensor:
    """Give a stage's features alone, (N, K, h, w)."""
    parts = torch.split(images, network.most or len(images))
    return torch.cat([network.stage(part)[1].detach() for part in parts])


def _part(
    network: Network, images: Tensor, labels: Tensor, target: Target
) -> tuple[Tensor, Tensor]:
    scores, features = network.stage(images)
    with torch.enable_grad():
        wanted = aimed(scores, labels, target).sum()
    (gradients,) = torch.autograd.grad(wanted, features)
    return features.detach(), gradients


def weighted(features: Tensor, weights: Tensor) -> Tensor:
    """Add channels up by their weights, (N, K) -> (N, h, w)."""
    return torch.einsum("nk,nkhw->nhw", weights, features)

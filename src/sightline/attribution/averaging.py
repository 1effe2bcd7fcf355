"""Gradients averaged over images made of one: with noise, or on the way from a reference.

However many images are made, at most `chunk` go through the network at once. The noise of an image
follows from the seed and the image alone, so that its map does not depend on its batch.
"""

import zlib
from collections.abc import Iterator
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from sightline.attribution.gradients import Gradient
from sightline.attribution.networks import Network
from sightline.attribution.settings import Reference, Rule
from sightline.attribution.smoothing import blurred

Sample = tuple[int, float, Tensor]  # which image it was made of, its weight, itself


def plain(gradient: Gradient, images: Tensor, labels: Tensor, chunk: int) -> Tensor:
    """Give the gradients of the images themselves."""
    steps = range(0, len(images), chunk)
    return torch.cat([gradient(images[s : s + chunk], labels[s : s + chunk]) for s in steps])


def smoothed(
    gradient: Gradient,
    images: Tensor,
    labels: Tensor,
    *,
    samples: int,
    noise: float,
    seed: int,
    chunk: int,
) -> Tensor:
    """Average over noised images, signs kept: SmoothGrad."""
    return _averaged(gradient, _noised(images, samples, noise, seed), images, labels, chunk)


def integrated(
    gradient: Gradient,
    images: Tensor,
    labels: Tensor,
    start: Tensor,
    *,
    samples: int,
    rule: Rule,
    chunk: int,
) -> Tensor:
    """Average along the straight path from `start`, of the images' shape: Integrated Gradients."""
    return _averaged(gradient, _between(images, start, samples, rule), images, labels, chunk)


def reference(network: Network, images: Tensor, kind: Reference) -> Tensor:
    """Give the image without evidence for each image, in the network's own input range."""
    if kind == "mean":
        return torch.zeros_like(images)
    if kind == "blurred":
        return blurred(images, 2 * (min(images.shape[2:]) // 2) + 1).to(images)
    known = network.normalization
    black = -torch.tensor(known.mean) / torch.tensor(known.std)
    return black.to(images)[None, :, None, None].expand_as(images)


def _averaged(
    gradient: Gradient, made: Iterator[Sample], images: Tensor, labels: Tensor, chunk: int
) -> Tensor:
    total = torch.zeros_like(images)
    while part := list(islice(made, chunk)):
        of = torch.tensor([sample[0] for sample in part])
        weights = torch.tensor([sample[1] for sample in part]).to(images)
        found = gradient(torch.stack([sample[2] for sample in part]), labels[of]).to(images)
        total.index_add_(0, of.to(images.device), found * weights[:, None, None, None])
    return total


def _noised(images: Tensor, samples: int, noise: float, seed: int) -> Iterator[Sample]:
    for number, image in enumerate(images):
        shown = np.ascontiguousarray(image.detach().cpu().float().numpy())
        generator = torch.Generator().manual_seed(zlib.crc32(shown.data, zlib.crc32(b"%d" % seed)))
        deviation = noise * (image.max() - image.min())
        for _ in range(samples):
            drawn = torch.randn(image.shape, generator=generator).to(image)
            yield number, 1 / samples, image + deviation * drawn


def _between(images: Tensor, start: Tensor, samples: int, rule: Rule) -> Iterator[Sample]:
    for number, (image, origin) in enumerate(zip(images, start, strict=True)):
        for place, weight in points(samples, rule):
            yield number, weight, origin + place * (image - origin)


def points(samples: int, rule: Rule) -> list[tuple[float, float]]:
    """Give places in [0, 1] and their weights, which add up to 1."""
    if rule == "gauss-legendre":
        places, weights = np.polynomial.legendre.leggauss(samples)
        return list(zip(((places + 1) / 2).tolist(), (weights / 2).tolist(), strict=True))
    shift = 0.5 if rule == "midpoint" else 1.0
    return [((step + shift) / samples, 1 / samples) for step in range(samples)]

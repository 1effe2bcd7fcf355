"""Occlusion: how much the class score falls when a patch of the image is hidden.

Paper: Zeiler and Fergus, Visualizing and Understanding Convolutional Networks, ECCV 2014
    https://arxiv.org/abs/1311.2901

It needs answers alone, so that it explains any model file. A pixel's value is the mean fall over
the patches that hide it; hidden pixels get the image's mean colour.

Formula:
    M(x) = mean over patches P that hold x of [s_c(I) - s_c(I with P hidden)]

Released code: None. Captum has the same with a reference image of the mean colour.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor

from sightline.attribution.networks import Network
from sightline.hyperparameters import Uniform, Whole, validate

NEEDS = "answers"


@dataclass(frozen=True, slots=True)
class Options:
    """Which patches are hidden."""

    patch: Annotated[float, "side of a patch, in shares of the image's", Uniform(0.02, 1)] = 0.2
    steps: Annotated[int, "patches along each side", Whole(2, 64)] = 11

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Hide one patch after the other, the same in all images of a batch, (N, H, W)."""
    whole = _score(network, images, labels)
    colour = images.mean((2, 3), keepdim=True)  # (N, 3, 1, 1)
    fall = torch.zeros(len(images), *images.shape[2:], dtype=torch.float64)
    times = torch.zeros(images.shape[2:], dtype=torch.float64)
    for rows, columns in patches(images.shape[2], images.shape[3], options):
        hidden = images.clone()
        hidden[:, :, rows, columns] = colour
        fall[:, rows, columns] += (whole - _score(network, hidden, labels))[:, None, None]
        times[rows, columns] += 1
    return fall / times


def patches(height: int, width: int, options: Options) -> Iterator[tuple[slice, slice]]:
    """Lay patches of one size evenly from edge to edge; with small ones, none of it is left out."""
    for rows in _spans(height, options):
        for columns in _spans(width, options):
            yield rows, columns


def _spans(length: int, options: Options) -> list[slice]:
    apart = -(-length // options.steps)
    side = min(length, max(round(options.patch * length), apart))
    last = length - side
    starts = [round(last * step / (options.steps - 1)) for step in range(options.steps)]
    return [slice(start, start + side) for start in starts]


def _score(network: Network, images: Tensor, labels: Tensor) -> Tensor:
    scores = network.answers(images).cpu().double()
    return scores.gather(1, labels.cpu()[:, None])[:, 0]

"""Grad-CAM++: as Grad-CAM, where cells count by how the score bends there.

Paper: Chattopadhay et al., Grad-CAM++, WACV 2018
    https://arxiv.org/abs/1710.11063

A channel's weight is the weighted sum of its positive gradients. The second and third derivatives
are those of the exponential of the score, which are powers of the gradient.

Formula:
    a_kxy = g^2 / (2 g^2 + g^3 sum_xy A_k), 0 where g = 0
    M = max(0, sum_k (sum_xy a_kxy max(0, g_kxy)) A_k)

Released code: The authors' own; pytorch-grad-cam has `epsilon` at 1e-6, which small gradients feel.
"""

from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, CutOff
from sightline.attribution.stages import features_and_gradients, weighted
from sightline.hyperparameters import AtLeast, validate

NEEDS = "stages"


@dataclass(frozen=True, slots=True)
class Options:
    """What is explained, and whether values below zero stay."""

    target: Aim = "logit"
    cut: CutOff = True
    epsilon: Annotated[float, "added to the quotient's denominator", AtLeast(0)] = 0.0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Weight the features of the stage, (N, h, w)."""
    features, gradients = features_and_gradients(network, images, labels, options.target)
    rising = gradients.double().clamp(min=0)
    square = rising**2
    below = 2 * square + square * rising * features.double().sum((2, 3), keepdim=True)
    below = below + options.epsilon
    shares = torch.where(rising * below != 0, square / below, 0)
    found = weighted(features, (shares * rising).sum((2, 3)).to(features))
    return found.clamp(min=0) if options.cut else found

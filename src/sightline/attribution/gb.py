"""Guided backpropagation: gradients that no ReLU lets through where they are negative.

Paper: Springenberg et al., Striving for Simplicity: The All Convolutional Net, ICLR workshop 2015
    https://arxiv.org/abs/1412.6806

Behind each ReLU, and ReLU6, negative gradients are set to zero on the way back, beside those that
the forward pass has cut off. ReLUs are found as modules, as functions and in place; a network
without any is refused.

Formula:
    At a ReLU with input z: g_in = g_out 1[z > 0] 1[g_out > 0]
    M(x) = G * sum_channels |g(x)|

Released code: None of the evaluation papers.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.averaging import plain
from sightline.attribution.gradients import gradient_of
from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, Blur, ChannelRule, Chunk, Sigma
from sightline.attribution.smoothing import as_maps
from sightline.hyperparameters import validate

NEEDS = "gradients"


@dataclass(frozen=True, slots=True)
class Options:
    """How gradients become a map."""

    target: Aim = "logit"
    channels: ChannelRule = "sum-abs"
    blur: Blur = 127
    sigma: Sigma = 0.0
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give smoothed gradients, (N, H, W)."""
    gradient = gradient_of(network, options.target, guided=True)
    found = plain(gradient, images, labels, options.chunk)
    return as_maps(found, options.channels, options.blur, options.sigma)

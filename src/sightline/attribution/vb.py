"""Vanilla backpropagation: how much each pixel would change the class score.

Paper: Simonyan, Vedaldi and Zisserman, Deep Inside Convolutional Networks, ICLR workshop 2014
    https://arxiv.org/abs/1312.6034

The gradient of the class score for the image, its channels made one, the map smoothed as in the
evaluation paper, since gradients are noisy and peaky.

Formula:
    M(x) = G * sum_channels |d s_c / d I(x)|, with a Gaussian G of kernel 127

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
    gradient = gradient_of(network, options.target)
    found = plain(gradient, images, labels, options.chunk)
    return as_maps(found, options.channels, options.blur, options.sigma)

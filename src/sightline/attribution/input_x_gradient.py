"""Input x gradient: each pixel times its gradient.

Paper: Shrikumar, Greenside and Kundaje, Learning Important Features, ICML 2017
    https://arxiv.org/abs/1704.02685

The first-order estimate of what a pixel adds to the class score, as the network gets it: zero is
the mean colour where its input is normalized.

Formula:
    M(x) = G * sum_channels |I(x) d s_c / d I(x)|

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
    """How products become a map."""

    target: Aim = "logit"
    channels: ChannelRule = "sum-abs"
    blur: Blur = 127
    sigma: Sigma = 0.0
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give smoothed products, (N, H, W)."""
    found = plain(gradient_of(network, options.target), images, labels, options.chunk)
    return as_maps(images * found.to(images), options.channels, options.blur, options.sigma)

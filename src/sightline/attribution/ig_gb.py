"""Integrated Gradients over guided backpropagation: gradients averaged along a path.

Paper: Sundararajan, Taly and Yan, Axiomatic Attribution for Deep Networks, ICML 2017
    https://arxiv.org/abs/1703.01365

The path runs straight from an image without evidence, black in the evaluation paper, to the
image. As in that paper gradients are averaged alone; with `factor` they are multiplied by image
minus reference, and over vanilla gradients and with `channels` at `sum` the values of all pixels
add up to the difference of the scores.

Formula:
    M(x) = G * sum_channels |sum_n w_n g(I_0 + a_n (I - I_0))(x)|

Released code: None of the evaluation papers.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution import ig_vb
from sightline.attribution.networks import Network

NEEDS = "gradients"


@dataclass(frozen=True, slots=True)
class Options(ig_vb.Options):
    """Those of `ig-vb`."""


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give smoothed averages of guided gradients, (N, H, W)."""
    return ig_vb.averages(network, images, labels, options, guided=True)

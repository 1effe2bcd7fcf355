"""SmoothGrad over guided backpropagation: gradients averaged over noised images.

Paper: Smilkov et al., SmoothGrad: removing noise by adding noise, ICML workshop 2017
    https://arxiv.org/abs/1706.03825

Gradients are averaged with their signs, before channels become one. The noise of an image
follows from the seed and the image, so that its map is always the same.

Formula:
    M(x) = G * sum_channels |1/N sum_n g(I + e_n)(x)|, e_n ~ Normal(0, (noise (max I - min I))^2)

Released code: None of the evaluation papers; the authors' own averages squares by default.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution import sg_vb
from sightline.attribution.networks import Network

NEEDS = "gradients"


@dataclass(frozen=True, slots=True)
class Options(sg_vb.Options):
    """Those of `sg-vb`."""


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give smoothed averages of guided gradients, (N, H, W)."""
    return sg_vb.averages(network, images, labels, options, guided=True)

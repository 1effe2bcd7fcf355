"""CAM for any network with a convolutional stage: features weighted by what they do for a class.

Paper: Zhou et al., Learning Deep Features for Discriminative Localization, CVPR 2016
    https://arxiv.org/abs/1512.04150

The weight of a channel is the mean gradient of the class score over its cells. Where the network
ends in average pooling and a linear layer that is the layer's weight, over the number of cells, and
the map is CAM; elsewhere it is its natural extension. Unlike Grad-CAM, nothing is cut off at zero.

Formula:
    M = sum_k mean_xy(d s_c / d A_k) A_k

Released code: The authors' own weights features by the linear layer, which is the same map.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.stages import features_and_gradients, weighted

NEEDS = "stages"


@dataclass(frozen=True, slots=True)
class Options:
    """There is nothing to choose."""


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Weight the features of the stage, (N, h, w)."""
    features, gradients = features_and_gradients(network, images, labels, "logit")
    return weighted(features, gradients.mean((2, 3)))

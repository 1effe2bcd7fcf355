"""Grad-CAM: features weighted by their mean gradients, cut off at zero.

Paper: Selvaraju et al., Grad-CAM, ICCV 2017
    https://arxiv.org/abs/1610.02391

What `cam` computes, with the values below zero cut off: what speaks against the class is left out.

Formula:
    M = max(0, sum_k mean_xy(d s_c / d A_k) A_k)

Released code: The authors' own; pytorch-grad-cam and torch-cam give the same maps.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, CutOff
from sightline.attribution.stages import features_and_gradients, weighted
from sightline.hyperparameters import validate

NEEDS = "stages"


@dataclass(frozen=True, slots=True)
class Options:
    """What is explained, and whether values below zero stay."""

    target: Aim = "logit"
    cut: CutOff = True

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Weight the features of the stage, (N, h, w)."""
    features, gradients = features_and_gradients(network, images, labels, options.target)
    found = weighted(features, gradients.mean((2, 3)))
    return found.clamp(min=0) if options.cut else found

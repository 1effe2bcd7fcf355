"""Layer-CAM: each cell of a channel weighted by its own positive gradient.

Paper: Jiang et al., LayerCAM: Exploring Hierarchical Class Activation Maps, TIP 2021
    https://doi.org/10.1109/TIP.2021.3089943

Since no gradient is averaged over the grid, it serves early stages as well as late ones.

Formula:
    M = max(0, sum_k max(0, d s_c / d A_k) A_k)

Released code: The authors' own; pytorch-grad-cam and torch-cam give the same maps.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, CutOff
from sightline.attribution.stages import features_and_gradients
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
    """Weight every cell of the stage, (N, h, w)."""
    features, gradients = features_and_gradients(network, images, labels, options.target)
    found = (gradients.clamp(min=0) * features).sum(1)
    return found.clamp(min=0) if options.cut else found

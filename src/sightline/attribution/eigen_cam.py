"""Eigen-CAM: the first principal component of a stage's features.

Paper: Muhammad and Yeasin, Eigen-CAM, IJCNN 2020
    https://arxiv.org/abs/2008.00299

It asks for no class: all labels get the same map. The component's sign, which is arbitrary, is the
one that agrees with the features' sum. With `centered` the mean of each channel is taken off first.

Formula:
    A (cells x channels) = U S V^T; M = U_1 S_1

Released code: The authors' own; pytorch-grad-cam centers the features, and its sign is by chance.
"""

from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.stages import features_of
from sightline.hyperparameters import validate

NEEDS = "stages"
ANY_LABEL = True


@dataclass(frozen=True, slots=True)
class Options:
    """What the component is of."""

    centered: Annotated[bool, "take off the mean of each channel first"] = False

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give the component at each cell of the stage, (N, h, w)."""
    features = features_of(network, images)
    cells = features.flatten(2).transpose(1, 2).double()  # (N, hw, K)
    summed = cells.sum(2)
    if options.centered:
        cells = cells - cells.mean(1, keepdim=True)
        summed = summed - summed.mean(1, keepdim=True)
    component = torch.stack([_first(one) for one in cells])
    sign = torch.where((component * summed).sum(1, keepdim=True) < 0, -1.0, 1.0)
    return (sign * component).reshape(len(images), *features.shape[2:])


def _first(cells: Tensor) -> Tensor:
    """Project cells, (hw, K), on their first component, by the smaller of the two squares."""
    wide = cells.shape[0] <= cells.shape[1]
    found = torch.linalg.eigh(cells @ cells.T if wide else cells.T @ cells)
    vector: Tensor = found.eigenvectors[:, -1]
    return vector * found.eigenvalues[-1].clamp(min=0).sqrt() if wide else cells @ vector

"""A network of torchvision, by its name there.

Paper: none
"""

from dataclasses import dataclass
from typing import Annotated

from sightline.parts.classifiers.torch_networks import TorchClassifier
from sightline.parts.classifiers.zoos import of_torchvision


@dataclass(frozen=True, slots=True)
class Options:
    """Which network, with which weights."""

    model: Annotated[str, "its name, such as resnet50"]
    weights: Annotated[
        str, "a file of its state dict; torchvision's own, downloaded, if not given"
    ] = ""
    size: Annotated[int, "side of its input; as it was trained if 0"] = 0
    names: Annotated[str, "file of its classes' names, one a line; ImageNet's for 1,000"] = ""


def load(options: Options) -> TorchClassifier:
    """Build the network and load its weights."""
    return of_torchvision(options.model, options.weights, options.size, options.names)

"""GoogLeNet, as Caffe's bvlc_googlenet or torchvision's googlenet.

Paper: Szegedy et al., Going Deeper with Convolutions, CVPR 2015
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.parts.classifiers import classics
from sightline.parts.classifiers.torch_networks import TorchClassifier


@dataclass(frozen=True, slots=True)
class Options:
    """Where its weights are."""

    weights: Annotated[Path, ".caffemodel, .pth or .safetensors"]


def load(options: Options) -> TorchClassifier:
    """Build the network and load its weights; the names are ImageNet's."""
    return classics.classic(
        "GoogLeNet",
        options.weights,
        caffe=classics.googlenet_caffe,
        torchvision=classics.googlenet_torchvision,
        size=224,
        mean_half=True,
    )

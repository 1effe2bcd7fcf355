"""VGG-19, as its authors released it for Caffe or as torchvision's vgg19.

Paper: Simonyan and Zisserman, Very Deep Convolutional Networks, ICLR 2015
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
        "VGG-19",
        options.weights,
        caffe=classics.vgg19_caffe,
        torchvision=classics.vgg19_torchvision,
        size=224,
    )

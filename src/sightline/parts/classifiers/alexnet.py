"""AlexNet, as Caffe's bvlc_alexnet or torchvision's alexnet.

Paper: Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, NIPS 2012
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
        "AlexNet",
        options.weights,
        caffe=classics.alexnet_caffe,
        torchvision=classics.alexnet_torchvision,
        size=227,
    )

"""Network in Network, as released for Caffe (nin_imagenet).

Paper: Lin et al., Network In Network, ICLR 2014
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.parts.classifiers import classics
from sightline.parts.classifiers.torch_networks import TorchClassifier


@dataclass(frozen=True, slots=True)
class Options:
    """Where its weights are."""

    weights: Annotated[Path, ".caffemodel, or its tensors as .pth or .safetensors"]


def load(options: Options) -> TorchClassifier:
    """Build the network and load its weights; the names are ImageNet's."""
    return classics.classic(
        "NiN", options.weights, caffe=classics.nin_caffe, torchvision=None, size=224
    )

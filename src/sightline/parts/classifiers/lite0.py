"""EfficientNet-Lite0 of ImageNet, whose weights are installed with the package.

Paper: Tan and Le, EfficientNet: Rethinking Model Scaling, ICML 2019
"""

from dataclasses import dataclass

from sightline.parts.classifiers import lite_networks
from sightline.parts.classifiers.torch_networks import TorchClassifier


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing can be chosen."""


def load(options: Options) -> TorchClassifier:
    """Load the packaged network; its input is 224 pixels wide."""
    return lite_networks.packaged(0)

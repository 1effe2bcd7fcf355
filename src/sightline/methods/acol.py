"""Adversarial complementary learning (ACoL): one classifier must do without what the other saw.

Paper: Zhang et al., Adversarial Complementary Learning for WSOL, CVPR 2018
    https://arxiv.org/abs/1804.06962

Two convolutional classifiers A and B read the same features. Where A's map of the label is high,
the features are set to 0 before B sees them, so that B must find other parts of the object. A
classifies; the map is the larger of both classifiers' maps at every position.

Formula:
    m     = scaled(A_y(F)),  F' = F 1[m < erasing threshold]
    loss  = cross-entropy(mean A(F), y) + cross-entropy(mean B(F'), y)
    map_y = max(scaled(A_y(F)), scaled(B_y(F')))
    scaled: over [0, 1] by minimum and maximum over space; no gradient flows through m

Released code: Erases at .7 in the comparison of methods, .6 in the method's own code, whose biases
also learn twice as fast. Code that reuses it for model selection erases by the predicted class in
training (`--erase-by prediction`); the paper erases by the label. A map that is the same
everywhere becomes NaN there and 0 here. Position m = 1 is erased at every threshold, 1 included.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.contract import Backbone, Design
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.methods import contract
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import convolution, picked, scaled


@dataclass(frozen=True, slots=True)
class Options:
    """What is erased."""

    erasing_threshold: Annotated[
        float, "scaled score from which features are erased; 0 erases all", Uniform(0, 1)
    ] = 0.6
    erase_by: Annotated[
        Literal["label", "prediction"], "whose map erases in training: the label's or the best's"
    ] = "label"
    width: Annotated[int, "channels of the two classifiers", AtLeast(1)] = 1024

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(contract.Method):
    """Two convolutional classifiers on one backbone."""

    design = Design(neck="none", pooling="overlapping", dropout=False)

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes)
        self.options = options
        self.first = _classifier(backbone.last_channels, options.width, classes)
        self.second = _classifier(backbone.last_channels, options.width, classes)

    def step(self, batch: Batch) -> Step:
        """Compute both classifiers' losses."""
        features = self.backbone(batch.images).last
        maps = self.first(features)  # (N, C, h, w)
        logits = maps.mean((2, 3))
        erasing = batch.labels if self.options.erase_by == "label" else logits.argmax(1)
        others = self.second(self._erased(features, maps, erasing[:, None])).mean((2, 3))
        first = functional.cross_entropy(logits, batch.labels)
        second = functional.cross_entropy(others, batch.labels)
        parts = {"first": first.detach(), "second": second.detach()}
        return Step(first + second, parts, logits.detach())

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Fuse both classifiers' maps; the second sees what each label in turn leaves."""
        features = self.backbone(images).last
        maps = self.first(features)
        logits = maps.mean((2, 3))
        fused = [self._fused(features, maps, labels[:, None]) for labels in choose(logits).T]
        return Localized(logits, torch.cat(fused, 1))

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits of the first classifier, (N, C)."""
        maps: Tensor = self.first(self.backbone(images).last)
        return maps.mean((2, 3))

    def _fused(self, features: Tensor, maps: Tensor, labels: Tensor) -> Tensor:
        others = self.second(self._erased(features, maps, labels))
        return torch.maximum(scaled(picked(maps, labels)), scaled(picked(others, labels)))

    def _erased(self, features: Tensor, maps: Tensor, labels: Tensor) -> Tensor:
        return erased(features, picked(maps, labels), self.options.erasing_threshold)


def erased(features: Tensor, class_map: Tensor, threshold: float) -> Tensor:
    """Set the features (N, D, h, w) to 0 where the class map (N, 1, h, w), scaled, is high."""
    return features * (scaled(class_map.detach()) < threshold)


def _classifier(inputs: int, width: int, classes: int) -> nn.Sequential:
    return nn.Sequential(
        convolution(inputs, width, 3),
        nn.ReLU(),
        convolution(width, width, 3),
        nn.ReLU(),
        convolution(width, classes, 1),
    )

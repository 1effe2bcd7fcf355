"""Class activation mapping (CAM): the classifier's own weights say where a class is.

Paper: Zhou et al., Learning Deep Features for Discriminative Localization, CVPR 2016
    https://arxiv.org/abs/1512.04150

The features of a convolutional network are averaged over space and classified by a linear layer.
Both are linear, so that they may be swapped: weighting the features first gives a map for each
class, whose mean is the class score. The map of the class asked for says where its evidence lies.

Formula:
    score_c = sum_d W_cd (1/HW sum_ij g_dij) + b_c
            = 1/HW sum_ij (sum_d W_cd g_dij + b_c) = 1/HW sum_ij map_cij
    loss    = cross-entropy(score, label)

Released code: The bias is left out of VGG's and ResNet's maps and kept in Inception's; it shifts a
map as a whole and is gone after min-max scaling. It is kept here, so that the mean is the score.
"""

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from sightline.backbones.contract import Backbone
from sightline.methods import contract
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import ClassMaps


@dataclass(frozen=True, slots=True)
class Options:
    """CAM has none of its own: learning rate and map resolution are every method's."""


class Method(contract.Method):
    """A classifier of averaged features; methods that change its training build on it."""

    def __init__(self, backbone: Backbone, classes: int, options: object) -> None:
        super().__init__(backbone, classes)
        self.classifier = ClassMaps(backbone.last_channels, classes)

    def features(self, batch: Batch) -> Tensor:
        """Give the features that training classifies, (N, D, h, w)."""
        features: Tensor = self.backbone(batch.images).last
        return features

    def step(self, batch: Batch) -> Step:
        """Compute the classification loss."""
        logits = self.classifier(self.features(batch))
        loss = functional.cross_entropy(logits, batch.labels)
        return Step(loss, {"classification": loss.detach()}, logits.detach())

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Give class scores and class maps of the same features."""
        features = self.backbone(images).last
        logits = self.classifier(features)
        return Localized(logits, self.classifier.maps(features, choose(logits)))

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits alone, (N, C)."""
        logits: Tensor = self.classifier(self.backbone(images).last)
        return logits

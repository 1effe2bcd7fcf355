"""Attention-based dropout layer (ADL): the strongest features are hidden, or all are weighed.

Paper: Choe and Shim, Attention-based Dropout Layer for WSOL, CVPR 2019
    https://arxiv.org/abs/1908.10028

A layer without parameters stands behind some stages of the network while it is trained. The mean
over channels tells how strong the features are at each position; at random, either the strongest
positions are set to 0, or all features are multiplied by the sigmoid of their strength. Network
and maps are those of CAM, and at test time the layer does nothing.

Formula:
    a   = mean of F over channels
    F'  = F 1[a < erasing threshold * max a]  with probability drop rate, for the whole batch
    F'  = F sigmoid(a)                        otherwise
    one draw for each layer and step; the maximum is each image's own; nothing is rescaled

Released code: Drops above .9 of the maximum in the comparison of methods, above .8 as the layer's
own default; the method's own code states 1 - drop rate. The comparison's text speaks of a
normalized map for the importance, which its code and the method's paper make with a sigmoid:
`--importance min-max` is the other reading. Inception has no dropout beside this layer.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor, nn

from sightline.backbones.contract import Backbone, Design
from sightline.hyperparameters import Uniform, validate
from sightline.methods import cam
from sightline.methods.contract import Batch
from sightline.methods.heads import chance, scaled


@dataclass(frozen=True, slots=True)
class Options:
    """How often, and how much, is dropped."""

    drop_rate: Annotated[float, "probability to drop rather than to weigh", Uniform(0, 1)] = 0.75
    erasing_threshold: Annotated[
        float, "share of the maximum from which positions are dropped", Uniform(0, 1)
    ] = 0.9
    importance: Annotated[Literal["sigmoid", "min-max"], "how strength becomes a weight"] = (
        "sigmoid"
    )

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(cam.Method):
    """CAM's network, trained with layers that drop or weigh."""

    design = Design(dropout=False)

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options

    def features(self, batch: Batch) -> Tensor:
        """Give the features that passed the layers; in evaluation mode there are none."""
        layers = self._layers(batch.generator) if self.training else {}
        features: Tensor = self.backbone(batch.images, after=layers).last
        return features

    def _layers(self, generator: torch.Generator) -> dict[str, nn.Module]:
        """Draw for each position whether it drops or weighs."""
        stages, options = self.backbone.roles.erasing, self.options
        drop, weigh = Drop(options.erasing_threshold), Weigh(options.importance)
        draws = chance(generator, len(stages)).tolist()
        return {
            stage: drop if draw < options.drop_rate else weigh
            for stage, draw in zip(stages, draws, strict=True)
        }


class Drop(nn.Module):
    """Sets the strongest positions to 0."""

    def __init__(self, threshold: float) -> None:
        super().__init__()
        self.threshold = threshold

    def forward(self, features: Tensor) -> Tensor:
        """Keep what is weaker than a share of the maximum."""
        strength = features.mean(1, keepdim=True)  # (N, 1, h, w)
        return features * (strength < self.threshold * strength.amax((2, 3), keepdim=True))


class Weigh(nn.Module):
    """Multiplies features by how strong they are; gradients flow through the weight too."""

    def __init__(self, importance: str) -> None:
        super().__init__()
        self.weight = torch.sigmoid if importance == "sigmoid" else scaled

    def forward(self, features: Tensor) -> Tensor:
        """Weigh each position."""
        return features * self.weight(features.mean(1, keepdim=True))

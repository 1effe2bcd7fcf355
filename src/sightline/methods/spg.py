"""Self-produced guidance (SPG): the network's own sure pixels teach it the unsure ones.

Paper: Zhang et al., Self-produced Guidance for WSOL, ECCV 2018
    https://arxiv.org/abs/1807.08902

Where the class map is surely high or surely low, it makes a mask of object and background; the
pixels between are ignored. Side branch B2 learns that mask from middle features, B1 on earlier
features learns the mask that B2 makes, and C on the last features the mask of both. The branches
guide training alone: the map is the class map.

Formula:
    mask(a; l, h) = 0 where a < l, else 1 where a > h, else ignored
    where fewer than 30 pixels exceed h, .7 max(a) stands in for h
    loss = cross-entropy(score, y) + BCE(B2, mask(scaled(map_y))) + BCE(B1, mask(sigmoid B2))
           + BCE(C, mask((sigmoid B1 + sigmoid B2) / 2))
    all at the size of the image; no gradient flows through a mask

Released code: The comparison of methods uses .01 for the low threshold of B2, the method's own code
.05. In the latter, one image with too few pixels changes the threshold of the rest of its batch,
which is not done here. Code that reuses it for model selection takes the predicted class's map in
training (`--guided-by prediction`); the paper takes the label's. A mask that ignores all pixels
gives NaN there and a loss of 0 here.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.contract import Backbone, Design, Features
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.methods import cam
from sightline.methods.contract import Batch, Step
from sightline.methods.heads import IGNORED, convolution, enlarged, pixel_loss, scaled

LAST_WIDTH = 512


@dataclass(frozen=True, slots=True)
class Options:
    """What counts as sure, for each of the three masks; each is named after who learns from it."""

    low_b1: Annotated[float, "B1's mask: background below", Uniform(0, 1)] = 0.05
    high_b1: Annotated[float, "B1's mask: object above", Uniform("low_b1", 1)] = 0.5
    low_b2: Annotated[float, "B2's mask: background below", Uniform(0, 1)] = 0.05
    high_b2: Annotated[float, "B2's mask: object above", Uniform("low_b2", 1)] = 0.7
    low_c: Annotated[float, "C's mask: background below", Uniform(0, 1)] = 0.1
    high_c: Annotated[float, "C's mask: object above", Uniform("low_c", 1)] = 0.7
    guided_by: Annotated[
        Literal["label", "prediction"], "whose class map guides: the label's or the best's"
    ] = "label"
    fewest: Annotated[int, "object pixels below which .7 of the maximum decides", AtLeast(0)] = 30
    width: Annotated[int, "channels of the branches; 0: as published", AtLeast(0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(cam.Method):
    """CAM's network with three branches that training needs."""

    design = Design(neck="guided")

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options
        early, late = (backbone.channels[stage] for stage in backbone.roles.side)
        width = options.width or published_width(late)
        self.early = _branch(early, width)  # B1
        self.late = _branch(late, width)  # B2
        self.shared = nn.Sequential(*_branch(width, width), convolution(width, 1, 1))
        last = options.width or LAST_WIDTH
        self.final = nn.Sequential(  # C
            *_branch(backbone.last_channels, last), convolution(last, 1, 1)
        )

    def step(self, batch: Batch) -> Step:
        """Compute the classification loss and the three branches' losses."""
        features = self.backbone(batch.images, taps=self.backbone.roles.side)
        logits = self.classifier(features.last)
        guiding = batch.labels if self.options.guided_by == "label" else logits.argmax(1)
        class_map = self.classifier.maps(features.last, guiding[:, None]).detach()
        losses = {
            "classification": functional.cross_entropy(logits, batch.labels),
            **self._guidance(features, scaled(enlarged(class_map, batch.images)), batch.images),
        }
        parts = {name: loss.detach() for name, loss in losses.items()}
        return Step(torch.stack(list(losses.values())).sum(), parts, logits.detach())

    def _guidance(self, features: Features, attention: Tensor, images: Tensor) -> dict[str, Tensor]:
        """Let every branch learn the mask that the one before it makes."""
        early, late = (features.taps[stage] for stage in self.backbone.roles.side)
        b1 = enlarged(self.shared(self.early(early)), images)
        b2 = enlarged(self.shared(self.late(late)), images)
        c = enlarged(self.final(features.last), images)
        sure1, sure2 = b1.detach().sigmoid(), b2.detach().sigmoid()
        chosen = self.options
        masks = {
            "B2": regions(attention, chosen.low_b2, chosen.high_b2, chosen.fewest),
            "B1": regions(sure2, chosen.low_b1, chosen.high_b1, chosen.fewest),
            "C": regions((sure1 + sure2) / 2, chosen.low_c, chosen.high_c, chosen.fewest),
        }
        scores = {"B2": b2, "B1": b1, "C": c}
        return {name: pixel_loss(scores[name], mask) for name, mask in masks.items()}


def regions(scores: Tensor, low: float, high: float, fewest: int) -> Tensor:
    """Make masks of scores (N, H, W): 1 object, 0 background, 255 where neither is sure."""
    sure = scores > high
    few = sure.sum((1, 2), keepdim=True) < fewest
    likely = scores > 0.7 * scores.amax((1, 2), keepdim=True)
    mask = torch.full_like(scores, IGNORED).masked_fill(torch.where(few, likely, sure), 1)
    return mask.masked_fill(scores < low, 0)


def published_width(channels: int) -> int:
    """Give the largest power of two that is not wider: 512, 1024, 512 as VGG, ResNet, Inception."""
    return 1 << (channels.bit_length() - 1)


def _branch(inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(convolution(inputs, width, 3), nn.ReLU())

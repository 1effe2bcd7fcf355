"""CutMix: a patch of another image is pasted in, and the label is shared by area.

Paper: Yun et al., CutMix: Regularization Strategy to Train Strong Classifiers, ICCV 2019
    https://arxiv.org/abs/1905.04899

A rectangle is cut from every image of a batch and filled with the same rectangle of another image.
The loss weighs both labels by the areas that their images keep. Network and maps are those of CAM.

Formula:
    l ~ Beta(size prior, size prior);  sides = floor(W sqrt(1 - l)), floor(H sqrt(1 - l))
    the center is drawn evenly over the image, and the rectangle is clipped to it
    weight = 1 - rectangle / (W H)
    loss   = weight cross-entropy(score, y) + (1 - weight) cross-entropy(score, y of the other)

Released code: Recomputes the weight from the rectangle that clipping and rounding leave, as the
pseudo-code of the paper does; its text has the weight as drawn (`--label-weight drawn`). One draw
serves the whole batch. A size prior of 0 is the limit of two points: nothing or everything.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor
from torch.nn import functional

from sightline.backbones.contract import Backbone
from sightline.hyperparameters import ReciprocalUniform, Uniform, validate
from sightline.methods import cam
from sightline.methods.contract import Batch, Step
from sightline.methods.heads import chance, numpy_dice


@dataclass(frozen=True, slots=True)
class Options:
    """How often images are mixed, and how much."""

    size_prior: Annotated[
        float, "of Beta(prior, prior), the share that stays", ReciprocalUniform()
    ] = 1.0
    mix_rate: Annotated[float, "probability that a batch is mixed", Uniform(0, 1)] = 1.0
    label_weight: Annotated[
        Literal["area", "drawn"], "weigh labels by the pasted area, or as drawn"
    ] = "area"

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle, ends excluded, and the share of the image that the draw left to it."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    drawn: float

    def kept(self, height: int, width: int) -> float:
        """Tell what share of the image is not pasted over."""
        area = (self.rows[1] - self.rows[0]) * (self.columns[1] - self.columns[0])
        return 1 - area / (height * width)


class Method(cam.Method):
    """CAM's network, trained on mixed images."""

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options

    def step(self, batch: Batch) -> Step:
        """Mix the batch, or not, and weigh both labels' losses."""
        if chance(batch.generator, 1).item() >= self.options.mix_rate:
            return super().step(batch)
        height, width = batch.images.shape[-2:]
        patch = draw_patch(height, width, self.options.size_prior, batch.generator)
        order = _order(batch)
        by_area = self.options.label_weight == "area"
        weight = patch.kept(height, width) if by_area else patch.drawn
        logits = self.classifier(self.backbone(mixed(batch.images, order, patch)).last)
        own = functional.cross_entropy(logits, batch.labels)
        other = functional.cross_entropy(logits, batch.labels[order])
        loss = weight * own + (1 - weight) * other
        return Step(loss, {"classification": loss.detach()})


def mixed(images: Tensor, order: Tensor, patch: Patch) -> Tensor:
    """Paste the patch of the images in another order into a copy of the images."""
    rows, columns = slice(*patch.rows), slice(*patch.columns)
    pasted = images.clone()
    pasted[:, :, rows, columns] = images[order][:, :, rows, columns]
    return pasted


def draw_patch(height: int, width: int, prior: float, generator: torch.Generator) -> Patch:
    """Draw a patch: its share first, then its center."""
    share = draw_share(prior, generator)
    side = math.sqrt(1 - share)
    y, x = chance(generator, 2).tolist()
    rows = _clipped(int(y * height), int(height * side), height)
    columns = _clipped(int(x * width), int(width * side), width)
    return Patch(rows, columns, share)


def draw_share(prior: float, generator: torch.Generator) -> float:
    """Draw from Beta(prior, prior); 0 is its limit, 0 or 1 with equal chance."""
    dice = numpy_dice(generator)  # torch has no such draw that takes a generator
    return float(dice.beta(prior, prior) if prior > 0 else dice.integers(2))


def _clipped(center: int, side: int, limit: int) -> tuple[int, int]:
    return max(center - side // 2, 0), min(center + side // 2, limit)


def _order(batch: Batch) -> Tensor:
    device = batch.generator.device
    order = torch.randperm(len(batch.images), generator=batch.generator, device=device)
    return order.to(batch.images.device)

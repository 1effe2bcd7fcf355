"""Non-local combinational class activation maps (NL-CCAM): all classes' maps, combined by rank.

Paper: Yang et al., Combinational Class Activation Maps for WSOL, WACV 2020
    https://arxiv.org/abs/1910.05518

The map of the likeliest class shows its most telling part, and that of an unlikely class shows the
background. So the maps of all classes are added up, likely ones with positive weight and unlikely
ones with negative. Non-local blocks in the network let every position learn from all others; they
do nothing at first, so that published weights keep their meaning.

Formula:
    block(x) = x + BN(W_o sum_j s_ij W_v x_j),  s_ij = softmax over j of (W_q x_i) (W_k x_j)
    BN begins with weight and bias 0
    c_1, c_2, ... : the classes by falling score;  P classes are positive
    map      = sum_r h(r) sum_d W_(c_r)d g_d
    quadratic: h = linspace(1, 0, P)^2, then -linspace(0, -1, C - P)^2
    linear:    h = linspace(1, -1, C)
    top-1:     h = 1, 0, ..., 0;  top-1-less-last: h = 1, 0, ..., 0, -1
    loss     = cross-entropy(score, label)

Released code: Has 100 positive classes of CUB's 200, and so have others for ImageNet's 1,000
(`--positive 100`); here it is half of the classes unless given. It ranks by the scores of a second
pass over a cropped image; one pass serves both here. The class asked for changes nothing there: the
map follows the ranking, so that nothing is known of the true class. `--first label` puts that class
in front of all others. VGG16 has leaky ReLUs, no sixth convolution and blocks behind pools 2, 3, 4
and its last convolution; other networks have them where their file says. The learning rate there is
higher for the classifier alone; here the blocks count as new layers, too.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.contract import Backbone, Design
from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, validate
from sightline.methods import cam
from sightline.methods.contract import Batch, Choose, Localized
from sightline.methods.heads import convolution

Combination = Literal["quadratic", "linear", "top-1", "top-1-less-last"]
NARROWING = 8  # of queries and keys, as published


@dataclass(frozen=True, slots=True)
class Options:
    """How class maps are combined."""

    combination: Annotated[Combination, "how weights fall from the first rank to the last"] = (
        "quadratic"
    )
    positive: Annotated[
        int, "classes of positive sign, in the quadratic combination; 0: half of them", AtLeast(0)
    ] = 0
    first: Annotated[
        Literal["prediction", "label"], "who has rank 1: the likeliest class, or the one asked for"
    ] = "prediction"

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(cam.Method):
    """CAM's classifier on a network with non-local blocks; its map combines all classes."""

    design = Design(neck="none", activation="leaky")

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options
        stages = backbone.roles.relating or backbone.roles.erasing
        blocks = {stage: NonLocal(backbone.channels[stage]) for stage in stages}
        self.blocks = nn.ModuleDict(blocks)
        self.ranked = combination(options.combination, classes, options.positive)

    def features(self, batch: Batch) -> Tensor:
        """Give the features that training classifies, (N, D, h, w)."""
        return self._seen(batch.images)

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits alone, (N, C)."""
        logits: Tensor = self.classifier(self._seen(images))
        return logits

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Combine all classes' maps by rank; the bias takes no part."""
        features = self._seen(images)
        logits = self.classifier(features)
        order = self._order(logits, choose(logits))  # (N, K, C)
        rows = self.classifier.weight[order]  # (N, K, C, D)
        weights = torch.einsum("r,nkrd->nkd", self.ranked.to(rows), rows)
        return Localized(logits, torch.einsum("nkd,ndhw->nkhw", weights, features))

    def _seen(self, images: Tensor) -> Tensor:
        features: Tensor = self.backbone(images, after=dict(self.blocks.items())).last
        return features

    def _order(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Give the classes from the first rank to the last, for each label asked for."""
        scores = logits.detach()[:, None].expand(-1, labels.shape[1], -1)
        if self.options.first == "label":
            scores = scores.scatter(2, labels[..., None], torch.inf)
        return scores.argsort(dim=2, descending=True, stable=True)


class NonLocal(nn.Module):
    """Adds to every position what the positions like it have; nothing at all at first."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        inner = max(1, channels // NARROWING)
        self.query, self.key = convolution(channels, inner, 1), convolution(channels, inner, 1)
        self.value, self.out = (
            convolution(channels, channels, 1),
            convolution(channels, channels, 1),
        )
        self.norm = nn.BatchNorm2d(channels)
        nn.init.zeros_(self.norm.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Relate every position to all others; no matrix of all pairs is kept for it."""
        value = _sequence(self.value(x))
        narrow = [_sequence(layer(x)) for layer in (self.query, self.key)]
        missing = value.shape[-1] - narrow[0].shape[-1]  # equal widths take the lean way
        query, key = (functional.pad(part, (0, missing)) for part in narrow)
        related = functional.scaled_dot_product_attention(query, key, value, scale=1.0)
        together = related[:, 0].transpose(1, 2).reshape(x.shape)
        added: Tensor = self.norm(self.out(together))
        return x + added


def combination(kind: Combination, classes: int, positive: int = 0) -> Tensor:
    """Give the weight of each rank, (C,)."""
    if kind == "quadratic":
        above = positive or max(1, classes // 2)
        if above > classes:
            raise UsageError(
                f"--positive: {above} classes of positive sign, but there are {classes}; give"
                f" {classes} at most"
            )
        low = torch.linspace(0, -1, classes - above) if above < classes else torch.zeros(0)
        return torch.cat([torch.linspace(1, 0, above).square(), -low.square()])
    if kind == "linear":
        return torch.linspace(1, -1, classes)
    weights = torch.zeros(classes)
    weights[0] = 1
    if kind == "top-1-less-last":
        weights[-1] -= 1
    return weights


def _sequence(x: Tensor) -> Tensor:
    return x.flatten(2).mT.contiguous()[:, None]  # (N, 1, positions, channels)

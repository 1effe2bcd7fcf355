"""Token semantic coupled attention map (TS-CAM): a transformer's attention, aimed by class maps.

Paper: Gao et al., TS-CAM: Token Semantic Coupled Attention Map for WSOL, ICCV 2021
    https://arxiv.org/abs/2103.14862

A convolution turns the tokens of the patches into class maps, whose means are the class scores; the
class token takes no part in them. Over all layers, the class token's attention to the patches is
summed up: it covers whole objects, but knows of no class. The product of both is the map.

Formula:
    S       = convolution 3x3 of the patches' tokens, score_c = mean_ij S_cij
    A_ij    = sum over layers of the mean over heads of attention(class token, patch ij)
    map_cij = A_ij S_cij
    loss    = cross-entropy(score, label)

Released code: The authors' own sums the attention as here, trains with AdamW, and has other rates
for each data set: 5e-5 for CUB, times .1 after 30 epochs of 60, and 5e-4 for ILSVRC. The code of
Realistic Model Selection for WSOL trains it with SGD as everything else: `--optimizer sgd
--undecayed none`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor
from torch.nn import functional

from sightline.backbones.contract import Backbone, Design
from sightline.backbones.vision_transformer import Transformer
from sightline.methods import contract
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import begin, convolution, picked


@dataclass(frozen=True, slots=True)
class Options:
    """It has none of its own: learning rate and the like are every method's."""


class Method(contract.Method):
    """A transformer whose patches are classified by a convolution."""

    design = Design(neck="none", stochastic_depth=0.1)
    runs_on: ClassVar[type[Backbone]] = Transformer
    recipe: ClassVar[Mapping[str, Any]] = {
        "optimizer": "adamw",
        "lr": 5e-5,
        "weight_decay": 0.05,
        "undecayed": "tokens",
        "fast_ratio": 1.0,
        "decay_every": 30,
    }
    backbone: Transformer

    def __init__(self, backbone: Transformer, classes: int, options: object) -> None:
        super().__init__(backbone, classes)
        self.semantic = convolution(backbone.last_channels, classes, 3)
        begin(self)

    def step(self, batch: Batch) -> Step:
        """Compute the classification loss, which asks for no attention map."""
        logits = self.classify(batch.images)
        loss = functional.cross_entropy(logits, batch.labels)
        return Step(loss, {"classification": loss.detach()}, logits.detach())

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Multiply attention and class maps."""
        attended = self.backbone.attend(images)
        semantic = self.semantic(attended.features.last)
        logits = semantic.mean((2, 3))
        attention = attended.maps().sum(1, keepdim=True)  # (N, 1, h, w)
        return Localized(logits, attention * picked(semantic, choose(logits)))

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits alone, (N, C)."""
        semantic: Tensor = self.semantic(self.backbone(images).last)
        return semantic.mean((2, 3))

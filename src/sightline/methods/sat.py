"""Spatial-aware token (SAT): a token of its own learns where the object is.

Paper: Wu et al., Spatial-Aware Token for Weakly Supervised Object Localization, ICCV 2023
    https://arxiv.org/abs/2303.10438

One more token stands beside that of the class; in the last blocks of the transformer, the
sigmoid of its agreement with every token says how much that token is heard by all others. Two
losses keep its masks from being everything or nothing: their area is to be that of a typical object
over a batch, and each position is to be clearly in or out. The mean of the masks is the map, the
same for every class.

Formula:
    Z     = Q K / sqrt(d), m = sigmoid(mean over heads of Z's row of the spatial token)
    out   = (softmax(Z) m) V in the last three blocks, not scaled to add up to 1
    M     = mean over these blocks of m on the patches, M' = M smoothed by a 3x3 kernel
    score = mean of a 3x3 convolution of the patches' tokens
    loss  = cross-entropy + |mean of M over the batch - area| + mean of M' (1 - M')
    map   = M

Released code: The authors' own: three blocks, weights of 1, area .25 for CUB and .35 for ILSVRC,
AdamW with a constant rate of 1e-4 for CUB and 1.5e-5 for ILSVRC, where it stops after one epoch.
The token stands last there, which changes nothing: tokens have no order but their positions. Cosine
schedules are built and never applied, and weight decay reaches tokens and positions: `--undecayed
vectors`. The code of Realistic Model Selection for WSOL has SGD, and area .35.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.contract import Backbone, Design
from sightline.backbones.vision_transformer import Transformer, scores
from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.methods import contract
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import begin, convolution

CENTER, EDGE, CORNER = 0.80544, 0.04601, 0.00263  # of the smoothing kernel; they add up to 1
KERNEL = ((CORNER, EDGE, CORNER), (EDGE, CENTER, EDGE), (CORNER, EDGE, CORNER))


@dataclass(frozen=True, slots=True)
class Options:
    """What masks are to be like."""

    area: Annotated[float, "alpha: share of an image that its object covers", Uniform(0, 1)] = 0.25
    masked: Annotated[int, "how many of the last blocks hear by the mask", AtLeast(1)] = 3
    area_weight: Annotated[float, "of the loss of the area", AtLeast(0)] = 1.0
    clarity_weight: Annotated[float, "of the loss of positions in between", AtLeast(0)] = 1.0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(contract.Method):
    """A transformer with one more token, whose patches are classified by a convolution."""

    design = Design(neck="none", stochastic_depth=0.1)
    runs_on: ClassVar[type[Backbone]] = Transformer
    recipe: ClassVar[Mapping[str, Any]] = {
        "optimizer": "adamw",
        "lr": 1e-4,
        "weight_decay": 0.05,
        "undecayed": "tokens",
        "fast_ratio": 1.0,
        "schedule": "constant",
    }
    backbone: Transformer

    def __init__(self, backbone: Transformer, classes: int, options: Options) -> None:
        super().__init__(backbone, classes)
        if options.masked > len(backbone.blocks):
            raise UsageError(
                f"--masked: {options.masked} blocks, but the backbone has {len(backbone.blocks)}"
            )
        self.options = options
        self.token = Token(backbone.last_channels)
        self.classifier = convolution(backbone.last_channels, classes, 3)
        begin(self)

    def step(self, batch: Batch) -> Step:
        """Compute the three losses."""
        logits, maps = self._seen(batch.images)
        classification = functional.cross_entropy(logits, batch.labels)
        area, clarity = losses(maps.float(), self.options.area)
        weighted = self.options.area_weight * area + self.options.clarity_weight * clarity
        parts = {"classification": classification, "area": area, "clarity": clarity}
        parts = {name: part.detach() for name, part in parts.items()}
        return Step(classification + weighted, parts, logits.detach())

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Give the mean mask to every label."""
        logits, maps = self._seen(images)
        count = choose(logits).shape[1]
        return Localized(logits, maps[:, None].expand(-1, count, -1, -1))

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits alone, (N, C)."""
        return self._seen(images)[0]

    def _seen(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Give logits (N, C) and mean masks (N, h, w)."""
        masks: list[Tensor] = []

        def weigh(queries: Tensor, keys: Tensor) -> Tensor:
            masks.append(mask(queries, keys))
            return masks[-1]

        masked = self.backbone.blocks[-self.options.masked :]
        features = self.backbone.attend(
            images,
            keep="none",
            added=self.token.embedded(),
            weighing=dict.fromkeys(masked, weigh),
        ).features.last
        on_patches = torch.stack(masks).mean(0)[:, 2:]  # without class and spatial token
        logits = self.classifier(features).mean((2, 3))
        return logits, on_patches.reshape(len(images), *features.shape[2:])


class Token(nn.Module):
    """The spatial token, with a position of its own."""

    undecayed = ("token", "position")

    def __init__(self, width: int) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.empty(1, 1, width))
        self.position = nn.Parameter(torch.empty(1, 1, width))
        nn.init.trunc_normal_(self.token, std=0.02)
        nn.init.trunc_normal_(self.position, std=0.02)

    def embedded(self) -> Tensor:
        """Give the token as the transformer takes it, (1, 1, D)."""
        return self.token + self.position


def mask(queries: Tensor, keys: Tensor) -> Tensor:
    """Say how much each token is heard, (N, T), by the spatial token's queries."""
    return scores(queries[:, :, 1:2], keys)[:, :, 0].mean(1).sigmoid()


def losses(maps: Tensor, area: float) -> tuple[Tensor, Tensor]:
    """Compare the area of maps (N, h, w) with what it is to be, and say how unclear they are."""
    kernel = torch.tensor(KERNEL).to(maps)[None, None]
    smooth = functional.conv2d(maps[:, None], kernel, padding=1)
    return (maps.mean() - area).abs(), (smooth * (1 - smooth)).mean()

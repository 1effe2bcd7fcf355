"""Spatial calibration module (SCM): attention and class maps diffuse over what looks alike.

Paper: Bai et al., WSOL via Transformer with Implicit Spatial Calibration, ECCV 2022
    https://arxiv.org/abs/2207.10447

While it is trained, TS-CAM's attention and class maps pass several blocks, in which attention flows
between neighbouring patches whose class maps agree, and then strengthens the class maps. The blocks
learn two numbers each: how much agreement counts, and how strong attention must be to go on. At
test time they are left out: what they taught the transformer is enough, and map and scores are
those of TS-CAM with the attention scaled.

Formula:
    a_0     = scaled(A), S_0 = S as in TS-CAM
    M       = L (lambda E - 1), entry by entry; E = cosine similarity of the patches in S,
              L = degree less adjacency of their grid, each patch having four neighbours
    K       = transposed inverse of M, by Newton and Schulz: X <- X (2 - M X), from .002 M'
    u       = scaled(tanhshrink(K a / (theta max a))),  tanhshrink(z) = z - tanh(z)
    S, a   <- S + S u, a + u
    score_c = mean_ij S_cij behind the last block;  loss = cross-entropy(score, label)
    map_c   = scaled(A) S_c without blocks

Released code: The authors' own, with 16 iterations in the first of four blocks and 4 in the others,
as here: few iterations of a matrix whose inverse may not exist are part of the method. It divides
by zero where an attention map is the same everywhere; here such a map is 0. It trains with AdamW,
5e-5 for CUB and 1e-6 for ILSVRC; that of Realistic Model Selection for WSOL with SGD, from another
transformer of the same shape.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.vision_transformer import Transformer
from sightline.hyperparameters import AtLeast, validate
from sightline.methods import ts_cam
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import picked, scaled

START = 0.002  # of the iteration: this times the transposed matrix


@dataclass(frozen=True, slots=True)
class Options:
    """The blocks of the training."""

    blocks: Annotated[int, "how often attention diffuses; 0 trains TS-CAM", AtLeast(0)] = 4
    iterations: Annotated[int, "Newton-Schulz iterations of the first block", AtLeast(0)] = 16
    later_iterations: Annotated[int, "those of the other blocks", AtLeast(0)] = 4

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Method(ts_cam.Method):
    """TS-CAM, trained with diffusion."""

    def __init__(self, backbone: Transformer, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        counts = [options.iterations] + [options.later_iterations] * (options.blocks - 1)
        self.blocks = nn.ModuleList(Diffusion(n) for n in counts[: options.blocks])

    def step(self, batch: Batch) -> Step:
        """Compute the classification loss behind the blocks."""
        attended = self.backbone.attend(batch.images)
        semantic = self.semantic(attended.features.last)
        attention = scaled(attended.maps().sum(1))
        with torch.autocast(semantic.device.type, enabled=False):  # inverses ask for all digits
            semantic, attention = semantic.float(), attention.float()
            for block in self.blocks:
                semantic, attention = block(semantic, attention)
        logits = semantic.mean((2, 3))
        loss = functional.cross_entropy(logits, batch.labels)
        return Step(loss, {"classification": loss.detach()}, logits.detach())

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Multiply scaled attention and class maps."""
        attended = self.backbone.attend(images)
        semantic = self.semantic(attended.features.last)
        logits = semantic.mean((2, 3))
        attention = scaled(attended.maps().sum(1, keepdim=True))
        return Localized(logits, attention * picked(semantic, choose(logits)))


class Diffusion(nn.Module):
    """One block: attention (N, h, w) flows, and strengthens the class maps (N, C, h, w)."""

    def __init__(self, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations
        self.agreement = nn.Parameter(torch.tensor(1.0))  # lambda
        self.threshold = nn.Parameter(torch.tensor(0.5))  # theta

    def forward(self, semantic: Tensor, attention: Tensor) -> tuple[Tensor, Tensor]:
        """Diffuse once."""
        kernel = inverse(self.matrix(semantic), self.iterations).mT
        peak = attention.amax((1, 2))[:, None]
        flow = (kernel @ attention.flatten(1)[..., None])[..., 0]  # (N, h w)
        strength = flow / (self.threshold * torch.where(peak > 0, peak, torch.ones_like(peak)))
        update = scaled(functional.tanhshrink(strength).view_as(attention))
        return semantic + semantic * update[:, None], attention + update

    def matrix(self, semantic: Tensor) -> Tensor:
        """Give M, (N, h w, h w)."""
        patches = functional.normalize(semantic.flatten(2), dim=1)
        alike = patches.mT @ patches
        return laplacian(*semantic.shape[2:]).to(alike) * (self.agreement * alike - 1)


@cache
def laplacian(rows: int, columns: int) -> Tensor:
    """Give degree less adjacency of a grid, (h w, h w)."""
    y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    apart = (y.flatten()[:, None] - y.flatten()).abs() + (x.flatten()[:, None] - x.flatten()).abs()
    adjacency = (apart == 1).float()
    return torch.diag(adjacency.sum(1)) - adjacency


def inverse(matrix: Tensor, iterations: int) -> Tensor:
    """Approach the inverse of matrices, or their pseudoinverse, from far below."""
    found = START * matrix.mT.detach()
    for _ in range(iterations):
        found = 2 * found - found @ matrix @ found
    return found

"""Score-CAM: channels weighted by the score of the image that they let through.

Paper: Wang et al., Score-CAM, CVPR workshops 2020
    https://arxiv.org/abs/1910.01279

Each channel, brought to the image's size and to [0, 1], masks the image, and the score that is left
is its weight, after a softmax over channels. That is a forward pass for each channel: `limit` tries
the most active ones alone. No gradient is used.

Formula:
    H_k = (up(A_k) - min) / (max - min); w = softmax_k s_c(I H_k); M = max(0, sum_k w_k A_k)

Released code: The authors' own; pytorch-grad-cam's maps are those with `upsampling` at `aligned`.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor
from torch.nn import functional

from sightline.attribution.gradients import aimed
from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, Chunk, CutOff, Limit
from sightline.attribution.stages import features_of, weighted
from sightline.hyperparameters import validate

NEEDS = "stages"


@dataclass(frozen=True, slots=True)
class Options:
    """Which channels are tried, and how."""

    limit: Limit = 128
    upsampling: Annotated[
        Literal["centered", "aligned"], "whether cells or corners of the grids lie on each other"
    ] = "centered"
    target: Aim = "logit"
    cut: CutOff = True
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Weight the features of the stage, (N, h, w)."""
    features = features_of(network, images)
    weights = torch.zeros(features.shape[:2]).to(features)
    tried = options.limit or features.shape[1]
    for number, one in enumerate(features):
        kept = one.mean((1, 2)).topk(min(tried, len(one))).indices.sort().values
        scores = _scores(network, images[number], int(labels[number]), one[kept], options)
        weights[number, kept] = scores.softmax(0).to(weights)
    found = weighted(features, weights)
    return found.clamp(min=0) if options.cut else found


def _scores(
    network: Network, image: Tensor, label: int, channels: Tensor, options: Options
) -> Tensor:
    """Give the score of an image under each channel's mask."""
    found = []
    for part in torch.split(channels, options.chunk):
        masks = functional.interpolate(
            part[:, None].float(),
            size=image.shape[1:],
            mode="bilinear",
            align_corners=options.upsampling == "aligned",
        )
        low, high = masks.amin((2, 3), keepdim=True), masks.amax((2, 3), keepdim=True)
        masks = (masks - low) / (high - low + 1e-8)  # (M, 1, H, W); an empty channel hides all
        scores = network.answers(image.to(masks)[None] * masks)
        found.append(aimed(scores, torch.full((len(part),), label), options.target))
    return torch.cat(found).float()

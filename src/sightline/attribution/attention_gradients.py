"""Gradient-weighted attention: attention that speaks for a class, carried through all layers.

Paper: Chefer, Gur and Wolf, Generic Attention-model Explainability, ICCV 2021
    https://arxiv.org/abs/2103.15679

Each layer's attention is multiplied by the gradient of the class score for it; what is positive is
averaged over heads and added to what the layers before have carried.

Formula:
    R <- R + mean_heads(max(0, dS_c/dA_l A_l)) R, beginning with 1; M = the class token's row of R,
    or the mean of the patches' rows where the answer does not ask the class token

Released code: The authors' own.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from sightline.attribution.attention import layers_of, on_the_grid, reads_class_token
from sightline.attribution.networks import Network
from sightline.attribution.settings import Aim, Chunk
from sightline.hyperparameters import validate

NEEDS = "attention"


@dataclass(frozen=True, slots=True)
class Options:
    """What is explained."""

    target: Aim = "logit"
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give each patch's relevance for the class, (N, h, w)."""
    size = min(options.chunk, network.most or options.chunk)
    parts = zip(torch.split(images, size), torch.split(labels, size), strict=True)
    return torch.cat([_part(network, some, asked, options) for some, asked in parts])


def _part(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    layers = layers_of(network, images, labels, options.target)
    tokens = layers[0].attention.shape[-1]
    carried = torch.eye(tokens).to(images).double().expand(len(images), tokens, tokens)
    for layer in layers:
        if layer.gradient is not None:  # None: the answer does not depend on this layer
            speaking = (layer.gradient * layer.attention).double().clamp(min=0).mean(1)
            carried = carried + speaking @ carried
    relevance = carried - torch.eye(tokens).to(carried)
    return on_the_grid(relevance, images, class_token=reads_class_token(layers))

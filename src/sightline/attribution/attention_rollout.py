"""Attention rollout: how attention carries tokens through all layers of a transformer.

Paper: Abnar and Zuidema, Quantifying Attention Flow in Transformers, ACL 2020
    https://arxiv.org/abs/2005.00928

Each layer's attention, its heads made one, half of it passing the layer by, is multiplied by those
before. It asks for no class: all labels get the same map.

Formula:
    R = prod_l (A_l + 1) / 2, rows adding up to 1; M = the class token's row of R

Released code: The authors' own.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
from torch import Tensor

from sightline.attribution.attention import layers_of, on_the_grid
from sightline.attribution.networks import Network
from sightline.attribution.settings import Chunk
from sightline.hyperparameters import validate

NEEDS = "attention"
ANY_LABEL = True


@dataclass(frozen=True, slots=True)
class Options:
    """How heads become one."""

    heads: Annotated[Literal["mean", "max", "min"], "how a layer's heads become one"] = "mean"
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give the class token's flow to each patch, (N, h, w)."""
    parts = torch.split(images, min(options.chunk, network.most or options.chunk))
    return torch.cat([_part(network, part, options) for part in parts])


def _merged(heads: Tensor, options: Options) -> Tensor:
    if options.heads == "mean":
        return heads.mean(1)
    return heads.amax(1) if options.heads == "max" else heads.amin(1)


def _part(network: Network, images: Tensor, options: Options) -> Tensor:
    flow: Tensor | None = None
    for layer in layers_of(network, images):
        merged = _merged(layer.attention.double(), options)
        step = merged + torch.eye(merged.shape[-1]).to(merged)
        step = step / step.sum(-1, keepdim=True)
        flow = step if flow is None else step @ flow
    assert flow is not None
    return on_the_grid(flow, images)

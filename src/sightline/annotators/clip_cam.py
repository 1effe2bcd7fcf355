"""Gradient CAM of an image-text model's last block, and its refinement by attention.

Paper: Lin et al., CLIP is Also an Efficient Segmenter, CVPR 2023 https://arxiv.org/abs/2212.09506
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sightline.annotators.clip_model import ImageText, unit
from sightline.metrics.box import boxes_at, map_boxes
from sightline.metrics.protocol import preset
from sightline.metrics.score_maps import normalized

Floats = NDArray[np.float64]
LAYERS, ROUNDS, MASK = 8, 3, 0.4  # of the refinement


def cam(
    model: ImageText, pixels: Tensor, texts: Tensor, keep: int = LAYERS
) -> tuple[Tensor, Tensor]:
    """Give the CAM of the first text against all texts, (h, w), and patches' attention.

    The image is the mean of its patches, as texts see them; its score is the softmax of scaled
    cosines. With A the last block's normalized input and G the score's gradient for it:

        map_ij = relu(sum_k A_ijk mean_ij(G_ijk))

    Args:
        model: the model in parts.
        pixels: normalized, (1, 3, H, W), sides multiples of the patch.
        texts: of length 1, (N, D'); the class first, then what else might be there.
        keep: the attention is the mean over so many last blocks, (h w, h w).
    """
    maps: list[Tensor] = []
    with torch.no_grad():
        tokens = model.embed(pixels)
        for block in model.blocks[:-1]:
            tokens, attention = block.continued(tokens, block.first(tokens))
            maps.append(attention)
    last = model.blocks[-1]
    normed = last.first(tokens).detach().requires_grad_()
    with torch.enable_grad():
        after, attention = last.continued(tokens, normed)
        image = unit(model.project(after)[1:].mean(0))
        score = (model.scale * texts @ image).softmax(0)[0]
        gradient = torch.autograd.grad(score, normed)[0]
    maps.append(attention.detach())
    weights = gradient[1:].mean(0)
    grid = (pixels.shape[2] // model.patch, pixels.shape[3] // model.patch)
    found = (normed.detach()[1:] @ weights).relu().reshape(grid)
    return found, torch.stack(maps[-keep:]).mean(0)[1:, 1:]


def refined(found: Floats, attention: Floats) -> Floats:
    """Spread a map along attention, inside the boxes of what stands out of it.

    Attention is normalized by column and by row in turn, made symmetric and squared.
    """
    relation = attention
    for _ in range(ROUNDS):
        relation = relation / relation.sum(0, keepdims=True)
        relation = relation / relation.sum(1, keepdims=True)
    relation = (relation + relation.T) / 2
    relation = relation @ relation
    scores = normalized(found, "min-max")
    inside = _boxed(scores).ravel()
    return np.asarray(((relation * inside) @ scores.ravel()).reshape(found.shape))


def _boxed(scores: Floats) -> Floats:
    """Fill the boxes of all regions of a map."""
    protocol = preset("reference-v2")
    mask = np.zeros_like(scores)
    if scores.max() <= scores.min():
        return mask
    for x0, y0, x1, y1 in boxes_at(map_boxes(scores, protocol), MASK, protocol):
        mask[y0 : y1 + 1, x0 : x1 + 1] = 1
    return mask

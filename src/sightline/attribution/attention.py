"""Attention of a transformer as autograd recorded it: any softmax between the tokens of an image.

The attention is read off what autograd keeps for the way back, so that it is found however it was
computed: `nn.MultiheadAttention`, timm's fused and plain attention, that of other libraries,
TorchScript. Nothing is changed in the network.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from sightline.attribution.gradients import aimed, recorded
from sightline.attribution.networks import MOST_BEFORE, Network
from sightline.attribution.settings import Target
from sightline.errors import UsageError

KINDS = ("SoftmaxBackward", "SafeSoftmaxBackward")


@dataclass(eq=False, slots=True)
class Layer:
    """One layer's attention, (N, heads, T, T), and the class score's gradient for it."""

    attention: Tensor
    gradient: Tensor | None = None


def layers_of(
    network: Network, images: Tensor, labels: Tensor | None = None, target: Target = "logit"
) -> list[Layer]:
    """List the attention of all layers, the first one first; with labels, gradients too."""
    leaf = images.detach().clone().requires_grad_()
    with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):  # the others keep no attention
        scores = network.scores(leaf.clone())
    nodes = sorted(_softmaxes(scores), key=lambda node: int(node._sequence_nr()))
    found = [Layer(_by_image(node, len(images))) for node in nodes]
    if not found:
        raise UsageError("the network has no attention between tokens; choose another explainer")
    if labels is not None:
        for node, layer in zip(nodes, found, strict=True):
            node.register_prehook(_keeping(layer))
        with torch.enable_grad():
            wanted = aimed(scores, labels, target).sum()
        torch.autograd.grad(wanted, leaf, allow_unused=True)
    tokens = found[-1].attention.shape[-1]
    if any(layer.attention.shape[-1] != tokens for layer in found):
        raise UsageError(
            "the network's layers attend to different numbers of tokens, so that their attention"
            " cannot be joined; choose another explainer"
        )
    return found


def _softmaxes(scores: Tensor) -> Iterator[Any]:
    for node in recorded(scores):
        if node.name().rstrip("0123456789") in KINDS:
            shape = node._saved_result.shape
            if len(shape) in (3, 4) and shape[-1] == shape[-2] > 1:
                yield node


def _by_image(node: Any, images: int) -> Tensor:
    attention: Tensor = node._saved_result.detach()
    tokens = attention.shape[-1]
    if (attention.dim() == 4 and len(attention) != images) or len(attention) % images:
        raise UsageError(
            "the network attends within windows of the image, whose attention cannot be joined;"
            " choose another explainer"
        )
    return attention.reshape(images, -1, tokens, tokens)


def _keeping(layer: Layer) -> Any:
    def keep(gradients: tuple[Tensor | None, ...]) -> None:
        found = gradients[0]
        layer.gradient = None if found is None else found.reshape(layer.attention.shape)

    return keep


def reads_class_token(layers: Sequence[Layer]) -> bool:
    """Tell whether the answer depends on what the first token saw last, or on the others alone."""
    gradients = [layer.gradient for layer in layers if layer.gradient is not None]
    return not gradients or bool(gradients[-1][:, :, 0].any())


def on_the_grid(relevance: Tensor, images: Tensor, *, class_token: bool = True) -> Tensor:
    """Lay the tokens' relevance for the answer, (N, T, T), on the image's grid, (N, h, w).

    The answer is read from the token before the grid, that of the class, or else from the patches.
    """
    rows, columns, before = grid(relevance.shape[-1], images.shape[2], images.shape[3])
    asked = relevance[:, 0] if before and class_token else relevance[:, before:].mean(1)
    return asked[:, before:].reshape(-1, rows, columns)


def grid(tokens: int, height: int, width: int) -> tuple[int, int, int]:
    """Tell rows and columns of square patches, and how many tokens stand before them."""
    for side in range(1, min(height, width) + 1):
        rows, columns = height // side, width // side
        if 0 <= tokens - rows * columns <= MOST_BEFORE and rows * columns > 1:
            return rows, columns, tokens - rows * columns
    raise UsageError(
        f"{tokens} tokens are no grid of square patches of an image of {width} x {height};"
        " choose another explainer"
    )

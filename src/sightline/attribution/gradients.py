"""Gradients of a class score for the image's pixels, plain or guided.

Guided backpropagation acts where autograd has recorded a ReLU, so that it finds every one however
it was called: as a module, as a function, in place, or inside TorchScript. Nothing is changed in
the network.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.settings import Target
from sightline.errors import UsageError

Gradient = Callable[[Tensor, Tensor], Tensor]  # images, labels -> their gradients, (N, 3, H, W)
FLOORS = {  # what autograd calls a ReLU, and which of its numbers must be 0 for it to be one
    "ReluBackward": "",
    "HardtanhBackward": "_saved_min_val",  # ReLU6
    "ClampBackward": "_saved_min",  # a limit that is a tensor is saved alike
    "ClampMinBackward": "_saved_min",
    "ThresholdBackward": "_saved_threshold",
}


def gradient_of(network: Network, target: Target, *, guided: bool = False) -> Gradient:
    """Make the function that gives pixel gradients; it runs all that it is given at once."""
    return partial(_gradient, network, target, guided)


def _gradient(
    network: Network, target: Target, guided: bool, images: Tensor, labels: Tensor
) -> Tensor:
    leaf = images.detach().clone().requires_grad_()
    with torch.enable_grad():
        scores = network.scores(leaf.clone())  # a network may begin with a step in place
        wanted = aimed(scores, labels, target).sum()
    if not wanted.requires_grad:
        raise UsageError("the network's scores have no gradient; choose an explainer without")
    if guided and not guide(scores):
        raise UsageError(
            "the network has no ReLU or ReLU6, so that guided backpropagation is not defined;"
            " choose vb, sg-vb or ig-vb"
        )
    (found,) = torch.autograd.grad(wanted, leaf, allow_unused=True)
    return torch.zeros_like(leaf) if found is None else found.detach()


def aimed(scores: Tensor, labels: Tensor, target: Target) -> Tensor:
    """Give what is explained of each image: the label's score, or what becomes of it."""
    classes = scores.shape[1]
    wrong = (labels < 0) | (labels >= classes)
    if bool(wrong.any()):
        bad = int(labels[wrong][0])
        raise UsageError(f"label {bad} is out of range: the network has {classes} classes")
    if target == "probability":
        scores = scores.softmax(1)
    elif target == "log-probability":
        scores = scores.log_softmax(1)
    return scores.gather(1, labels.to(scores.device)[:, None])[:, 0]


def guide(scores: Tensor) -> int:
    """Let no negative gradient into a ReLU of the graph behind the scores; count the ReLUs."""
    found = [node for node in recorded(scores) if _is_relu(node)]
    for node in found:
        node.register_prehook(_without_negative)
    return len(found)


def recorded(scores: Tensor) -> Iterator[Any]:
    """Give what autograd recorded on the way to the scores, each step once."""
    waiting: list[Any] = [scores.grad_fn]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        yield node
        behind = {before for before, _ in node.next_functions} - seen
        seen |= behind
        waiting += behind


def _is_relu(node: Any) -> bool:
    kind = node.name().rstrip("0123456789")
    if kind not in FLOORS:
        return False
    floor = getattr(node, FLOORS[kind]) if FLOORS[kind] else 0
    return floor is not None and bool((torch.as_tensor(floor) == 0).all())


def _without_negative(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
    return tuple(None if one is None else one.clamp(min=0) for one in gradients)

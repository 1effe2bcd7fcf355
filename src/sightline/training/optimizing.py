"""Parameter groups, the learning rate of each epoch, and an optimizer's state as plain tensors."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from sightline.backbones.assembly import OF_BACKBONE, stage_of
from sightline.errors import DataError, Problem
from sightline.training.plan import Plan

PREFIX = "optimizer."


def learning_rate(plan: Plan, epoch: int) -> float:
    """Give the learning rate of an epoch, counted from 0.

    The papers decay every N epochs. Released code decays in front of an epoch whose number from 1
    is a multiple of N, so that its first plateau is one epoch shorter.
    """
    if plan.schedule == "cosine":
        rate = plan.lr * (1 + math.cos(math.pi * epoch / max(1, plan.epochs))) / 2
    else:
        number = epoch + 1 if plan.schedule == "released" else epoch
        decays = 0 if plan.schedule == "constant" else number // plan.decay_every
        rate = plan.lr * plan.decay_factor**decays
    return max(rate, plan.lr_floor)


def make_optimizer(network: nn.Module, fast: Iterable[str], plan: Plan) -> torch.optim.Optimizer:
    """Make the optimizer with a group of parameters for each rate and decay, the fastest first."""
    chosen, spared, slower = set(fast), _spared(network, plan), _slower(network, plan)
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        ratio = (plan.fast_ratio if name in chosen else 1.0) * slower.get(stage_of(name), 1.0)
        decay = 0.0 if name in spared else plan.weight_decay
        groups.setdefault((ratio, decay), []).append(parameter)
    kept: list[dict[str, Any]] = [
        {"params": groups[key], "ratio": key[0], "weight_decay": key[1]}
        for key in sorted(groups, reverse=True)
    ]
    if plan.optimizer == "adamw":
        return torch.optim.AdamW(kept, lr=plan.lr, weight_decay=plan.weight_decay)
    return torch.optim.SGD(
        kept,
        lr=plan.lr,
        momentum=plan.momentum,
        nesterov=plan.momentum > 0,
        weight_decay=plan.weight_decay,
    )


def _spared(network: nn.Module, plan: Plan) -> set[str]:
    """Name the parameters that do not decay; a layer names its tokens as `undecayed`."""
    if plan.undecayed == "none":
        return set()
    found = {name for name, parameter in network.named_parameters() if parameter.dim() < 2}
    if plan.undecayed == "tokens":
        for place, layer in network.named_modules():
            names = getattr(layer, "undecayed", ())
            found |= {f"{place}.{name}".removeprefix(".") for name in names}
    return found


def _slower(network: nn.Module, plan: Plan) -> dict[str, float]:
    """Tell how much slower each stage learns; the last one learns as the method's own layers."""
    if plan.layer_decay == 1:
        return {}
    stages = network.get_submodule(OF_BACKBONE.removesuffix(".")).named_children()
    last_first = reversed([name for name, _ in stages])
    return {name: plan.layer_decay**number for number, name in enumerate(last_first)}


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of every group by its ratio."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["ratio"]


def state_of(optimizer: torch.optim.Optimizer, network: nn.Module) -> dict[str, Tensor]:
    """Give the optimizer's state as tensors, `optimizer.ENTRY.PARAMETER`."""
    tensors: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        for entry, value in optimizer.state.get(parameter, {}).items():
            if isinstance(value, Tensor):
                tensors[f"{PREFIX}{entry}.{name}"] = value
    return tensors


def restore(
    optimizer: torch.optim.Optimizer, network: nn.Module, tensors: Mapping[str, Tensor]
) -> None:
    """Put the tensors of `state_of` back."""
    parameters = dict(network.named_parameters())
    optimizer.state.clear()
    for key, value in tensors.items():
        if not key.startswith(PREFIX):
            continue
        entry, _, name = key.removeprefix(PREFIX).partition(".")
        parameter = parameters.get(name)
        if parameter is None:
            raise DataError([Problem(f"the state holds '{name}', which the network has not")])
        counter = entry == "step"  # AdamW keeps it on the CPU
        moved = value.clone() if counter else value.to(parameter.device, copy=True)
        optimizer.state[parameter][entry] = moved

"""Several processes as one: sums over their shares of a batch, in one message.

Gradients are summed here rather than by a wrapper around the network, so that shares may be of
unequal size, or empty, and the step is still that of the whole batch.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn


class Sharing:
    """Who this process is among how many, and what they do together."""

    def __init__(self, rank: int = 0, world: int = 1, device: torch.device | None = None) -> None:
        self.rank, self.world = rank, world
        self.device = device or torch.device("cpu")

    def total(self, numbers: Sequence[float]) -> list[float]:
        """Add up numbers over all processes."""
        if self.world == 1:
            return list(numbers)
        kind = torch.float64 if self.device.type != "mps" else torch.float32
        bucket = torch.tensor(numbers, dtype=kind, device=self.device)
        torch.distributed.all_reduce(bucket)
        values: list[float] = bucket.tolist()
        return values

    def gathered(self, value: Any) -> list[Any]:
        """Give what every process has, by rank."""
        if self.world == 1:
            return [value]
        found: list[Any] = [None] * self.world
        torch.distributed.all_gather_object(found, value)
        return found

    def combine(self, network: nn.Module, share: float) -> None:
        """Sum gradients, and average running statistics by how much of the batch each one saw.

        Args:
            network: after its backward pass, whose loss was multiplied by the share already.
            share: of the batch that this process had; shares add up to 1.
        """
        if self.world == 1:
            return
        parameters = [p for p in network.parameters() if p.requires_grad]
        present = self.total([float(p.grad is not None) for p in parameters])
        used = [p for p, count in zip(parameters, present, strict=True) if count]
        for parameter in used:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        means = [b for b in network.buffers() if b.is_floating_point()]
        counters = [b for b in network.buffers() if not b.is_floating_point()]
        last = float(self.rank == self.world - 1)  # its share is never smaller than another's
        weighted = [p.grad for p in used if p.grad is not None]
        parts = weighted + [b * share for b in means] + [b.float() * last for b in counters]
        self._sum_into(parts, weighted + means + counters)

    def _sum_into(self, parts: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        if not parts:
            return
        bucket = torch.cat([part.detach().float().reshape(-1) for part in parts])
        torch.distributed.all_reduce(bucket)
        start = 0
        with torch.no_grad():
            for target in targets:
                stop = start + target.numel()
                target.copy_(bucket[start:stop].view(target.shape))
                start = stop

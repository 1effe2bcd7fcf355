"""Anchors, and how a box is told as a shift of one; all in shares of the image's sides."""

import math

import torch
from torch import Tensor

SCALES = (0.12, 0.22, 0.36, 0.55, 0.8)  # of the anchors' sides
RATIOS = (0.5, 1.0, 2.0)  # width over height
KINDS = len(SCALES) * len(RATIOS)
LARGEST_GROWTH = math.log(4.0)


def anchors(side: int) -> Tensor:
    """Lay anchors over a square grid, (side * side * KINDS, 4), as corners."""
    centers = (torch.arange(side) + 0.5) / side
    y, x = torch.meshgrid(centers, centers, indexing="ij")
    middle = torch.stack([x, y], -1).reshape(-1, 1, 2)
    sides = torch.tensor([[s * math.sqrt(r), s / math.sqrt(r)] for s in SCALES for r in RATIOS])
    corners = torch.cat([middle - sides / 2, middle + sides / 2], -1)
    return corners.reshape(-1, 4)


def told(boxes: Tensor, base: Tensor) -> Tensor:
    """Tell boxes as shifts of anchors: of the center in the anchor's sides, and log growth."""
    sides, wide = base[..., 2:] - base[..., :2], boxes[..., 2:] - boxes[..., :2]
    shift = (boxes[..., :2] + boxes[..., 2:] - base[..., :2] - base[..., 2:]) / 2 / sides
    return torch.cat([shift, torch.log(wide.clamp(min=1e-4) / sides)], -1)


def untold(shifts: Tensor, base: Tensor) -> Tensor:
    """Give the boxes that are told."""
    sides = base[..., 2:] - base[..., :2]
    center = (base[..., :2] + base[..., 2:]) / 2 + shifts[..., :2] * sides
    half = sides * shifts[..., 2:].clamp(max=LARGEST_GROWTH).exp() / 2
    return torch.cat([center - half, center + half], -1)


def overlaps(first: Tensor, second: Tensor) -> Tensor:
    """Give the IoU of every pair, (N, M)."""
    low = torch.maximum(first[:, None, :2], second[None, :, :2])
    high = torch.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    areas = [(b[:, 2:] - b[:, :2]).clamp(min=0).prod(-1) for b in (first, second)]
    return shared / (areas[0][:, None] + areas[1][None] - shared).clamp(min=1e-9)


def paired_overlaps(first: Tensor, second: Tensor) -> Tensor:
    """Give the IoU of boxes in the same place of two lists, (N,)."""
    low = torch.maximum(first[:, :2], second[:, :2])
    high = torch.minimum(first[:, 2:], second[:, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    areas = [(b[:, 2:] - b[:, :2]).clamp(min=0).prod(-1) for b in (first, second)]
    return shared / (areas[0] + areas[1] - shared).clamp(min=1e-9)

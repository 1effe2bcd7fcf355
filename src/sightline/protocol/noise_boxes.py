"""Boxes made worse on purpose: scaled, then shifted, then of another shape.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization,
section 4.2, and its supplement B. The papers leave the distributions open; those here are, for a
level p:

    scale   by a factor uniform in [1 - p, 1 + p], about the center
    shift   of each axis by a share of the scaled side uniform in [0, p], with a random sign
    aspect  with probability p, by a factor uniform in [1 - p, 1 + p], at equal area

after which a box is clipped to its image and brought to whole pixels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)  # percent
QUANTILES = 5  # random numbers that a box takes


@dataclass(frozen=True, slots=True)
class Deformation:
    """What happens to each box, as factors and shares of its side."""

    scale: Floats  # (N,)
    shift: Floats  # (N, 2) of the scaled width and height, signed
    aspect: Floats  # (N,) width over height, relative to what it was


def deformation(quantiles: Floats, level: float) -> Deformation:
    """Turn numbers drawn evenly from [0, 1) into what happens at a level from 0 to 1.

    Args:
        quantiles: (N, 5): scale, shift in x, shift in y, whether the aspect changes, how much.
        level: p.
    """
    spread = 1 + level * (2 * quantiles - 1)
    changed = quantiles[:, 3] < level
    return Deformation(
        scale=spread[:, 0],
        shift=level * (2 * quantiles[:, 1:3] - 1),  # even in [-p, p] is even in [0, p] with a sign
        aspect=np.where(changed, spread[:, 4], 1.0),
    )


def deformed(boxes: Floats, how: Deformation) -> Floats:
    """Apply the three steps, in their order, to boxes x0, y0, x1, y1."""
    sides = (boxes[:, 2:] - boxes[:, :2]) * how.scale[:, None]
    centers = (boxes[:, :2] + boxes[:, 2:]) / 2 + how.shift * sides
    stretch = np.sqrt(how.aspect)
    sides = sides * np.stack([stretch, 1 / stretch], 1)
    return np.hstack([centers - sides / 2, centers + sides / 2])


def clipped(boxes: Floats, sizes: NDArray[np.int64]) -> Floats:
    """Clip boxes to their images, in whole pixels; a box stays at least one pixel wide and high."""
    ends = sizes.astype(np.float64)
    first = np.clip(np.round(boxes[:, :2]), 0, ends - 1)
    last = np.clip(np.round(boxes[:, 2:]), first + 1, ends)
    return np.hstack([first, last])


def noisy(boxes: Floats, sizes: NDArray[np.int64], level: int, seed: int) -> Floats:
    """Make boxes worse at a level in percent.

    Each level and seed draws its own numbers, box by box in their order.
    """
    rng = np.random.default_rng((seed, level))
    quantiles = rng.random((len(boxes), QUANTILES))
    return clipped(deformed(boxes, deformation(quantiles, level / 100)), sizes)

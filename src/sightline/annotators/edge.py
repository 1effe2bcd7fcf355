"""The box that holds more edges than the picture's mean: a line that any model should pass.

Paper: none; a plain relative of Zitnick and Dollar, Edge Boxes, ECCV 2014

The gradient's length is summed in cells of a grid; of all rectangles of cells, the one with the
largest sum of (cell - w mean) is taken. With w = 1 whatever has more edges than the mean draws the
box on; a larger w makes it tighter. It is found exactly, and follows from the picture alone.
"""

from dataclasses import dataclass
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.annotators.contract import Image, Item, Nothing, Plain, Proposals
from sightline.hyperparameters import Uniform, Whole, validate
from sightline.types import Split

GIVES = "box"
Floats = NDArray[np.float64]
SIDE = 256  # of the square in which gradients are taken


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen."""

    grid: Annotated[int, "cells along a side", Whole(4, 64)] = 32
    weight: Annotated[float, "of the mean that a cell must exceed", Uniform(0, 4)] = 1.0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, slots=True)
class Edge(Plain):
    """A box around edges."""

    options: Options = Options()

    def propose(self, image: Image, item: Item) -> Proposals | Nothing:
        """Give the one box."""
        grid = self.options.grid
        cells = cv2.resize(gradient(image), (grid, grid), interpolation=cv2.INTER_AREA)
        if not cells.max() > 1e-6:
            return Nothing("the image has no edge")
        (x0, y0, x1, y1), _ = heaviest(cells - self.options.weight * cells.mean())
        height, width = image.shape[:2]
        box = np.array([[x0 * width, y0 * height, x1 * width, y1 * height]]) / grid
        return Proposals(box, np.array([cells[y0:y1, x0:x1].sum() / cells.sum()]))


def gradient(image: Image) -> Floats:
    """Give the length of the gradient of brightness, of the picture warped to a square."""
    square = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    gray = cv2.GaussianBlur(cv2.cvtColor(square, cv2.COLOR_RGB2GRAY).astype(np.float64), (0, 0), 1)
    across, down = cv2.Sobel(gray, cv2.CV_64F, 1, 0), cv2.Sobel(gray, cv2.CV_64F, 0, 1)
    return np.asarray(np.hypot(across, down))


def heaviest(cells: Floats) -> tuple[tuple[int, int, int, int], float]:
    """Find the rectangle of cells with the largest sum, as x0, y0, x1, y1, and that sum.

    Of equals it is the first by its rows, from the top, then by its columns.
    """
    below = np.concatenate([np.zeros((1, cells.shape[1])), cells.cumsum(0)])
    best, found = -np.inf, (0, 0, 1, 1)
    for top in range(len(cells)):
        for bottom in range(top + 1, len(cells) + 1):
            left, right, total = _run(below[bottom] - below[top])
            if total > best + 1e-9 * abs(best if np.isfinite(best) else 1):
                best, found = total, (left, top, right, bottom)
    return found, float(best)


def _run(values: Floats) -> tuple[int, int, float]:
    """Find the run of numbers with the largest sum, the first of equals."""
    ends = np.concatenate([[0.0], values.cumsum()])
    lowest = np.minimum.accumulate(ends[:-1])
    sums = ends[1:] - lowest
    right = int(sums.argmax())
    left = int((ends[: right + 1] == lowest[right]).argmax())
    return left, right + 1, float(sums[right])


def open(options: Options, split: Split) -> Edge:  # noqa: A001
    """Make it."""
    return Edge(options=options)

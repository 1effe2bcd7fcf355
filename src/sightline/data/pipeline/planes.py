"""Masks or boxes as what a loader moves with its photographs: a plane of codes for each index."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.masks import fill_ring, read_mask
from sightline.errors import DataError, Problem
from sightline.types import Boxes, Masks

Plane = NDArray[np.uint8]
Planes = Callable[[int], Plane]


def planes_of(labels: Masks | Boxes, sizes: NDArray[Any]) -> Planes:
    """Give what makes the plane of an item when it is asked for.

    Masks are read at the size of the photograph. Boxes are filled: a pixel counts if its center
    lies in one of them.

    Args:
        labels: as the ledger hands them out.
        sizes: (N, 2), width and height of the photographs.
    """
    if isinstance(labels, Masks):
        return partial(_mask_plane, labels, sizes)
    return partial(_box_plane, labels, sizes)


def _mask_plane(masks: Masks, sizes: NDArray[Any], index: int) -> Plane:
    width, height = map(int, sizes[index])
    return read_mask(masks, index, (width, height) if width else None)


def _box_plane(boxes: Boxes, sizes: NDArray[Any], index: int) -> Plane:
    width, height = map(int, sizes[index])
    if min(width, height) <= 0:
        what = f"the size of item {index} is not known, and its boxes cannot be filled"
        raise DataError([Problem(what, remedy="state the sizes of all images")])
    filled = np.zeros((height, width), np.uint8)
    for x0, y0, x1, y1 in boxes.corners[boxes.offsets[index] : boxes.offsets[index + 1]]:
        filled |= fill_ring((x0, y0, x1, y0, x1, y1, x0, y1), height, width)
    return filled

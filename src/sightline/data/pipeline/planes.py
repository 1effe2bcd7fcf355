"""Masks and boxes as what a loader moves with its photographs: a plane of codes for each index."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.masks import fill_ring, read_mask
from sightline.errors import DataError, Problem
from sightline.types import Boxes, Masks

Planes = Callable[[int], NDArray[np.uint8]]


def mask_planes(masks: Masks, sizes: NDArray[Any]) -> Planes:
    """Read the masks of an item when they are asked for, at the size of its photograph."""

    def plane(index: int) -> NDArray[np.uint8]:
        width, height = map(int, sizes[index])
        return read_mask(masks, index, (width, height) if width else None)

    return plane


def box_planes(boxes: Boxes, sizes: NDArray[Any]) -> Planes:
    """Fill the boxes of an item: a pixel counts if its center lies in one of them."""

    def plane(index: int) -> NDArray[np.uint8]:
        width, height = map(int, sizes[index])
        if min(width, height) <= 0:
            problem = f"the size of item {index} is not known, and its boxes cannot be filled"
            raise DataError([Problem(problem, remedy="state the sizes of all images")])
        filled = np.zeros((height, width), np.uint8)
        for x0, y0, x1, y1 in boxes.corners[boxes.offsets[index] : boxes.offsets[index + 1]]:
            filled |= fill_ring((x0, y0, x1, y0, x1, y1, x0, y1), height, width)
        return filled

    return plane

"""Where boxes begin and end: the one place that knows the conventions.

A box is x0, y0, x1, y1. Two readings of its end exist:

true
    x1 is the coordinate of the right edge; a side is x1 - x0. A box around pixels 3 to 5 is 3, 6.
reference
    What the released evaluator does. A side is x1 - x0 + 1, as if x1 were the last pixel; yet its
    predicted boxes end one past the last pixel, except at the map's far edge. Annotated corners
    are scaled to the map each on its own and cut to whole pixels.

In both readings a corner at or past the far edge is clamped.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.errors import DataError, Problem

Floats = NDArray[np.float64]
Size = tuple[int, int]  # width, height
BoxEnds = Literal["reference", "true"]


def true_boxes(boxes: ArrayLike, image: Size, name: str = "") -> Floats:
    """Make sure that boxes can be the true ones of an image."""
    truth = np.asarray(boxes, np.float64).reshape(-1, 4)
    what = ""
    if not len(truth):
        what = "image has no box"
    elif not np.isfinite(truth).all():
        what = "a box is not finite"
    elif (truth[:, :2] > truth[:, 2:]).any() or (truth < 0).any():
        what = "a box is inverted or negative"
    elif (truth[:, :2] >= image).any():
        what = f"a box lies outside its image of {image[0]} x {image[1]}"
    if what:
        raise DataError([Problem(what, image=name, remedy="write x0, y0, x1, y1")])
    return truth


def to_frame(boxes: Floats, image: Size, frame: Size, ends: BoxEnds) -> Floats:
    """Scale annotated boxes from an image to the frame of its map, and clamp them to it."""
    scaled = boxes * np.array([*frame, *frame], float) / np.array([*image, *image], float)
    if ends == "reference":
        return np.asarray(np.minimum(np.trunc(scaled), np.array([*frame, *frame], float) - 1))
    return np.asarray(np.minimum(scaled, np.array([*frame, *frame], float)))


def iou(first: Floats, second: Floats, ends: BoxEnds) -> Floats:
    """Give the intersection over union of every pair of two lists of boxes."""
    extra = 1.0 if ends == "reference" else 0.0
    a, b = first[:, None, :], second[None, :, :]
    sides = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]) + extra
    shared = np.prod(np.maximum(sides, 0), axis=-1)
    areas = [np.prod(box[..., 2:] - box[..., :2] + extra, axis=-1) for box in (a, b)]
    union = areas[0] + areas[1] - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def from_corner_and_size(box: tuple[float, float, float, float]) -> tuple[float, ...]:
    """Convert x, y, width, height (COCO) to corners."""
    x, y, width, height = box
    return x, y, x + width, y + height


def from_one_based(box: tuple[float, float, float, float]) -> tuple[float, ...]:
    """Convert pixels counted from 1, both ends included (VOC), to true edges."""
    x0, y0, x1, y1 = box
    return x0 - 1, y0 - 1, x1, y1

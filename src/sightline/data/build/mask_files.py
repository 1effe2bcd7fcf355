"""Instance masks of an image become one mask of its class and one of what is to be ignored."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.build.files import write_bytes
from sightline.data.build.sources import Corners, Instances
from sightline.data.masks import read_source
from sightline.data.photographs import Facts
from sightline.errors import DataError, Problem
from sightline.types import MaskSource

Plane = NDArray[np.bool_]  # (height, width)
Size = tuple[int, int]  # width and height
FOREGROUND = 255


def union(instances: Instances, image: str) -> tuple[Plane, Plane]:
    """Unite the masks of the objects, and the regions to ignore beside them.

    All masks of an image must be of one size. A box covers the pixels whose centers it holds.
    """
    layers = [np.asarray(read_source(source)) for source in instances.objects]
    excepted = [layer == instances.ignore_value for layer in layers]
    regions = [_region(region, layers[0].shape) for region in instances.ignored]
    _check_sizes([plane.shape for plane in (*layers, *regions)], image)
    pairs = zip(layers, excepted, strict=True)
    inside = np.logical_or.reduce([(layer > 0) & ~other for layer, other in pairs])
    if not inside.any():
        raise _fault("no pixel of its masks is inside", image, "replace the masks")
    return inside, np.logical_or.reduce([*excepted, *regions]) & ~inside


def fitting_size(shape: Sequence[int], facts: Facts, image: str) -> Size:
    """Choose the size of a photograph, as stored or turned, that has the shape of its mask.

    Masks may be larger or smaller than their photograph, as OpenImages' are, but not of another
    shape: rounding may cost them one pixel of a side.
    """
    height, width = shape
    for size in (facts.size, facts.turned_size):
        if abs(width * size[1] - height * size[0]) <= max(*size, width, height):
            return size
    own = "{} x {}".format(*facts.size)
    what = f"its masks are {width} x {height}, of another shape than the image of {own}"
    raise _fault(what, image, "find the masks that were drawn on this file")


def write_mask(file: Path, inside: Plane) -> None:
    """Write a mask as PNG: 255 inside."""
    done, content = cv2.imencode(".png", inside.astype(np.uint8) * FOREGROUND)
    assert done
    write_bytes(file, content.tobytes())


def _region(region: MaskSource | Corners, shape: Sequence[int]) -> Plane:
    if not isinstance(region, tuple):
        return np.asarray(read_source(region)) > 0
    height, width = shape
    x0, y0, x1, y1 = np.ceil(np.array(region) * [width, height, width, height] - 0.5).astype(int)
    plane = np.zeros((height, width), np.bool_)
    plane[y0:y1, x0:x1] = True
    return plane


def _check_sizes(shapes: Sequence[tuple[int, ...]], image: str) -> None:
    other = next((shape for shape in shapes if shape != shapes[0]), None)
    if other:
        one, two = (f"{width} x {height}" for height, width in (shapes[0], other))
        raise _fault(f"one of its masks is {one}, another {two}", image, "replace the wrong one")


def _fault(what: str, image: str, remedy: str) -> DataError:
    return DataError([Problem(what, "", 0, image, remedy)])

"""Masks as pixels: files, outlines and run lengths become foreground, background and ignore."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.mat_files import mat_mask
from sightline.data.pictures import read_picture
from sightline.errors import DataError, Problem
from sightline.types import (
    BACKGROUND,
    FOREGROUND,
    IGNORE,
    Layer,
    Masks,
    MaskSource,
    MatMask,
    Pixels,
    Polygons,
    RunLengths,
)

Array = NDArray[Any]  # (height, width)
GRAY = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_ANYDEPTH
MAX_PIXELS = 2**30  # OpenCV's own limit


def read_mask(masks: Masks, index: int, size: tuple[int, int] | None) -> NDArray[np.uint8]:
    """Read the masks of one item as one array of the codes of `sightline.types`.

    Each source is read at its own size and resized to the nearest pixel; what exceeds .5 counts.
    Foreground is the union of the objects and overrules what is to be ignored.

    Args:
        masks: where the masks are.
        index: which item.
        size: width and height of the result; that of the first object if None.
    """
    layers = [(source, read_source(source)) for source in masks.objects[index]]
    if size is None:
        size = layers[0][1].shape[1], layers[0][1].shape[0]
    foreground = np.zeros((size[1], size[0]), np.bool_)
    ignored = np.zeros_like(foreground)
    for source, own in layers:
        pixels = _resize(own, size)
        covered = pixels > 0.5
        value = _ignore_value(source, masks)
        if value is not None:
            excepted = pixels == value
            covered &= ~excepted
            ignored |= excepted
        foreground |= covered
    for source in masks.ignored[index]:
        ignored |= _resize(read_source(source), size) > 0.5
    codes = np.full(foreground.shape, BACKGROUND, np.uint8)
    codes[ignored] = IGNORE
    codes[foreground] = FOREGROUND
    return codes


def _ignore_value(source: MaskSource, masks: Masks) -> int | None:
    """Tell which of a source's values means "ignore": files have their own, arrays our code."""
    if isinstance(source, Path):
        return masks.ignore_value
    return IGNORE if isinstance(source, Pixels) else None


def read_source(source: MaskSource) -> Array:
    """Draw or decode one mask; what exceeds .5 is inside."""
    if isinstance(source, Path):
        return read_picture(source, GRAY, "mask")
    if isinstance(source, Layer):
        values = read_picture(source.file, GRAY, "mask")
        return np.asarray(values == source.value, np.uint8)
    if isinstance(source, Pixels):
        return source.codes
    if isinstance(source, MatMask):
        return mat_mask(source)
    if source.height * source.width > MAX_PIXELS or min(source.height, source.width) <= 0:
        what = f"mask of {source.width} x {source.height} pixels cannot be drawn"
        raise DataError([Problem(what, remedy="correct the image's size")])
    return fill(source) if isinstance(source, Polygons) else expand(source)


def _resize(pixels: Array, size: tuple[int, int]) -> Array:
    if pixels.shape == (size[1], size[0]):
        return pixels
    return cv2.resize(pixels, size, interpolation=cv2.INTER_NEAREST)


def expand(runs: RunLengths) -> NDArray[np.uint8]:
    """Draw run lengths: column by column, background first."""
    counts = np.array(runs.counts, np.int64)
    if (counts < 0).any() or counts.sum() != runs.height * runs.width:
        what = f"run lengths do not cover {runs.width} x {runs.height} pixels"
        raise DataError([Problem(what, remedy="correct 'counts' or 'size' of the segmentation")])
    return np.ascontiguousarray(_alternate(counts).reshape(runs.width, runs.height).T)


def _alternate(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Write runs of zeros and ones in turn."""
    return np.repeat((np.arange(len(counts)) & 1).astype(np.uint8), counts)


def fill(outline: Polygons) -> NDArray[np.uint8]:
    """Fill the rings of an object, each on its own: what any of them covers is the object."""
    filled = np.zeros((outline.height, outline.width), np.uint8)
    for ring in outline.rings:
        filled |= fill_ring(ring, outline.height, outline.width)
    return filled


def fill_ring(ring: Sequence[float], height: int, width: int) -> NDArray[np.uint8]:
    """Fill a ring: a pixel is inside if its center is, by the even-odd rule.

    Each edge crosses the center line of some rows, and whatever lies right of a crossing changes
    sides. As a ring is closed, each row is crossed an even number of times, so that all rows
    can be written as one sequence of runs. A center that lies on an edge belongs to what is right
    of the edge or below it.
    """
    x0, y0, x1, y1 = _edges(ring)
    first = _first_center(np.minimum(y0, y1), height)
    last = _first_center(np.maximum(y0, y1), height)
    counts = last - first  # rows that each edge crosses; none if it is level
    edge = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(len(edge)) - np.repeat(np.cumsum(counts) - counts, counts) + first[edge]
    slope = (x1 - x0)[edge] / (y1 - y0)[edge]
    column = _first_center(x0[edge] + (row + 0.5 - y0[edge]) * slope, width)
    crossings = np.sort(row * (width + 1) + column)  # one column more, for crossings at the right
    runs = np.diff(crossings, prepend=0, append=height * (width + 1))
    return _alternate(runs).reshape(height, width + 1)[:, :width]


def _edges(ring: Sequence[float]) -> NDArray[np.float64]:
    """List the edges of a closed ring as x0, y0, x1, y1."""
    points = np.array(ring, np.float64).reshape(-1, 2)
    return np.hstack([points, np.roll(points, -1, axis=0)]).T  # (4, number of edges)


def _first_center(positions: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Find the first pixel whose center is not before a position, at most `count`."""
    return np.clip(np.ceil(positions - 0.5), 0, count).astype(np.int64)

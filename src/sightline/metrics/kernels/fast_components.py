"""From a map of integer levels to boxes, for all thresholds at once.

The tree of `component_tree.py` turns a map into *segments*: boxes, each with the lowest and the
highest threshold for which it stands. Everything that is asked of boxes later (the best IoU at each
threshold, the largest component) is a maximum over such ranges.

Holes are components of the background that do not touch the map's edge: the same tree on the
inverted map. `reference.py` defines all of this without a tree.
"""

import numpy as np

from sightline.compiled import compiled
from sightline.metrics.kernels.component_tree import (
    AREA,
    FIRST,
    HIGH,
    LOW,
    X0,
    X1,
    Y0,
    Y1,
    grow,
)
from sightline.metrics.kernels.hole_filling import fill_holes
from sightline.metrics.kernels.neighbourhood import (
    pieces_table,
    pixel_area_table,
    polygon_area_table,
    roles_table,
)
from sightline.metrics.kernels.pixel_order import Ints, Table, end_of

__all__ = [
    "AREA",
    "FIRST",
    "HIGH",
    "LOW",
    "X0",
    "X1",
    "Y0",
    "Y1",
    "Ints",
    "all_contours",
    "largest_component",
    "largest_polygon",
]


@compiled
def _holes_of(background: Ints, height: int, width: int, top: int) -> Ints:
    """Turn segments of the inverted map into holes: away from the edge, wrapped by a pixel.

    A hole's border runs through the foreground around it, hence the wider box. On the inverted
    map the threshold k reads top + 1 - k.
    """
    holes = np.empty_like(background)
    count = 0
    for i in range(len(background)):
        x0, y0, x1, y1 = background[i, X0], background[i, Y0], background[i, X1], background[i, Y1]
        if x0 > 0 and y0 > 0 and x1 < width - 1 and y1 < height - 1:
            holes[count, X0], holes[count, Y0] = x0 - 1, y0 - 1
            holes[count, X1], holes[count, Y1] = x1 + 1, y1 + 1
            holes[count, LOW] = top + 1 - background[i, HIGH]
            holes[count, HIGH] = top + 1 - background[i, LOW]
            holes[count, AREA] = holes[count, FIRST] = 0
            if holes[count, LOW] <= top:
                holes[count, HIGH] = min(holes[count, HIGH], top)
                count += 1
    return holes[:count]


@compiled
def _first_come(ranked: Ints, top: int) -> Ints:
    """Give each threshold the first segment in a list whose range holds it.

    `free` leads from a threshold to the next one, at or above it, that has no segment yet.
    """
    free = np.empty(top + 2, np.int32)
    for k in range(top + 2):
        free[k] = k
    winners = np.empty((top + 1, 8), np.int32)
    for i in range(len(ranked)):
        k = end_of(free, ranked[i, LOW])
        while k <= ranked[i, HIGH]:
            for column in range(8):
                winners[k, column] = ranked[i, column]
            winners[k, LOW] = winners[k, HIGH] = k
            free[k] = k + 1
            k = end_of(free, k)
    return winners


def _largest(segments: Ints, top: int, *, last_wins: bool) -> Ints:
    """Keep for each threshold the segment of the largest area, ties by their first pixel."""
    first = segments[:, FIRST].astype(np.int64)
    key = (segments[:, AREA].astype(np.int64) << 32) + (first if last_wins else -first)
    return _first_come(segments[np.argsort(-key)], top)


def _grown(levels: Ints, top: int, connectivity: int, growth: Table | None) -> Ints:
    pieces, roles = pieces_table(connectivity), roles_table(connectivity)
    area = pixel_area_table() if growth is None else growth
    return grow(levels, top, pieces, roles, area, growth is not None)


def all_contours(levels: Ints, top: int, *, connectivity: int, holes: bool) -> Ints:
    """List the boxes of all components, and of all holes if wanted, with their thresholds."""
    outer = _grown(levels, top, connectivity, None)
    if not holes or top == 0:
        return outer
    background = _grown(top - levels, top, 12 - connectivity, None)
    height, width = levels.shape
    return np.concatenate([outer, _holes_of(background, height, width, top)])


def largest_polygon(levels: Ints, top: int) -> Ints:
    """Give the box of the contour with the largest polygon area at each threshold.

    The polygon of an outer contour encloses the holes; of equal areas the one that starts last in
    reading order counts, which is the first that OpenCV returns. A hole's contour never wins: its
    polygon is at most as large as the outer one, which is listed before it.
    """
    filled = fill_holes(levels, top, pieces_table(4), roles_table(4))
    return _largest(_grown(filled, top, 8, polygon_area_table()), top, last_wins=True)


def largest_component(levels: Ints, top: int, *, connectivity: int) -> Ints:
    """Give the box of the component with the most pixels at each threshold, ties to the first."""
    return _largest(_grown(levels, top, connectivity, pixel_area_table()), top, last_wins=False)

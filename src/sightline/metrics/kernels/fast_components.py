"""From a map of integer levels to boxes, for all thresholds at once.

At threshold k the foreground is every pixel of level k or more. As k falls, pixels are added and
components appear, grow and merge: a tree. A component keeps its bounding box over a range of
thresholds, so that a whole map becomes a list of *segments*: a box with the lowest and the highest
k for which it stands. Everything that is asked of boxes later (the best IoU at each threshold, the
largest component) is a maximum over such ranges.

Holes are components of the background that do not touch the image's edge: the same tree on the
inverted map. `reference.py` defines all of this without a tree.
"""

import numpy as np
from numpy.typing import NDArray

from sightline.metrics.kernels.compiled import compiled
from sightline.metrics.kernels.neighbourhood import (
    NO_PIECE,
    pieces_table,
    pixel_area_table,
    polygon_area_table,
)

Ints = NDArray[np.int32]
Table = NDArray[np.uint8]

X0, Y0, X1, Y1, LOW, HIGH, AREA, FIRST = range(8)  # the columns of a segment, boxes inclusive
SINCE = HIGH  # while a component grows: the threshold from which on its box stands
FRAME = -1


@compiled
def _framed(levels: Ints) -> Ints:
    """Put a frame around a map, lower than every level, so that no neighbour lies outside."""
    height, width = levels.shape
    out = np.full((height + 2, width + 2), FRAME, np.int32)
    out[1:-1, 1:-1] = levels
    return out


@compiled
def _descending_order(frame: Ints, top: int) -> Ints:
    """List all pixels by falling level, equal ones in reading order, as y << 16 | x."""
    height, width = frame.shape
    start = np.zeros(top + 2, np.int32)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            start[top - frame[y, x] + 1] += 1
    for i in range(top + 1):
        start[i + 1] += start[i]
    order = np.empty((height - 2) * (width - 2), np.int32)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            bucket = top - frame[y, x]
            order[start[bucket]] = y << 16 | x
            start[bucket] += 1
    return order


@compiled
def _neighbour_states(frame: Ints) -> Table:
    """Give for each pixel the bits of those neighbours that precede it in that order."""
    height, width = frame.shape
    states = np.zeros((height, width), np.uint8)
    for y in range(1, height - 1):
        above, here, below, out = frame[y - 1], frame[y], frame[y + 1], states[y]
        for x in range(1, width - 1):
            level = here[x]
            out[x] = (
                np.uint8(above[x] >= level)
                | np.uint8(above[x + 1] >= level) << 1
                | np.uint8(here[x + 1] > level) << 2
                | np.uint8(below[x + 1] > level) << 3
                | np.uint8(below[x] > level) << 4
                | np.uint8(below[x - 1] > level) << 5
                | np.uint8(here[x - 1] >= level) << 6
                | np.uint8(above[x - 1] >= level) << 7
            )
    return states


@compiled
def _root(parent: Ints, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@compiled
def _close(components: Ints, root: int, level: int, segments: Ints, count: int) -> int:
    """End a component's current segment above a level, unless it began at this very level."""
    if components[root, SINCE] > level:
        for column in range(8):
            segments[count, column] = components[root, column]
        segments[count, LOW] = level + 1
        components[root, SINCE] = level
        count += 1
    return count


@compiled
def _outgrows(components: Ints, root: int, x0: int, y0: int, x1: int, y1: int) -> bool:
    return bool(
        x0 < components[root, X0]
        or y0 < components[root, Y0]
        or x1 > components[root, X1]
        or y1 > components[root, Y1]
    )


@compiled
def _extend(components: Ints, root: int, x0: int, y0: int, x1: int, y1: int) -> None:
    components[root, X0] = min(components[root, X0], x0)
    components[root, Y0] = min(components[root, Y0], y0)
    components[root, X1] = max(components[root, X1], x1)
    components[root, Y1] = max(components[root, Y1], y1)


@compiled
def _segments(levels: Ints, top: int, pieces: Table, growth: Table, by_area: bool) -> Ints:
    """Follow the components from the highest threshold down to 0.

    `pieces` names one neighbour for each separate piece around a pixel and `growth` the area that
    the pixel adds, both by the state of its neighbours. With `by_area` a segment also ends when
    the area changes, not only when the box does.
    """
    frame = _framed(levels)
    width = frame.shape[1]
    order, states = _descending_order(frame, top), _neighbour_states(frame).ravel()
    level_of = frame.ravel()
    steps = np.array([-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width])
    parent = np.empty(frame.size, np.int32)
    components = np.empty((frame.size, 8), np.int32)  # used at roots alone
    segments = np.empty((2 * order.size + 1, 8), np.int32)
    count = 0
    root = 0
    for i in range(order.size):
        y, x = order[i] >> 16, order[i] & 0xFFFF
        pixel = y * width + x
        level, state = level_of[pixel], states[pixel]
        piece = pieces[state, 0]
        if piece == NO_PIECE:
            parent[pixel] = root = pixel
            components[root, X0] = components[root, X1] = x
            components[root, Y0] = components[root, Y1] = y
            components[root, SINCE] = level
            components[root, AREA] = growth[state]
            components[root, FIRST] = pixel
            continue
        root = _root(parent, pixel + steps[piece])
        for j in range(1, 4):
            piece = pieces[state, j]
            if piece == NO_PIECE:
                break
            other = _root(parent, pixel + steps[piece])
            if other == root:
                continue
            if components[other, SINCE] > components[root, SINCE]:
                root, other = other, root
            x0, y0 = components[other, X0], components[other, Y0]
            x1, y1 = components[other, X1], components[other, Y1]
            count = _close(components, other, level, segments, count)
            if by_area or _outgrows(components, root, x0, y0, x1, y1):
                count = _close(components, root, level, segments, count)
                _extend(components, root, x0, y0, x1, y1)
            components[root, AREA] += components[other, AREA]
            components[root, FIRST] = min(components[root, FIRST], components[other, FIRST])
            parent[other] = root
        parent[pixel] = root
        if by_area or _outgrows(components, root, x, y, x, y):
            count = _close(components, root, level, segments, count)
            _extend(components, root, x, y, x, y)
            components[root, AREA] += growth[state]
            components[root, FIRST] = min(components[root, FIRST], pixel)
    count = _close(components, root, -1, segments, count)
    for i in range(count):
        for column in range(4):
            segments[i, column] -= 1  # out of the frame
    return segments[:count]


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
def _fill_holes(levels: Ints, top: int) -> Ints:
    """Raise every pixel to the highest threshold at which no background path leads out.

    A path to the edge (4-connected) is open at threshold k if all its levels lie below k, so the
    answer is the smallest over all paths of the largest level on them. Flooding from the edge in
    rising order finds it.
    """
    height, width = levels.shape
    filled = np.full((height, width), -1, np.int32)
    first = np.full(top + 1, -1, np.int32)  # a linked list of waiting pixels for each level
    following = np.empty(height * width, np.int32)
    for y in range(height):
        for x in range(width):
            if y == 0 or x == 0 or y == height - 1 or x == width - 1:
                level = filled[y, x] = levels[y, x]
                following[y * width + x] = first[level]
                first[level] = y * width + x
    for level in range(top + 1):
        while first[level] >= 0:
            pixel = first[level]
            first[level] = following[pixel]
            y, x = pixel // width, pixel % width
            for step in range(4):
                ny = y + (step == 0) - (step == 1)
                nx = x + (step == 2) - (step == 3)
                if 0 <= ny < height and 0 <= nx < width and filled[ny, nx] < 0:
                    reached = filled[ny, nx] = max(level, levels[ny, nx])
                    following[ny * width + nx] = first[reached]
                    first[reached] = ny * width + nx
    return filled


@compiled
def _largest_first(segments: Ints, top: int, last_wins: bool) -> Ints:
    """Keep for each threshold the segment of the largest area.

    Segments are taken from the largest to the smallest; each covers the thresholds of its range
    that are still free. `free` leads from a threshold to the next free one at or above it.
    """
    order = np.empty(len(segments), np.int64)
    for i in range(len(segments)):
        tie = segments[i, FIRST] if last_wins else -segments[i, FIRST]
        order[i] = -((np.int64(segments[i, AREA]) << 32) + tie)
    ranked = np.argsort(order)
    free = np.arange(top + 2).astype(np.int32)
    winners = np.empty((top + 1, 8), np.int32)
    for i in ranked:
        k = _root(free, segments[i, LOW])
        while k <= segments[i, HIGH]:
            for column in range(8):
                winners[k, column] = segments[i, column]
            winners[k, LOW] = winners[k, HIGH] = k
            free[k] = k + 1
            k = _root(free, k)
    return winners


def all_contours(levels: Ints, top: int, *, connectivity: int, holes: bool) -> Ints:
    """List the boxes of all components, and of all holes if wanted, with their thresholds."""
    growth = pixel_area_table()
    outer = _segments(levels, top, pieces_table(connectivity), growth, False)
    if not holes or top == 0:
        return outer
    background = _segments(top - levels, top, pieces_table(12 - connectivity), growth, False)
    height, width = levels.shape
    return np.concatenate([outer, _holes_of(background, height, width, top)])


def largest_polygon(levels: Ints, top: int) -> Ints:
    """Give the box of the contour with the largest polygon area at each threshold.

    The polygon of an outer contour encloses the holes; of equal areas the one that starts last in
    reading order counts, which is the first that OpenCV returns. A hole's contour never wins: its
    polygon is at most as large as the outer one, which is listed before it.
    """
    filled = _fill_holes(levels, top)
    segments = _segments(filled, top, pieces_table(8), polygon_area_table(), True)
    return _largest_first(segments, top, True)


def largest_component(levels: Ints, top: int, *, connectivity: int) -> Ints:
    """Give the box of the component with the most pixels at each threshold, ties to the first."""
    segments = _segments(levels, top, pieces_table(connectivity), pixel_area_table(), True)
    return _largest_first(segments, top, False)

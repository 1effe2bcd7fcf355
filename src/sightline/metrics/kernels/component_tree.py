"""Growing components from the highest level down: the tree behind all boxes of a map.

At threshold k the foreground is every pixel of level k or more. As k falls, pixels are added and
components appear, grow and merge. A component keeps its bounding box over a range of thresholds: a
*segment*. Hardly any pixel of a smooth map does more than join the one component that it touches;
`neighbourhood.py` tells from its neighbours alone which ones may, and only those are visited.
"""

import numpy as np

from sightline.compiled import compiled
from sightline.metrics.kernels.neighbourhood import (
    HEIGHTEN,
    JOIN,
    LEAD,
    NO_PIECE,
    START,
    WIDEN,
)
from sightline.metrics.kernels.pixel_order import (
    Ints,
    Table,
    ascents,
    chosen_pixels,
    descending,
    end_of,
    framed,
    neighbour_states,
    steps_to_neighbours,
)

X0, Y0, X1, Y1, LOW, HIGH, AREA, FIRST = range(8)  # the columns of a segment, boxes inclusive
SINCE = HIGH  # while a component grows: the threshold from which on its box stands


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
def _absorb(
    components: Ints, root: int, other: int, level: int, by_area: bool, segments: Ints, count: int
) -> int:
    """Merge a component into another at a level."""
    x0, y0 = components[other, X0], components[other, Y0]
    x1, y1 = components[other, X1], components[other, Y1]
    count = _close(components, other, level, segments, count)
    if by_area or _outgrows(components, root, x0, y0, x1, y1):
        count = _close(components, root, level, segments, count)
        _extend(components, root, x0, y0, x1, y1)
    components[root, AREA] += components[other, AREA]
    components[root, FIRST] = min(components[root, FIRST], components[other, FIRST])
    return count


@compiled
def _bulk(
    frame: Ints, states: Table, above: Ints, roles: Table, wanted: int, growth: Table, top: int
) -> tuple[Ints, Ints]:
    """List what pixels without a wanted role add, level by level: summit << 3 | area.

    The second list says where each level begins, the highest first.
    """
    height, width = frame.shape
    start = np.zeros(top + 2, np.int32)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            start[top - frame[y, x] + 1] += (roles[states[y, x]] & wanted) == 0
    for i in range(top + 1):
        start[i + 1] += start[i]
    free = start.copy()
    added = np.empty(start[top + 1], np.int32)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            summit = above[above[y * width + x]]
            if above[summit] != summit:
                summit = end_of(above, y * width + x)
            above[y * width + x] = summit
            if (roles[states[y, x]] & wanted) == 0:
                bucket = top - frame[y, x]
                added[free[bucket]] = summit << 3 | growth[states[y, x]]
                free[bucket] += 1
    return added, start


@compiled
def _add_bulk(
    added: Ints, leader: Ints, components: Ints, level: int, segments: Ints, count: int
) -> int:
    """Add one level's bulk to the areas."""
    for item in added:  # calls cost more than what they do here, hence the questions before them
        root = leader[item >> 3]
        if leader[root] != root:
            root = end_of(leader, root)
        if components[root, SINCE] > level:
            count = _close(components, root, level, segments, count)
        components[root, AREA] += item & 7
    return count


@compiled
def grow(levels: Ints, top: int, pieces: Table, roles: Table, growth: Table, by_area: bool) -> Ints:
    """Follow the components from the highest threshold down to 0.

    The tables say, by the state of a pixel's neighbours, which separate pieces surround it, what
    it may do to a component, and how much area it adds. With `by_area` a segment also ends when
    the area or the first pixel changes, not only when the box does.
    """
    frame = framed(levels)
    width = frame.shape[1]
    states = neighbour_states(frame)
    above = ascents(states, pieces)
    steps = steps_to_neighbours(width)
    wanted = START | JOIN | WIDEN | HEIGHTEN | (LEAD if by_area else 0)
    visited = descending(chosen_pixels(states, roles, wanted, False), frame, top)
    leader = np.empty(frame.size, np.int32)  # of a summit: the one that stands for its component
    components = np.empty((frame.size, 8), np.int32)  # used at leaders alone
    if by_area:
        added, start = _bulk(frame, states, above, roles, wanted, growth, top)
    else:
        added, start = np.empty(0, np.int32), np.empty(0, np.int32)
    segments = np.empty((2 * (len(visited) + len(added)) + 1, 8), np.int32)
    count = 0
    root = 0
    current = top  # the level whose bulk comes next
    for packed in visited:
        y, x = packed >> 16, packed & 0xFFFF
        level, state, pixel = frame[y, x], states[y, x], y * width + x
        while by_area and current > level:
            part = added[start[top - current] : start[top - current + 1]]
            count = _add_bulk(part, leader, components, current, segments, count)
            current -= 1
        role = roles[state]
        if role & START:
            leader[pixel] = root = pixel
            components[root, X0] = components[root, X1] = x
            components[root, Y0] = components[root, Y1] = y
            components[root, SINCE] = level
            components[root, AREA] = growth[state]
            components[root, FIRST] = pixel
            continue
        root = end_of(leader, end_of(above, pixel))
        for j in range(1, 4):
            if pieces[state, j] == NO_PIECE:
                break
            other = end_of(leader, end_of(above, pixel + steps[pieces[state, j]]))
            if other != root:
                if components[other, SINCE] > components[root, SINCE]:
                    root, other = other, root
                count = _absorb(components, root, other, level, by_area, segments, count)
                leader[other] = root
        if by_area or _outgrows(components, root, x, y, x, y):
            count = _close(components, root, level, segments, count)
            _extend(components, root, x, y, x, y)
            components[root, AREA] += growth[state]
            components[root, FIRST] = min(components[root, FIRST], pixel)
    while by_area and current >= 0:
        part = added[start[top - current] : start[top - current + 1]]
        count = _add_bulk(part, leader, components, current, segments, count)
        current -= 1
    count = _close(components, end_of(leader, root), -1, segments, count)
    for i in range(count):
        for column in range(4):
            segments[i, column] -= 1  # out of the frame
    return segments[:count]

"""Growing components from the highest level down: the tree behind all boxes of a map.

At threshold k the foreground is every pixel of level k or more. As k falls, pixels are added and
components appear, grow and merge. A component keeps its bounding box over a range of thresholds: a
*segment*. Hardly any pixel of a smooth map does more than join the one component that it touches;
`neighbourhood.py` tells from its neighbours alone which ones may, and only those are visited.
"""

import numpy as np
from numpy.typing import NDArray

from sightline.metrics.kernels.compiled import compiled
from sightline.metrics.kernels.neighbourhood import (
    HEIGHTEN,
    JOIN,
    LEAD,
    NO_PIECE,
    START,
    WIDEN,
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
    for y in range(height):
        for x in range(width):
            out[y + 1, x + 1] = levels[y, x]
    return out


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
def _steps(width: int) -> NDArray[np.int64]:
    """Give the distance of each neighbour in an array of that width."""
    return np.array([-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width])


@compiled
def _ascents(states: Table, pieces: Table) -> Ints:
    """Lead each pixel to a neighbour that precedes it, and so on to the summit where it ends.

    A summit leads to itself. All pixels on such a path belong to one component from the moment
    that the path's lowest pixel is added.
    """
    height, width = states.shape
    steps = _steps(width)
    step_of = np.zeros(256, np.int32)
    for state in range(256):
        if pieces[state, 0] != NO_PIECE:
            step_of[state] = steps[pieces[state, 0]]
    above = np.empty(height * width, np.int32)
    for y in range(height):
        for x in range(width):
            above[y * width + x] = y * width + x + step_of[states[y, x]]
    return above


@compiled
def end_of(links: Ints, node: int) -> int:
    """Follow links to the node that leads to itself, and shorten them on the way."""
    end = node
    while links[end] != end:
        end = links[end]
    while links[node] != end:
        links[node], node = end, links[node]
    return end


@compiled
def _chosen(states: Table, roles: Table, wanted: int, edge: bool) -> Ints:
    """List the pixels with a role, and on the edge if wanted, in reading order as y << 16 | x."""
    height, width = states.shape
    chosen = np.empty((height - 2) * (width - 2), np.int32)
    count = 0
    for y in range(1, height - 1):
        whole = edge and (y == 1 or y == height - 2)
        for x in range(1, width - 1):
            chosen[count] = y << 16 | x
            at_end = edge and (x == 1 or x == width - 2)
            count += whole or at_end or (roles[states[y, x]] & wanted) != 0
    return chosen[:count]


@compiled
def _descending(pixels: Ints, frame: Ints, top: int) -> Ints:
    """Sort pixels by falling level, equal ones in the order given."""
    start = np.zeros(top + 2, np.int32)
    for packed in pixels:
        start[top - frame[packed >> 16, packed & 0xFFFF] + 1] += 1
    for i in range(top + 1):
        start[i + 1] += start[i]
    ordered = np.empty(len(pixels), np.int32)
    for packed in pixels:
        bucket = top - frame[packed >> 16, packed & 0xFFFF]
        ordered[start[bucket]] = packed
        start[bucket] += 1
    return ordered


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
    frame = _framed(levels)
    width = frame.shape[1]
    states = _neighbour_states(frame)
    above = _ascents(states, pieces)
    steps = _steps(width)
    wanted = START | JOIN | WIDEN | HEIGHTEN | (LEAD if by_area else 0)
    visited = _descending(_chosen(states, roles, wanted, False), frame, top)
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


@compiled
def fill_holes(levels: Ints, top: int, pieces: Table, roles: Table) -> Ints:
    """Raise every pixel to the highest threshold at which it is foreground or enclosed by it.

    A background component (4-connected) is a hole until it touches the map's edge. On the inverted
    map it grows like any component, and opens at the level at which it reaches the edge or joins
    one that does. Up to that threshold all of it counts as filled.
    """
    frame = _framed(top - levels)
    height, width = frame.shape
    states = _neighbour_states(frame)
    above = _ascents(states, pieces)
    steps = _steps(width)
    leader = np.empty(frame.size, np.int32)
    is_open = np.zeros(frame.size, np.bool_)
    filled = levels.copy()
    waiting = np.empty(levels.size, np.int32)
    joined = np.empty(frame.size, np.int32)  # holes that joined holes at the current level
    count = 0
    current = top
    for packed in _descending(_chosen(states, roles, START | JOIN, True), frame, top):
        y, x = packed >> 16, packed & 0xFFFF
        state, pixel = states[y, x], y * width + x
        if frame[y, x] < current:
            _raise_opened(filled, joined[:count], leader, is_open, width, top - current, waiting)
            count, current = 0, frame[y, x]
        if roles[state] & START:
            leader[pixel] = pixel
        root = end_of(leader, end_of(above, pixel))
        edge = y == 1 or x == 1 or y == height - 2 or x == width - 2
        for j in range(1, 4):
            if pieces[state, j] == NO_PIECE:
                break
            other = end_of(leader, end_of(above, pixel + steps[pieces[state, j]]))
            if other == root:
                continue
            if is_open[other] and not is_open[root]:
                root, other = other, root
            if is_open[root] and not is_open[other]:
                _raise(filled, other, width, top - current, waiting)
            elif not is_open[root]:
                joined[count] = other
                count += 1
            leader[other] = root
        if edge and not is_open[root]:
            _raise(filled, root, width, top - current, waiting)
            is_open[root] = True
    _raise_opened(filled, joined[:count], leader, is_open, width, top - current, waiting)
    return filled


@compiled
def _raise_opened(
    filled: Ints,
    joined: Ints,
    leader: Ints,
    is_open: NDArray[np.bool_],
    width: int,
    level: int,
    waiting: Ints,
) -> None:
    """Raise holes that were joined by pixels of a level and opened at the same level.

    Their summits do not lead to one another below that level, so that each is raised on its own.
    """
    for summit in joined:
        if is_open[end_of(leader, summit)]:
            _raise(filled, summit, width, level, waiting)


@compiled
def _raise(filled: Ints, summit: int, width: int, level: int, waiting: Ints) -> None:
    """Raise a hole to the level at which it opens: all that lies below it around its summit."""
    y, x = summit // width - 1, summit % width - 1
    if filled[y, x] >= level:
        return
    filled[y, x] = level
    waiting[0] = y << 16 | x
    count = 1
    while count:
        count -= 1
        y, x = waiting[count] >> 16, waiting[count] & 0xFFFF
        for step in range(4):
            ny = y + (step == 0) - (step == 1)
            nx = x + (step == 2) - (step == 3)
            inside = 0 <= ny < filled.shape[0] and 0 <= nx < filled.shape[1]
            if inside and filled[ny, nx] < level:
                filled[ny, nx] = level
                waiting[count] = ny << 16 | nx
                count += 1

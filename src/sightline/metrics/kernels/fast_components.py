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
    HEIGHTEN,
    JOIN,
    LEAD,
    NO_PIECE,
    START,
    WIDEN,
    pieces_table,
    pixel_area_table,
    polygon_area_table,
    roles_table,
)

Ints = NDArray[np.int32]
Table = NDArray[np.uint8]

X0, Y0, X1, Y1, LOW, HIGH, AREA, FIRST = range(8)  # the columns of a segment, boxes inclusive
SINCE = HIGH  # while a component grows: the threshold from which on its box stands
FRAME = -1
CLOSED = -1


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
def _end(links: Ints, node: int) -> int:
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
                summit = _end(above, y * width + x)
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
            root = _end(leader, root)
        if components[root, SINCE] > level:
            count = _close(components, root, level, segments, count)
        components[root, AREA] += item & 7
    return count


@compiled
def _segments(
    levels: Ints, top: int, pieces: Table, roles: Table, growth: Table, by_area: bool
) -> Ints:
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
        root = _end(leader, _end(above, pixel))
        for j in range(1, 4):
            if pieces[state, j] == NO_PIECE:
                break
            other = _end(leader, _end(above, pixel + steps[pieces[state, j]]))
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
    count = _close(components, _end(leader, root), -1, segments, count)
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
def _fill_holes(levels: Ints, top: int, pieces: Table, roles: Table) -> Ints:
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
    opens = np.full(frame.size, CLOSED, np.int32)  # the level at which a leader's component opens
    merged = np.empty(frame.size, np.int32)  # leaders absorbed while closed, in the order of time
    absorber = np.empty(frame.size, np.int32)
    count = 0
    for packed in _descending(_chosen(states, roles, START | JOIN, True), frame, top):
        y, x = packed >> 16, packed & 0xFFFF
        level, state, pixel = frame[y, x], states[y, x], y * width + x
        if roles[state] & START:
            leader[pixel] = pixel
        root = _end(leader, _end(above, pixel))
        for j in range(1, 4):
            if pieces[state, j] == NO_PIECE:
                break
            other = _end(leader, _end(above, pixel + steps[pieces[state, j]]))
            if other == root:
                continue
            if opens[other] != CLOSED:
                root, other = other, root
            leader[other] = root
            if opens[other] == CLOSED and opens[root] != CLOSED:
                opens[other] = level
            elif opens[other] == CLOSED:
                merged[count], absorber[other] = other, root
                count += 1
        edge = y == 1 or x == 1 or y == height - 2 or x == width - 2
        if edge and opens[root] == CLOSED:
            opens[root] = level
    for i in range(count - 1, -1, -1):
        opens[merged[i]] = opens[absorber[merged[i]]]
    filled = np.empty_like(levels)
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            summit = above[above[y * width + x]]
            if above[summit] != summit:
                summit = _end(above, y * width + x)
            above[y * width + x] = summit
            opened = top - opens[summit]
            filled[y - 1, x - 1] = max(levels[y - 1, x - 1], opened)
    return filled


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
        k = _end(free, ranked[i, LOW])
        while k <= ranked[i, HIGH]:
            for column in range(8):
                winners[k, column] = ranked[i, column]
            winners[k, LOW] = winners[k, HIGH] = k
            free[k] = k + 1
            k = _end(free, k)
    return winners


def _largest(segments: Ints, top: int, *, last_wins: bool) -> Ints:
    """Keep for each threshold the segment of the largest area, ties by their first pixel."""
    first = segments[:, FIRST].astype(np.int64)
    key = (segments[:, AREA].astype(np.int64) << 32) + (first if last_wins else -first)
    return _first_come(segments[np.argsort(-key)], top)


def _grown(levels: Ints, top: int, connectivity: int, growth: Table | None) -> Ints:
    pieces, roles = pieces_table(connectivity), roles_table(connectivity)
    area = pixel_area_table() if growth is None else growth
    return _segments(levels, top, pieces, roles, area, growth is not None)


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
    filled = _fill_holes(levels, top, pieces_table(4), roles_table(4))
    return _largest(_grown(filled, top, 8, polygon_area_table()), top, last_wins=True)


def largest_component(levels: Ints, top: int, *, connectivity: int) -> Ints:
    """Give the box of the component with the most pixels at each threshold, ties to the first."""
    return _largest(_grown(levels, top, connectivity, pixel_area_table()), top, last_wins=False)

"""Filling holes at all thresholds at once: what an outline encloses belongs to it."""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled
from sightline.metrics.kernels.neighbourhood import JOIN, NO_PIECE, START
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


@compiled
def fill_holes(levels: Ints, top: int, pieces: Table, roles: Table) -> Ints:
    """Raise every pixel to the highest threshold at which it is foreground or enclosed by it.

    A background component (4-connected) is a hole until it touches the map's edge. On the inverted
    map it grows like any component, and opens at the level at which it reaches the edge or joins
    one that does. Up to that threshold all of it counts as filled.
    """
    frame = framed(top - levels)
    height, width = frame.shape
    states = neighbour_states(frame)
    above = ascents(states, pieces)
    steps = steps_to_neighbours(width)
    leader = np.empty(frame.size, np.int32)
    is_open = np.zeros(frame.size, np.bool_)
    filled = levels.copy()
    waiting = np.empty(levels.size, np.int32)
    joined = np.empty(frame.size, np.int32)  # holes that joined holes at the current level
    count = 0
    current = top
    for packed in descending(chosen_pixels(states, roles, START | JOIN, True), frame, top):
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

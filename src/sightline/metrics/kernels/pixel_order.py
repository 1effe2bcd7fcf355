"""The order in which a tree takes pixels, and what each finds around it when its turn comes.

Pixels are taken by falling level, equal ones in reading order. Arrays carry a frame one pixel wide,
so that no neighbour lies outside. A position is packed as y << 16 | x.
"""

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled
from sightline.metrics.kernels.neighbourhood import NO_PIECE

Ints = NDArray[np.int32]
Table = NDArray[np.uint8]

FRAME = -1


@compiled
def framed(levels: Ints) -> Ints:
    """Put a frame around a map, lower than every level, so that no neighbour lies outside."""
    height, width = levels.shape
    out = np.full((height + 2, width + 2), FRAME, np.int32)
    for y in range(height):
        for x in range(width):
            out[y + 1, x + 1] = levels[y, x]
    return out


@compiled
def neighbour_states(frame: Ints) -> Table:
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
def steps_to_neighbours(width: int) -> NDArray[np.int64]:
    """Give the distance of each neighbour in an array of that width."""
    return np.array([-width, 1 - width, 1, 1 + width, width, width - 1, -1, -1 - width])


@compiled
def ascents(states: Table, pieces: Table) -> Ints:
    """Lead each pixel to a neighbour that precedes it, and so on to the summit where it ends.

    A summit leads to itself. All pixels on such a path belong to one component from the moment
    that the path's lowest pixel is added.
    """
    height, width = states.shape
    steps = steps_to_neighbours(width)
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
def chosen_pixels(states: Table, roles: Table, wanted: int, edge: bool) -> Ints:
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
def descending(pixels: Ints, frame: Ints, top: int) -> Ints:
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

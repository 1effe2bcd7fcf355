"""What adding one pixel to a set does, for each of the 256 states of its eight neighbours.

A component tree is built by adding pixels in the order of their level. Nearly always the
neighbours that are already there hang together, so that the new pixel joins one component and
nothing merges. These tables say so from the neighbours' state alone; only the rare pixel that
touches several separate pieces has to ask which components they belong to.

Neighbours are numbered clockwise from the one above: N, NE, E, SE, S, SW, W, NW. Bit i of a state
is set where neighbour i is in the set.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

STEPS = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # (dy, dx)
EDGE_NEIGHBOURS = (0, 2, 4, 6)
NO_PIECE = 255

Table = NDArray[np.uint8]


def _touch(first: int, second: int, connectivity: int) -> bool:
    (ay, ax), (by, bx) = STEPS[first], STEPS[second]
    dy, dx = abs(ay - by), abs(ax - bx)
    return max(dy, dx) == 1 if connectivity == 8 else dy + dx == 1


def _pieces(state: int, connectivity: int) -> list[list[int]]:
    """Split the neighbours of a state into connected pieces that touch the centre."""
    left = [i for i in range(8) if state >> i & 1]
    pieces = []
    while left:
        piece = [left.pop(0)]
        for member in piece:
            joined = [i for i in left if _touch(member, i, connectivity)]
            piece += joined
            left = [i for i in left if i not in joined]
        if connectivity == 8 or any(i in EDGE_NEIGHBOURS for i in piece):
            pieces.append(piece)
    return pieces


def _representative(piece: list[int], connectivity: int) -> int:
    if connectivity == 8:
        return piece[0]
    return next(i for i in piece if i in EDGE_NEIGHBOURS)


@cache
def pieces_table(connectivity: int) -> Table:
    """Give one neighbour for each separate piece around the centre, NO_PIECE after the last."""
    table = np.full((256, 4), NO_PIECE, np.uint8)
    for state in range(256):
        for i, piece in enumerate(_pieces(state, connectivity)):
            table[state, i] = _representative(piece, connectivity)
    return table


# What a pixel may do to a component when it joins, as bits.
START = 1  # it begins one
JOIN = 2  # it touches several pieces, which may belong to different components
WIDEN = 4  # it may reach a new column
HEIGHTEN = 8  # it may reach a new row
LEAD = 16  # it may come first in reading order: none of its neighbours before it is there yet


@cache
def roles_table(connectivity: int) -> Table:
    """Tell what a pixel may do besides joining the one component that it touches.

    In a smooth map hardly any pixel does anything. A pixel below or above one that is there
    already adds no column, since both belong to one component; likewise for rows.
    """
    before = 0b11000011 if connectivity == 8 else 0b01000001  # NW, W, NE, N or W, N
    table = np.zeros(256, np.uint8)
    for state in range(256):
        count = len(_pieces(state, connectivity))
        north, east, south, west = (state >> i & 1 for i in EDGE_NEIGHBOURS)
        table[state] = (
            START * (count == 0)
            + JOIN * (count > 1)
            + WIDEN * (count > 0 and not north and not south)
            + HEIGHTEN * (count > 0 and not west and not east)
            + LEAD * (count > 0 and not state & before)
        )
    return table


@cache
def polygon_area_table() -> Table:
    """Give twice the growth of the area inside the border polygon when the centre is added.

    The border runs through pixel centres. Of each square of four pixels, three in the set
    enclose half a unit and four a whole one; so the centre adds half a unit for each of its
    four squares in which at least two of the other three pixels are in the set.
    """
    table = np.zeros(256, np.uint8)
    for state in range(256):
        for corner in (1, 3, 5, 7):
            others = (corner - 1, corner, (corner + 1) % 8)
            table[state] += sum(state >> i & 1 for i in others) >= 2
    return table


@cache
def pixel_area_table() -> Table:
    """Give the growth of the pixel count: one, whatever the neighbours."""
    return np.ones(256, np.uint8)

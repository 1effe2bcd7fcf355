"""Species as points: outlines parsed once, posed and placed for each scene.

Coordinates are doubles under plain sums and products only, in a fixed order, and end as fixed-point
numbers: so they agree between machines.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.data.pond.anatomy import Mark, Part, Species, View

STEPS = 6  # points a stretch of curve between two given ones
SHIFT = 4  # fixed-point bits of a pixel
GRID = 512  # on which marks are compared with their parts
Points = NDArray[np.int32]  # (M, 2) in 1/16 pixel
Matrix = tuple[float, float, float, float, float, float]  # x' = a x + b y + c, y' = d x + e y + f
IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """A stretch of the points: an outline of a part or a mark on it."""

    part: int
    start: int
    stop: int
    colour: str
    is_mark: bool
    line: float
    leaves: bool = False  # a mark that reaches beyond its part, whose mask it then adds to


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A view of a species as points, scaled to length 1 around the middle of its box."""

    parts: tuple[Part, ...]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    part_of_point: NDArray[np.intp]
    shapes: tuple[Shape, ...]
    is_body: NDArray[np.bool_]  # whether a point is of a part's outline, not of a mark
    scale: float  # own units in one length
    middle: tuple[float, float]
    carriers: tuple[int, ...]  # the part that carries each part, or -1


@cache
def figure(species: Species, view: int) -> Figure:
    """Parse a view's outlines."""
    shown: View = species.views[view]
    curves: list[NDArray[np.float64]] = []
    shapes: list[Shape] = []
    at = 0
    for index, part in enumerate(shown.parts):
        for colour, text, line, is_mark in _painted(part):
            for piece in text.split("|"):
                curve = curve_of(piece, closed=line == 0)
                shapes.append(Shape(index, at, at + len(curve), colour, is_mark, line))
                curves.append(curve)
                at += len(curve)
    points = np.concatenate(curves)
    low, high = _extent(points, shapes)
    scale = float((high - low).max())
    middle = (low + high) / 2
    owner = np.concatenate([np.full(s.stop - s.start, s.part) for s in shapes])
    names = [part.name for part in shown.parts]
    x, y = (points[:, 0] - middle[0]) / scale, (points[:, 1] - middle[1]) / scale
    return Figure(
        shown.parts,
        x,
        y,
        owner.astype(np.intp),
        tuple(replace(s, leaves=s.is_mark and _leaves(s, shapes, x, y, scale)) for s in shapes),
        np.concatenate([np.full(s.stop - s.start, not s.is_mark) for s in shapes]),
        scale,
        (float(middle[0]), float(middle[1])),
        tuple(names.index(part.on) if part.on else -1 for part in shown.parts),
    )


def _leaves(
    mark: Shape,
    shapes: list[Shape],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    scale: float,
) -> bool:
    """Tell whether any of a mark lies beside its part, on a grid of some hundred cells."""
    points = fixed(GRID * (0.6 * x + 0.5), GRID * (0.6 * y + 0.5))
    part, own = np.zeros((2, GRID, GRID), np.uint8)
    for shape in shapes:
        if shape.part == mark.part and not shape.is_mark:
            cv2.fillPoly(part, [points[shape.start : shape.stop]], 1, cv2.LINE_8, SHIFT)
    outline = [points[mark.start : mark.stop]]
    if mark.line:
        width = max(1, round(0.6 * GRID * mark.line / scale))
        cv2.polylines(own, outline, False, 1, width, cv2.LINE_8, SHIFT)
    else:
        cv2.fillPoly(own, outline, 1, cv2.LINE_8, SHIFT)
    return bool((own > part).any())


def _painted(part: Part) -> list[tuple[str, str, float, bool]]:
    marks: tuple[Mark, ...] = part.marks
    painted = [(mark.colour, mark.outline, mark.line, True) for mark in marks]
    return [(part.colour, part.outline, 0.0, False), *painted]


def _extent(
    points: NDArray[np.float64], shapes: list[Shape]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    body = np.concatenate([points[s.start : s.stop] for s in shapes if not s.is_mark])
    return body.min(axis=0), body.max(axis=0)


def curve_of(text: str, closed: bool) -> NDArray[np.float64]:
    """Draw a smooth curve through points (Catmull-Rom), with corners where `!` says so."""
    tokens = text.split()
    corners = [token.endswith("!") for token in tokens]
    given = [tuple(float(v) for v in token.rstrip("!").split(",")) for token in tokens]
    count = len(given)
    if not closed:
        corners[0] = corners[-1] = True
    curve: list[tuple[float, float]] = []
    for i in range(count if closed else count - 1):
        p1, p2 = given[i], given[(i + 1) % count]
        p0 = p1 if corners[i] else given[i - 1]
        p3 = p2 if corners[(i + 1) % count] else given[(i + 2) % count]
        straight = corners[i] and corners[(i + 1) % count]
        for step in range(1 if straight else STEPS):
            t = step / STEPS
            curve.append(
                (_spline(p0[0], p1[0], p2[0], p3[0], t), _spline(p0[1], p1[1], p2[1], p3[1], t))
            )
    if not closed:
        curve.append((given[-1][0], given[-1][1]))
    return np.array(curve)


def _spline(p0: float, p1: float, p2: float, p3: float, t: float) -> float:
    a = 2 * p1
    b = p2 - p0
    c = 2 * p0 - 5 * p1 + 4 * p2 - p3
    d = 3 * p1 - p0 - 3 * p2 + p3
    return 0.5 * (a + t * (b + t * (c + t * d)))


def then(first: Matrix, second: Matrix) -> Matrix:
    """Apply one matrix after another."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (
        g * a + h * d,
        g * b + h * e,
        g * c + h * f + i,
        j * a + k * d,
        j * b + k * e,
        j * c + k * f + m,
    )


def rotation(degrees: float, x: float = 0.0, y: float = 0.0) -> Matrix:
    """Turn around a point."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (cos, -sin, x - cos * x + sin * y, sin, cos, y - sin * x - cos * y)


def posed(
    drawn: Figure, angles: Mapping[int, float], placed: Matrix
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Swing the parts around their pivots, carried ones along, and place the whole."""
    matrices: list[Matrix] = []
    for index, part in enumerate(drawn.parts):
        chain = _swing(drawn, index, angles.get(index, 0.0))
        carrier = drawn.carriers[index]
        while carrier >= 0:
            chain = then(chain, _swing(drawn, carrier, angles.get(carrier, 0.0)))
            carrier = drawn.carriers[carrier]
        matrices.append(then(chain, placed))
        del part
    own = np.array(matrices)[drawn.part_of_point]
    x = own[:, 0] * drawn.x + own[:, 1] * drawn.y + own[:, 2]
    y = own[:, 3] * drawn.x + own[:, 4] * drawn.y + own[:, 5]
    return x, y


def _swing(drawn: Figure, index: int, degrees: float) -> Matrix:
    if not degrees:
        return IDENTITY
    x, y = drawn.parts[index].pivot
    return rotation(
        degrees, (x - drawn.middle[0]) / drawn.scale, (y - drawn.middle[1]) / drawn.scale
    )


def fixed(x: NDArray[np.float64], y: NDArray[np.float64]) -> Points:
    """Round pixels to fixed-point numbers."""
    points = np.empty((len(x), 2))
    points[:, 0], points[:, 1] = x, y
    points *= 1 << SHIFT
    return np.rint(points, out=points).astype(np.int32)

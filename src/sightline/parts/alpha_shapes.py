"""Split annotations merged into one compact region: the alpha shape at its critical radius.

Paper: Sarvadevabhatla et al., supplement A, section 2.1; Edelsbrunner et al., 1983

The Delaunay triangles of the regions' pixels whose circumscribed circle has a radius up to r are
kept. The critical radius is the smallest r at which they and the regions hang together. Triangles
in the order of their radius join what they touch, as in Kruskal's spanning tree, so that the radius
at which one piece is left is exact: there is no step.

Inner pixels need no triangles, for they are in the result anyway, and no empty circle between
regions can reach past their borders: the triangles of border pixels bridge the gaps alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]  # (height, width)


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """A region that holds all of the annotations, and the radius that joined them."""

    mask: Mask
    radius: float  # in pixels; 0 where the annotations hang together already


def merge(masks: Sequence[Mask]) -> Merged:
    """Merge regions of one size: no pixel of theirs is lost, none outside their hull is added."""
    union = np.logical_or.reduce(masks)
    count, labels = cv2.connectedComponents(union.astype(np.uint8), connectivity=8)
    if count <= 2:
        return Merged(union, 0.0)
    points = np.argwhere(_border(union))[:, ::-1]  # (n, 2) x, y
    triangles = _triangles(points)
    hull = convex_hull(union)
    if not len(triangles):  # all in one line, which is their hull
        return Merged(hull, float("inf"))
    radii = circumradii(points[triangles].astype(np.float64))
    radius = _critical(radii, labels[points[:, 1], points[:, 0]][triangles], count - 1)
    drawn = np.zeros(union.shape, np.uint8)
    for corners in points[triangles[radii <= radius]]:
        cv2.fillConvexPoly(drawn, corners.astype(np.int32), 1)
    return Merged(union | ((drawn > 0) & hull), radius)


def convex_hull(mask: Mask) -> Mask:
    """Fill the convex hull of a region's pixels: what merging is compared with."""
    filled = np.zeros(mask.shape, np.uint8)
    points = np.argwhere(mask)[:, ::-1].astype(np.int32)
    if len(points):
        cv2.fillConvexPoly(filled, cv2.convexHull(np.ascontiguousarray(points)), 1)
    return (filled > 0) | mask


def circumradii(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give R = abc / 4A of triangles (n, 3, 2); a flat one has none and gets infinity."""
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    doubled = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    with np.errstate(divide="ignore"):
        return np.asarray(sides.prod(axis=1) / (2 * doubled))


def _border(union: Mask) -> Mask:
    """Find the pixels with a neighbour outside, beside or above; the frame's edge is outside."""
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
    padded = np.pad(union, 1).astype(np.uint8)
    return np.asarray(union & (cv2.erode(padded, cross)[1:-1, 1:-1] == 0))


def _triangles(points: NDArray[np.int64]) -> NDArray[Any]:
    from scipy.spatial import Delaunay, QhullError

    if len(points) < 3:
        return np.empty((0, 3), np.int64)
    try:
        return np.asarray(Delaunay(points).simplices)
    except QhullError:  # no area at all
        return np.empty((0, 3), np.int64)


def _critical(radii: NDArray[np.float64], pieces: NDArray[Any], count: int) -> float:
    """Join pieces by triangles of growing radius until one is left."""
    parent = list(range(count + 1))

    def root(piece: int) -> int:
        while parent[piece] != piece:
            parent[piece] = parent[parent[piece]]
            piece = parent[piece]
        return piece

    left = count
    bridges = np.flatnonzero((pieces != pieces[:, :1]).any(axis=1))
    for triangle in bridges[np.argsort(radii[bridges], kind="stable")]:
        a, b, c = (root(int(piece)) for piece in pieces[triangle])
        for other in (b, c):
            if root(other) != root(a):
                parent[root(other)] = root(a)
                left -= 1
        if left == 1:
            return float(radii[triangle])
    return float("inf")

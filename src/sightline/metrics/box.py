"""Boxes out of one score map, and how well they meet the true ones: pure functions."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.metrics.kernels import fast_boxes, fast_components, fast_pixels
from sightline.metrics.protocol import Protocol, threshold_grid

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class MapBoxes:
    """All boxes that a map gives at any threshold.

    Foreground at level k is every pixel of level k or more. `segments` hold a box and the range of
    levels for which it stands; `values` are the scores behind the levels, if they are exact.
    """

    segments: Ints
    top: int
    height: int
    width: int
    values: Floats | None


@dataclass(frozen=True, slots=True)
class BoxMeasurement:
    """What one image contributes: a few numbers, whatever the map's size."""

    overlaps: Floats  # best IoU at each threshold of the protocol's list
    hits: Floats  # rows: number of the IoU threshold, then the thresholds (above, up to) of a run
    oracle: float  # best IoU at any threshold
    pointing: bool
    energy: float


def map_boxes(score_map: NDArray[Any], protocol: Protocol) -> MapBoxes:
    """Find the boxes of a map at all thresholds."""
    scores = np.ascontiguousarray(score_map, np.float64)
    values = None
    if protocol.levels == "exact":
        values, inverse = np.unique(scores, return_inverse=True)
        levels = inverse.reshape(scores.shape).astype(np.int32)
        top = len(values) - 1
    else:
        levels = fast_pixels.quantized(scores)
        top = int(levels.max())
    height, width = scores.shape
    return MapBoxes(_segments(levels, top, protocol), top, height, width, values)


def _segments(levels: Ints, top: int, protocol: Protocol) -> Ints:
    connectivity = protocol.connectivity
    if protocol.contours == "all":
        return fast_components.all_contours(
            levels, top, connectivity=connectivity, holes=protocol.holes
        )
    if protocol.largest_by == "pixels":
        return fast_components.largest_component(levels, top, connectivity=connectivity)
    return fast_components.largest_polygon(levels, top)


def level_of(boxes: MapBoxes, thresholds: Floats, protocol: Protocol) -> NDArray[np.int64]:
    """Give the level that each threshold asks for; top + 1 is beyond all."""
    if boxes.values is not None:
        side: Literal["left", "right"] = "left" if protocol.comparison == ">=" else "right"
        return np.asarray(np.searchsorted(boxes.values, thresholds, side))
    whole = (thresholds * boxes.top).astype(np.int64)
    return whole + 1 if protocol.comparison == ">" else whole


def boxes_at(boxes: MapBoxes, threshold: float, protocol: Protocol) -> Ints:
    """Give the inclusive pixel boxes at one threshold."""
    level = level_of(boxes, np.array([threshold]), protocol)[0]
    low, high = boxes.segments[:, fast_components.LOW], boxes.segments[:, fast_components.HIGH]
    return boxes.segments[(low <= level) & (level <= high), :4]


def measure(
    score_map: NDArray[Any],
    truth: Floats,
    protocol: Protocol,
    *,
    found: MapBoxes | None = None,
) -> BoxMeasurement:
    """Compare a map with true boxes given in the map's own frame.

    `found` saves the search where the same map is met again.
    """
    boxes = found or map_boxes(score_map, protocol)
    wanted = truth[:1] if protocol.truth_boxes == "first" else truth
    by_level = fast_boxes.best_overlap(
        boxes.segments,
        boxes.top,
        boxes.height,
        boxes.width,
        wanted,
        protocol.box_ends == "reference",
    )
    thresholds = np.array(protocol.thresholds) if protocol.thresholds else threshold_grid()
    overlaps = by_level[level_of(boxes, thresholds, protocol)]
    searched = boxes.values is not None and not protocol.thresholds
    hits = _hits_by_value(by_level, boxes, protocol) if searched else _hits(overlaps, protocol)
    oracle = float(_at_any_threshold(by_level, boxes, protocol).max())
    inside = painted(wanted, boxes.height, boxes.width, protocol)
    scores = np.ascontiguousarray(score_map, np.float64)
    pointing = points_at(scores, inside, protocol.pointing_tolerance)
    return BoxMeasurement(
        overlaps, hits, oracle, pointing, fast_pixels.energy_inside(scores, inside)
    )


def _hits(overlaps: Floats, protocol: Protocol) -> Floats:
    """List the runs of thresholds that hit, by position in the protocol's list.

    With given thresholds, one for each IoU threshold, only its own counts: position 0 stands for
    it.
    """
    rows = []
    own = len(protocol.thresholds) == len(protocol.iou_thresholds)
    for i, needed in enumerate(protocol.iou_thresholds):
        part = overlaps[i : i + 1] if protocol.thresholds and own else overlaps
        runs = fast_boxes.hit_ranges(part, needed / 100)
        rows += [(i, start - 1, stop - 1) for start, stop in runs]
    return np.array(rows, np.float64).reshape(-1, 3)


def _hits_by_value(by_level: Floats, boxes: MapBoxes, protocol: Protocol) -> Floats:
    """List the runs of thresholds that hit, as scores: above the one, up to the other."""
    edges, reached = _edges(boxes, protocol), _reachable(by_level, boxes, protocol)
    rows = []
    for i, needed in enumerate(protocol.iou_thresholds):
        runs = fast_boxes.hit_ranges(reached, needed / 100)
        rows += [(i, edges[start], edges[stop]) for start, stop in runs]
    return np.array(rows, np.float64).reshape(-1, 3)


def _edges(boxes: MapBoxes, protocol: Protocol) -> Floats:
    """List the thresholds between which levels stand: level k above edge k, up to edge k + 1.

    With > a threshold just below a score does what the score itself does with >=.
    """
    assert boxes.values is not None
    values = boxes.values if protocol.comparison == ">=" else np.nextafter(boxes.values, -1)
    return np.concatenate([[-np.inf], values, [1.0]])


def _at_any_threshold(by_level: Floats, boxes: MapBoxes, protocol: Protocol) -> Floats:
    """Give what could be reached, whichever thresholds the protocol gives."""
    if boxes.values is None:
        return by_level[level_of(boxes, threshold_grid(), protocol)]
    return _reachable(by_level, boxes, protocol)


def _reachable(by_level: Floats, boxes: MapBoxes, protocol: Protocol) -> Floats:
    """Leave out levels at which no threshold in [0, 1] stands."""
    edges = _edges(boxes, protocol)
    return np.where((edges[1:] >= 0) & (edges[:-1] < edges[1:]), by_level, 0)


def painted(truth: Floats, height: int, width: int, protocol: Protocol) -> NDArray[np.uint8]:
    """Draw true boxes as a mask of pixels: the reference includes x1, true ends do not."""
    mask = np.zeros((height, width), np.uint8)
    for box in truth:
        if protocol.box_ends == "reference":
            x0, y0, x1, y1 = (int(corner) for corner in box)
            mask[y0 : y1 + 1, x0 : x1 + 1] = 1
        else:  # pixels whose center lies inside
            x0, y0, x1, y1 = (int(np.ceil(corner - 0.5)) for corner in box)
            mask[y0:y1, x0:x1] = 1
    return mask


def points_at(scores: Floats, inside: NDArray[np.uint8], tolerance: int) -> bool:
    """Play the pointing game: the peak lies on the object, or no farther off than that."""
    x, y = fast_pixels.peak(scores)
    if inside[y, x] == 1 or tolerance == 0:
        return bool(inside[y, x] == 1)
    return bool(fast_pixels.distance_to(inside, x, y) <= tolerance)

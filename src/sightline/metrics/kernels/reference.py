"""The definition of what the fast kernels compute: one threshold at a time, with plain tools.

Slow and legible. Tests hold the fast kernels against it on every kind of map.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.metrics.geometry import iou
from sightline.metrics.protocol import Protocol, threshold_grid

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]


def foreground(score_map: Floats, threshold: float, protocol: Protocol) -> Bits:
    """Give the pixels that reach a threshold, as 0 and 1."""
    if protocol.levels == "exact":
        above = score_map > threshold if protocol.comparison == ">" else score_map >= threshold
        return np.asarray(above, np.uint8)
    levels = (score_map * 255).astype(np.uint8)
    level = int(threshold * int(levels.max()))
    above = levels > level if protocol.comparison == ">" else levels >= level
    return above.astype(np.uint8)


def boxes_at(score_map: Floats, threshold: float, protocol: Protocol) -> Floats:
    """Give the boxes at a threshold, with their ends as the protocol reads them."""
    bits = foreground(score_map, threshold, protocol)
    if protocol.box_ends == "reference" and not bits.any():
        return np.zeros((1, 4))
    if protocol.contours == "largest" and protocol.largest_by == "polygon":
        corners = _largest_contour(bits)
    elif protocol.contours == "largest":
        corners = _largest_component(bits, protocol.connectivity)
    else:
        corners = _components(bits, protocol.connectivity)
        if protocol.holes:
            corners += _holes(bits, protocol.connectivity)
    return _with_ends(np.array(corners, np.float64).reshape(-1, 4), bits.shape, protocol)


def _with_ends(corners: Floats, shape: tuple[int, ...], protocol: Protocol) -> Floats:
    """Move the ends from the last pixel to one past it, in the reference not past the map's."""
    corners = corners + np.array([0, 0, 1, 1])
    if protocol.box_ends == "reference":
        height, width = shape
        corners = np.minimum(corners, np.array([width, height, width, height]) - 1)
    return corners


def _largest_contour(bits: Bits) -> list[list[int]]:
    """Take the first of OpenCV's contours with the largest area, as the released evaluator."""
    contours = cv2.findContours(bits, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)[0]
    if not contours:
        return []
    x, y, width, height = cv2.boundingRect(max(contours, key=cv2.contourArea))
    return [[x, y, x + width - 1, y + height - 1]]


def _components(bits: Bits, connectivity: int) -> list[list[int]]:
    _, _, stats, _ = cv2.connectedComponentsWithStats(bits, connectivity=connectivity)
    return [[x, y, x + w - 1, y + h - 1] for x, y, w, h, _ in stats[1:].tolist()]


def _largest_component(bits: Bits, connectivity: int) -> list[list[int]]:
    """Take the component with the most pixels; of equal ones the first in reading order."""
    found = cv2.connectedComponentsWithStats(bits, connectivity=connectivity)
    labels, stats = np.asarray(found[1], np.int64), np.asarray(found[2], np.int64)
    if len(stats) == 1:
        return []
    most = stats[1:, cv2.CC_STAT_AREA].max()
    first = next(int(label) for label in labels.ravel() if label and stats[label, 4] == most)
    x, y, w, h, _ = stats[first].tolist()
    return [[x, y, x + w - 1, y + h - 1]]


def _holes(bits: Bits, connectivity: int) -> list[list[int]]:
    """Give the outlines of holes: background away from the edge, and the pixels around it."""
    height, width = bits.shape
    found = _components(1 - bits, 12 - connectivity)
    return [
        [x0 - 1, y0 - 1, x1 + 1, y1 + 1]
        for x0, y0, x1, y1 in found
        if x0 > 0 and y0 > 0 and x1 < width - 1 and y1 < height - 1
    ]


def overlaps(score_map: Floats, truth: Floats, protocol: Protocol) -> Floats:
    """Give the best IoU at each threshold of the protocol's list."""
    wanted = truth[:1] if protocol.truth_boxes == "first" else truth
    thresholds = protocol.thresholds or tuple(threshold_grid())
    return np.array([best_overlap(score_map, t, wanted, protocol) for t in thresholds])


def best_overlap(score_map: Floats, threshold: float, truth: Floats, protocol: Protocol) -> float:
    """Give the best IoU of any box at a threshold with any true box."""
    boxes = boxes_at(score_map, threshold, protocol)
    return float(iou(boxes, truth, protocol.box_ends).max()) if len(boxes) else 0.0


def best_accuracy(
    maps: list[Floats], truths: list[Floats], needed: float, protocol: Protocol
) -> float:
    """Give the accuracy in percent at the best of all thresholds.

    With `exact` these are every score that occurs, the numbers just below (with > they do what the
    scores do with >=), and 1, but nothing outside [0, 1].
    """
    thresholds: Any = threshold_grid()
    if protocol.levels == "exact":
        scores = np.concatenate([np.ravel(score_map) for score_map in maps])
        thresholds = np.unique([*scores, *np.nextafter(scores, -1), 1.0])
        thresholds = thresholds[thresholds >= 0]
    hits = [
        [
            best_overlap(score_map, t, truth, protocol) >= needed
            for score_map, truth in zip(maps, truths, strict=True)
        ]
        for t in thresholds
    ]
    return 100 * float(np.mean(hits, axis=1).max())


def histograms(score_map: Floats, mask: Bits) -> NDArray[np.int64]:
    """Count foreground and background pixels by score, as the released evaluator does."""
    edges = np.append(threshold_grid(), [1.0, 2.0])
    counts = [np.histogram(score_map[mask == code], edges)[0] for code in (1, 0)]
    return np.array(counts)


def average_precision(foreground_counts: Any, background_counts: Any) -> float:
    """Walk the precision-recall curve from the highest threshold down."""
    total, hits, alarms, area = sum(foreground_counts), 0, 0, 0.0
    for on, off in zip(foreground_counts[::-1], background_counts[::-1], strict=True):
        hits += on
        alarms += off
        if hits + alarms:
            area += hits / (hits + alarms) * on / total
    return 100 * float(area)

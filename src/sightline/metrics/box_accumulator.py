"""BoxAcc and its maxima over a set of images: add maps one by one, merge shards, compute."""

import math
from array import array
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.errors import UsageError
from sightline.metrics.box import BoxMeasurement, measure
from sightline.metrics.geometry import to_frame, true_boxes
from sightline.metrics.kernels.fast_boxes import FIXED_POINT, fixed_point
from sightline.metrics.kernels.fast_resampling import resampled_accuracy
from sightline.metrics.protocol import Protocol, preset, threshold_grid
from sightline.metrics.records import Columns
from sightline.metrics.score_maps import as_scores, check_range
from sightline.metrics.statistics import Evidence, Stackable, Weights

Floats = NDArray[np.float64]
PER_IMAGE = ("oracle", "pointing", "energy", "in_top1", "in_top5")


@dataclass(frozen=True, slots=True)
class BoxEvidence:
    """Runs of thresholds that hit, as positions on one axis of candidate thresholds."""

    images: int
    image: NDArray[np.int32]
    group: NDArray[np.int32]
    above: Floats
    up_to: Floats
    groups: int
    joint: bool
    axis: Floats  # candidate thresholds; empty: wherever a run ends

    def candidates(self) -> Floats:
        """List the thresholds among which the best one is found."""
        return self.axis if len(self.axis) else np.unique(self.up_to)

    def positions(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give the first position of each run on the axis and the one after its last."""
        axis = self.candidates()
        start = np.searchsorted(axis, self.above, side="right").astype(np.int32)
        stop = np.searchsorted(axis, self.up_to, side="right").astype(np.int32)
        return start, stop

    def score(self, weights: Weights) -> Floats:
        """Give the accuracy of each weighting of the images, in percent."""
        start, stop = self.positions()
        positions = max(1, len(self.candidates()))
        return 100 * resampled_accuracy(
            weights, self.image, self.group, start, stop, self.groups, positions, self.joint
        )

    def hits(self) -> NDArray[np.int64]:
        """Count the images that hit, by IoU threshold and candidate threshold."""
        start, stop = self.positions()
        steps = np.zeros((self.groups, max(1, len(self.candidates())) + 1), np.int64)
        np.add.at(steps, (self.group, start), 1)
        np.subtract.at(steps, (self.group, stop), 1)
        return np.asarray(np.cumsum(steps, axis=1)[:, :-1])

    def hit_at(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell for each IoU threshold which images hit at its chosen position."""
        start, stop = self.positions()
        hit = np.zeros((self.groups, self.images), bool)
        there = (start <= chosen[self.group]) & (chosen[self.group] < stop)
        hit[self.group[there], self.image[there]] = True
        return hit

    def best_positions(self) -> NDArray[np.int64]:
        """Give the first best threshold of each IoU threshold, or the one that serves them all."""
        hits = self.hits()
        if self.joint:
            return np.full(len(hits), hits.sum(axis=0).argmax())
        return np.asarray(hits.argmax(axis=1))

    def only(self, keep: NDArray[np.bool_]) -> "BoxEvidence":
        """Let only some images hit; all of them still count."""
        kept = keep[self.image]
        return replace(
            self,
            image=self.image[kept],
            group=self.group[kept],
            above=self.above[kept],
            up_to=self.up_to[kept],
        )

    def chosen(self, keep: NDArray[np.bool_]) -> "BoxEvidence":
        """Drop the other images altogether."""
        position = np.cumsum(keep) - 1
        part = self.only(keep)
        return replace(part, images=int(keep.sum()), image=position[part.image].astype(np.int32))

    def stacked(self, other: Stackable) -> Evidence:
        """Put the images of another set behind this one's."""
        if not isinstance(other, BoxEvidence):
            raise TypeError("only results of one kind can be compared")
        if (self.groups, self.joint) != (other.groups, other.joint) or not np.array_equal(
            self.axis, other.axis
        ):
            raise ValueError("only results of the same protocol can be compared")
        return replace(
            self,
            images=self.images + other.images,
            image=np.concatenate([self.image, other.image + self.images]).astype(np.int32),
            group=np.concatenate([self.group, other.group]),
            above=np.concatenate([self.above, other.above]),
            up_to=np.concatenate([self.up_to, other.up_to]),
        )


class BoxAccumulator:
    """Collects box measurements. Shards merge to the very result of one pass, in any order."""

    def __init__(self, protocol: Protocol | str = "reference-v2") -> None:
        self.protocol = preset(protocol) if isinstance(protocol, str) else protocol
        if self.protocol.ground_truth_kind != "boxes":
            raise UsageError(f"protocol '{self.protocol.name}' is for masks; use a MaskAccumulator")
        self.records = Columns(PER_IMAGE)
        count = len(self.protocol.thresholds) or len(threshold_grid())
        self._overlap = np.zeros(count, np.int64)  # fixed point
        self._reached = np.zeros((len(self.protocol.iou_thresholds), count), np.int64)
        self._image = array("q")
        self._group = array("b")
        self._above = array("d")
        self._up_to = array("d")

    def update(
        self,
        score_map: ArrayLike,
        boxes: ArrayLike,
        *,
        image: str | None = None,
        image_size: tuple[int, int] | None = None,
    ) -> None:
        """Add one map with its true boxes, in the image's pixels, or the map's if no size is given.

        Args:
            score_map: a 2-D map of scores in [0, 1].
            boxes: rows of x0, y0, x1, y1.
            image: the image's id, by which shards are merged.
            image_size: width and height of the image that the boxes refer to.
        """
        scores = as_scores(score_map, image=image or "")
        check_range(scores, image=image or "")
        frame = (scores.shape[1], scores.shape[0])
        truth = true_boxes(boxes, image_size or frame, image or "")
        truth = to_frame(truth, image_size or frame, frame, self.protocol.box_ends)
        self.add(measure(scores, truth, self.protocol), image=image)

    def add(
        self,
        measurement: BoxMeasurement,
        *,
        image: str | None = None,
        ranks: tuple[float, float] = (math.nan, math.nan),
    ) -> None:
        """Add a measurement; `ranks` tells whether the class is in the top 1 and the top 5."""
        row = self.records.append(
            image, (measurement.oracle, measurement.pointing, measurement.energy, *ranks)
        )
        self._overlap += fixed_point(measurement.overlaps)
        for reached, delta in zip(self._reached, self.protocol.iou_thresholds, strict=True):
            reached += measurement.overlaps >= delta / 100
        for group, above, up_to in measurement.hits.tolist():
            self._image.append(row)
            self._group.append(int(group))
            self._above.append(above)
            self._up_to.append(up_to)

    def merge(self, other: "BoxAccumulator") -> None:
        """Add all that another accumulator has collected."""
        if self.protocol != other.protocol:
            raise ValueError("only results of the same protocol can be merged")
        first = len(self.records)
        self.records.extend(other.records)
        self._overlap += other._overlap
        self._reached += other._reached
        self._image.extend(row + first for row in other._image)
        self._group.extend(other._group)
        self._above.extend(other._above)
        self._up_to.extend(other._up_to)

    @property
    def bytes_per_image(self) -> float:
        """Tell what an image costs in memory, its id aside."""
        runs = len(self._image) * (8 + 1 + 8 + 8)
        return (self.records.bytes + runs) / max(1, len(self.records))

    def evidence(self) -> BoxEvidence:
        """Give what resampling needs, images by id."""
        rank = np.empty(len(self.records), np.int64)
        rank[self.records.order()] = np.arange(len(self.records))
        image = rank[np.array(self._image, np.int64)] if len(self._image) else np.zeros(0)
        above, up_to = np.array(self._above), np.array(self._up_to)
        group = np.array(self._group, np.int32)
        choice = self.protocol.threshold_choice
        if choice == "per-image-oracle":  # hit at any threshold: one run, at the only position
            pairs = np.unique(np.stack([image, group]), axis=1) if len(image) else np.zeros((2, 0))
            image, group = pairs[0], pairs[1].astype(np.int32)
            above, up_to = np.full(len(image), -1.0), np.zeros(len(image))
        everything = BoxEvidence(
            len(self.records),
            image.astype(np.int32),
            group,
            above,
            up_to,
            len(self.protocol.iou_thresholds),
            choice == "joint",
            self._axis(),
        )
        if self.protocol.map_class == "gt-known":
            return everything
        # The map of a predicted class counts only where that class is the true one, and there it
        # is the true class's map.
        found = self.records.column("in_top1" if self.protocol.map_class == "top-1" else "in_top5")
        if np.isnan(found).any():
            wanted = self.protocol.map_class
            raise UsageError(f"map class '{wanted}' needs the {wanted} prediction of every image")
        return everything.only(found > 0)

    def _axis(self) -> Floats:
        protocol = self.protocol
        if protocol.thresholds or protocol.threshold_choice == "per-image-oracle":
            return np.zeros(1)
        if protocol.levels == "exact":
            return np.zeros(0)
        return np.arange(len(self._overlap), dtype=np.float64)

    def mean_overlap(self) -> Floats:
        """Give the mean over images of the best IoU, at each threshold of the list."""
        return self._overlap / FIXED_POINT / max(1, len(self.records))

    def curve(self) -> Floats:
        """Give BoxAcc in percent, by IoU threshold and by threshold of the list."""
        return 100 * self._reached / max(1, len(self.records))

    def _repr_html_(self) -> str:
        """Show the curve in a notebook."""
        from sightline.metrics.curve_svg import chart

        needed = self.protocol.iou_thresholds
        if not len(self.records) or self.protocol.thresholds:
            return f"<p>{len(self.records)} images under {self.protocol.name}</p>"
        grid = threshold_grid().tolist()
        lines = {
            f"IoU {d} %": (grid, c.tolist()) for d, c in zip(needed, self.curve(), strict=True)
        }
        title = f"BoxAcc, %: {len(self.records)} images, {self.protocol.name}"
        return chart(lines, "threshold", title)

    def compute(self) -> dict[str, Any]:
        """Give the score and what goes with it, percentages from 0 to 100."""
        from sightline.metrics.box_summary import summary

        return summary(self)

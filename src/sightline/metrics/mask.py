"""PxAP and its companions over a set of masks: measure, accumulate, merge, compute."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.errors import DataError, Problem, UsageError
from sightline.metrics.box import points_at
from sightline.metrics.kernels import fast_pixels
from sightline.metrics.protocol import THRESHOLD_STEPS, Protocol, preset, threshold_grid
from sightline.metrics.records import Columns
from sightline.metrics.score_maps import as_scores, check_range
from sightline.metrics.statistics import Evidence, Stackable, Weights

Floats = NDArray[np.float64]
Counts = NDArray[Any]
RESAMPLE_IMAGES = 512  # images converted at a time


@dataclass(frozen=True, slots=True)
class MaskMeasurement:
    """What one image contributes: histograms of its scores on and off the object."""

    histogram: Counts  # (2, bins): foreground, background
    at_threshold: Counts  # (given thresholds, 4): true and false positives, true, false negatives
    pointing: bool
    energy: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall of all pixels at each threshold, rising."""

    thresholds: Floats
    precision: Floats  # NaN where no pixel reaches the threshold
    recall: Floats


def measure_mask(
    score_map: ArrayLike, mask: NDArray[np.uint8], protocol: Protocol
) -> MaskMeasurement:
    """Compare a map with a mask of the same size."""
    scores = np.ascontiguousarray(score_map, np.float64)
    strict = protocol.comparison == ">"
    counts = [fast_pixels.counts_at(scores, mask, t, strict) for t in protocol.thresholds]
    return MaskMeasurement(
        histogram=_compact(fast_pixels.histograms(scores, mask, THRESHOLD_STEPS)),
        at_threshold=np.array(counts, np.int64).reshape(-1, 4),
        pointing=points_at(scores, mask, protocol.pointing_tolerance),
        energy=fast_pixels.energy_inside(scores, mask),
    )


def _compact(counts: NDArray[np.int32]) -> Counts:
    return counts.astype(np.uint16) if counts.max() < 1 << 16 else counts


def average_precision(foreground: Counts, background: Counts) -> Floats:
    """Sum precision times the step in recall, from the highest bin down (no interpolation).

    The last axis holds bins of rising score; others are kept. NaN where there is no foreground.
    """
    hits = np.cumsum(foreground[..., ::-1], axis=-1, dtype=np.float64)
    alarms = np.cumsum(background[..., ::-1], axis=-1, dtype=np.float64)
    reached = hits + alarms
    precision = np.divide(hits, reached, out=np.zeros_like(hits), where=reached > 0)
    with np.errstate(invalid="ignore"):
        recall = hits / hits[..., -1:]
    steps = np.diff(recall, axis=-1, prepend=0)
    return np.asarray(100 * (precision * steps).sum(axis=-1))


@dataclass(frozen=True, slots=True)
class MaskEvidence:
    """A histogram for each image, images by id: those that were collected, never copies of all."""

    histograms: Sequence[Counts]  # (2, bins) each

    @property
    def images(self) -> int:
        """Count the images."""
        return len(self.histograms)

    def score(self, weights: Weights) -> Floats:
        """Give PxAP for each weighting of the images."""
        both = np.zeros((len(weights), *self.histograms[0].shape))
        for start in range(0, self.images, RESAMPLE_IMAGES):
            part = slice(start, start + RESAMPLE_IMAGES)
            counts = np.array(self.histograms[part], np.float64)
            both += np.tensordot(weights[:, part].astype(np.float64), counts, 1)
        return average_precision(both[:, 0], both[:, 1])

    def chosen(self, keep: NDArray[np.bool_]) -> "MaskEvidence":
        """Drop the other images."""
        return MaskEvidence(list(compress(self.histograms, keep)))

    def stacked(self, other: Stackable) -> Evidence:
        """Put the images of another set behind this one's."""
        if not isinstance(other, MaskEvidence):
            raise TypeError("only results of one kind can be compared")
        return MaskEvidence([*self.histograms, *other.histograms])


class MaskAccumulator:
    """Collects mask measurements. Shards merge to the very result of one pass, in any order."""

    def __init__(self, protocol: Protocol | str = "pixels") -> None:
        self.protocol = preset(protocol) if isinstance(protocol, str) else protocol
        if self.protocol.ground_truth_kind != "masks":
            raise UsageError(f"protocol '{self.protocol.name}' is for boxes; use a BoxAccumulator")
        self.records = Columns(("pointing", "energy"))
        self._histograms: list[Counts] = []
        self._at_threshold: list[Counts] = []

    def update(self, score_map: ArrayLike, mask: ArrayLike, *, image: str | None = None) -> None:
        """Add one map in [0, 1] with its mask: 1 foreground, 0 background, 255 ignored.

        A mask of another size is brought to the map's by its nearest pixels.
        """
        scores = as_scores(score_map, image=image or "")
        check_range(scores, image=image or "")
        codes = _codes(mask, image or "")
        if codes.shape != scores.shape:
            size = (scores.shape[1], scores.shape[0])
            codes = np.asarray(cv2.resize(codes, size, interpolation=cv2.INTER_NEAREST), np.uint8)
        self.add(measure_mask(scores, codes, self.protocol), image=image)

    def add(self, measurement: MaskMeasurement, *, image: str | None = None) -> None:
        """Add a measurement."""
        self.records.append(image, (measurement.pointing, measurement.energy))
        self._histograms.append(measurement.histogram)
        self._at_threshold.append(measurement.at_threshold)

    def merge(self, other: "MaskAccumulator") -> None:
        """Add all that another accumulator has collected."""
        if self.protocol != other.protocol:
            raise ValueError("only results of the same protocol can be merged")
        self.records.extend(other.records)
        self._histograms += other._histograms
        self._at_threshold += other._at_threshold

    @property
    def bytes_per_image(self) -> float:
        """Tell what an image costs in memory, its id aside."""
        held = sum(histogram.nbytes for histogram in self._histograms) + self.records.bytes
        return held / max(1, len(self.records))

    def evidence(self) -> MaskEvidence:
        """Give what resampling needs, images by id."""
        return MaskEvidence([self._histograms[i] for i in self.records.order()])

    def curve(self) -> Curve:
        """Give precision and recall of all pixels at each threshold."""
        foreground, background = self._total()
        hits = np.cumsum(foreground[::-1])[::-1]
        reached = hits + np.cumsum(background[::-1])[::-1]
        precision = np.divide(hits, reached, out=np.full(len(hits), np.nan), where=reached > 0)
        return Curve(np.append(threshold_grid(), 1.0), precision, hits / foreground.sum())

    def _total(self) -> NDArray[np.int64]:
        total = np.zeros((2, len(threshold_grid()) + 1), np.int64)
        for histogram in self._histograms:
            total += histogram
        return total

    def mean_overlap(self) -> Floats:
        """Give the mean over images of the mask IoU at each threshold, summed by id."""
        total = np.zeros(len(threshold_grid()) + 1)
        for i in self.records.order():
            total += _mask_overlap(self._histograms[i])
        return total / max(1, len(self.records))

    def overlaps_at_best(self) -> Floats:
        """Give each image's mask IoU, by id, at the threshold whose mean is the best."""
        best = int(self.mean_overlap().argmax())
        return np.array([_mask_overlap(self._histograms[i])[best] for i in self.records.order()])

    def _repr_html_(self) -> str:
        """Show the curve in a notebook."""
        from sightline.metrics.curve_svg import chart

        if not len(self.records):
            return "<p>no image yet</p>"
        points = self.curve()
        line = (100 * points.recall).tolist(), (100 * points.precision).tolist()
        title = f"precision, %: {len(self.records)} images, {self.protocol.name}"
        return chart({"": line}, "recall, %", title, x_top=100)

    def compute(self) -> dict[str, Any]:
        """Give PxAP and what goes with it, percentages from 0 to 100."""
        if not len(self.records):
            raise ValueError("no image was scored")
        foreground, background = self._total()
        if not foreground.sum():
            raise ValueError("no mask has any foreground, so that recall means nothing")
        overlap = self.mean_overlap()
        best = int(overlap.argmax())
        thresholds = np.append(threshold_grid(), 1.0)
        at_best = _rates(_counts_of_bin(foreground, background, best))
        result = {
            "metric": self.protocol.metric,
            "images": len(self.records),
            "value": float(average_precision(foreground, background)),
            "mean_iou": 100 * float(overlap[best]),
            "threshold": {"mean_iou": float(thresholds[best])},
            "at_mean_iou_threshold": at_best,
            "pointing": 100 * float(self.records.column("pointing").mean()),
            "energy": 100 * math.fsum(self.records.column("energy")) / len(self.records),
        }
        if self.protocol.thresholds:
            result["at_threshold"] = self._at_given_thresholds()
        return result

    def _at_given_thresholds(self) -> dict[str, dict[str, float]]:
        counts = np.stack([self._at_threshold[i] for i in self.records.order()])
        given = {}
        for i, threshold in enumerate(self.protocol.thresholds):
            tp, fp, _, fn = counts[:, i].T.astype(float)
            overlap = np.divide(tp, tp + fp + fn, out=np.zeros_like(tp), where=tp + fp + fn > 0)
            rates = _rates(counts[:, i].sum(axis=0))
            given[f"{threshold:g}"] = rates | {"mean_iou": 100 * math.fsum(overlap) / len(overlap)}
        return given


def _codes(mask: ArrayLike, image: str) -> NDArray[np.uint8]:
    """Make sure that a mask holds the codes of masks and nothing else."""
    codes = np.asarray(mask)
    what = ""
    if codes.ndim != 2 or not codes.size:
        what = f"mask has the shape {codes.shape} where two dimensions are needed"
    elif not np.isin(codes, (0, 1, 255)).all():
        what = "mask holds other values than 0, 1 and 255"
    if what:
        remedy = "give 1 for foreground, 0 for background, 255 for ignored"
        raise DataError([Problem(what, image=image, remedy=remedy)])
    return codes.astype(np.uint8)


def _mask_overlap(histogram: Counts) -> Floats:
    """Give an image's mask IoU at each threshold, 0 where both masks are empty."""
    counts = histogram.astype(np.float64)
    hits = np.cumsum(counts[0, ::-1])[::-1]
    alarms = np.cumsum(counts[1, ::-1])[::-1]
    union = counts[0].sum() + alarms
    return np.asarray(np.divide(hits, union, out=np.zeros_like(hits), where=union > 0))


def _counts_of_bin(foreground: Counts, background: Counts, first: int) -> Counts:
    """Count true and false positives, true and false negatives from a bin on."""
    return np.array(
        [
            foreground[first:].sum(),
            background[first:].sum(),
            background[:first].sum(),
            foreground[:first].sum(),
        ]
    )


def _rates(counts: Counts) -> dict[str, float]:
    """Give precision, recall and accuracy of all pixels, in percent."""
    tp, fp, tn, fn = (float(count) for count in counts)
    return {
        "PxPrec": 100 * tp / (tp + fp) if tp + fp else math.nan,
        "PxRec": 100 * tp / (tp + fn) if tp + fn else math.nan,
        "PxAcc": 100 * (tp + tn) / (tp + fp + tn + fn),
    }

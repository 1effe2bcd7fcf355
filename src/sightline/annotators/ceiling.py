"""What maps could give, were their threshold chosen on the true boxes: the upper lines of a table.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization, Table 2
    ("IoU using 1K Threshold")

The paper does not say whether the best of the 1,000 thresholds is one for all images or each
image's own. Both are given.
"""

from dataclasses import dataclass

import numpy as np

from sightline.annotators.boxing import Size, scaled
from sightline.annotators.contract import Answer, Floats, Heat
from sightline.metrics.box import measure
from sightline.metrics.geometry import BoxEnds
from sightline.metrics.protocol import preset, threshold_grid


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Mean IoU, from 0 to 1, with thresholds that only the true boxes could tell."""

    one_for_all: float
    threshold: float  # that one, of the map in [0, 1]
    each_its_own: float
    images: int  # that count; what has no map counts as 0


class CeilingSum:
    """Adds up the IoU of the largest region at 1,000 thresholds, one image after another."""

    def __init__(self, ends: BoxEnds = "true") -> None:
        self._protocol = preset("exact", contours="largest", box_ends=ends)
        self._sum = np.zeros(len(threshold_grid()))
        self._own = 0.0
        self._count = 0

    def add(self, answer: Answer, size: Size, truth: Floats) -> None:
        """Add an image: what an annotator said, its size, and its true boxes in its own pixels."""
        self._count += 1
        if not isinstance(answer, Heat) or not np.isfinite(answer.scores).all():
            return
        if np.ptp(answer.scores):
            overlaps = measure(scaled(answer, size), truth, self._protocol).overlaps
            self._sum += overlaps
            self._own += float(overlaps.max())

    def compute(self) -> Ceiling:
        """Give the means."""
        if not self._count:
            return Ceiling(float("nan"), float("nan"), float("nan"), 0)
        mean = self._sum / self._count
        best = int(mean.argmax())
        threshold = float(threshold_grid()[best])
        return Ceiling(float(mean[best]), threshold, self._own / self._count, self._count)

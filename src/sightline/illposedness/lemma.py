"""Pixel accuracy of a score, the foreground-background posterior ratio, and the lemma on both.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, section 3.3 and Lemma 3.2

The paper's lemma speaks of a continuous posterior. Here cues are discrete, so that it reads: with
the true posterior as score some threshold tells foreground from background if and only if the least
posterior of a foreground cue exceeds the largest of a background cue. Then every tau in

    (largest posterior of background, least posterior of foreground]

does. At a ratio of 1 one cue of each kind have the same score, and no threshold parts them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Best:
    """The highest pixel accuracy that any threshold reaches."""

    value: float  # 0 to 1
    threshold: float  # infinite where calling everything background is best


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the lemma says of one class."""

    ratio: float  # the least over all pairs of a foreground and a background cue
    above: float  # tau must exceed this, the largest posterior of a background cue
    up_to: float  # and may be this, the least posterior of a foreground cue
    weakest: int  # which foreground cue that is
    strongest: int  # and which background cue

    @property
    def separable(self) -> bool:
        """Tell whether some threshold separates."""
        return self.up_to > self.above


def px_acc(scores: Floats, foreground: Bools, weights: Floats, threshold: float) -> float:
    """Give the share of pixels that a threshold tells right.

    Args:
        scores: of each cue, or each pixel.
        foreground: what it is.
        weights: how often it occurs.
        threshold: foreground is said of this score and more.
    """
    right = (scores >= threshold) == foreground
    return float(weights[right].sum() / weights.sum())


def best_px_acc(scores: Floats, foreground: Bools, weights: Floats) -> Best:
    """Find the best threshold among all that differ; of equals the highest."""
    levels, place = np.unique(scores, return_inverse=True)
    gain = np.bincount(place, np.where(foreground, weights, -weights), len(levels))
    from_here = np.concatenate(
        [gain[::-1].cumsum()[::-1], [0.0]]
    )  # said foreground from a level on
    background = float(weights[~foreground].sum())
    best = len(levels) - int(from_here[::-1].argmax())
    threshold = float(levels[best]) if best < len(levels) else float("inf")
    return Best((background + float(from_here[best])) / float(weights.sum()), threshold)


def verdict(posterior: Floats, foreground: Bools) -> Verdict:
    """Check the lemma's condition for one class.

    Args:
        posterior: p(Y = 1 | cue) of each cue that occurs in images of the class.
        foreground: which cues are the object's.
    """
    if foreground.all() or not foreground.any():
        raise UsageError("the lemma needs a cue of the object and one of the background")
    objects, others = np.flatnonzero(foreground), np.flatnonzero(~foreground)
    weakest = int(objects[posterior[objects].argmin()])
    strongest = int(others[posterior[others].argmax()])
    low, high = float(posterior[strongest]), float(posterior[weakest])
    ratio = high / low if low > 0 else (float("inf") if high > 0 else 1.0)  # 0 and 0 are a tie
    return Verdict(ratio, low, high, weakest, strongest)

"""How sure a score is: intervals and paired tests by resampling images.

Evidence is what a set of images says of a metric, compactly: it can score any weighting of its
images. A resample is such a weighting, and chooses its threshold anew. Two sets of evidence on the
same images are stacked, and a resample of both weighs the images of each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from sightline.progress import Step, silent

Floats = NDArray[np.float64]
Weights = NDArray[np.int32]

RESAMPLES = 1000
CHUNK_ENTRIES = 4_000_000  # weights drawn at a time


class Evidence(Interface):
    """What the images of a set say of a metric."""

    @property
    def images(self) -> int:
        """Count the images."""

    def score(self, weights: Weights) -> Floats:
        """Give the metric, 0 to 100, for each row of image weights."""


class Stackable(Evidence, Interface):
    """Evidence that can be put beside other evidence of its kind."""

    def stacked(self, other: "Stackable") -> Evidence:
        """Give evidence on the images of both, this one's first."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap percentile interval."""

    low: float
    high: float
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two sets of maps on the same images: first minus second."""

    difference: float
    low: float
    high: float
    level: float
    p_value: float  # two-sided, maps exchanged within images
    images: int
    resamples: int
    seed: int


def bootstrap(
    evidence: Evidence,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    report: Step = silent,
) -> Interval:
    """Resample images with replacement and take the middle of the scores."""
    rng = np.random.default_rng(seed)
    draws = _told(_draws(rng, evidence.images, resamples), report)
    low, high = _middle(np.concatenate([evidence.score(w) for w in draws]), level)
    return Interval(low, high, level, resamples, seed)


def paired_test(
    first: Stackable,
    second: Stackable,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    report: Step = silent,
) -> PairedTest:
    """Compare two sets of maps of the same images, given in the same order.

    The interval resamples images, both maps of an image together; the p-value exchanges the two
    maps of random images and asks how often the difference becomes as large as the observed one.
    `report` hears how many of the twice `resamples` are done.
    """
    drawn = paired_draws(first, second, seed=seed, resamples=resamples, report=report)
    return judged(drawn, first.images, level=level, seed=seed)


@dataclass(frozen=True, slots=True)
class PairedDraws:
    """A difference as observed, in resamples of images, and with maps exchanged at random.

    Draws of one seed and as many images are of the same images, so that they can be averaged draw
    by draw: that is a mean over networks that were tried on one set of images.
    """

    observed: float
    spread: Floats  # (resamples,)
    exchanged: Floats  # (resamples,)


def paired_draws(
    first: Stackable,
    second: Stackable,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    report: Step = silent,
) -> PairedDraws:
    """Draw what an interval and a p-value are made from."""
    n = first.images
    if second.images != n:
        raise ValueError(f"{n} images cannot be paired with {second.images}")
    both = first.stacked(second)
    once = np.ones((1, n), np.int32)
    observed = float(_difference(both, once, 0 * once)[0])
    rng = np.random.default_rng(seed)
    draws = _told(_draws(rng, n, resamples), report)
    spread = [_difference(both, w, 0 * w) for w in draws]
    swaps = _told(_exchanges(rng, n, resamples), report, resamples)
    exchanged = [_difference(both, 1 - swap, swap) for swap in swaps]
    return PairedDraws(observed, np.concatenate(spread), np.concatenate(exchanged))


def mean_of(drawn: Sequence[PairedDraws]) -> PairedDraws:
    """Average differences draw by draw."""
    return PairedDraws(
        float(np.mean([one.observed for one in drawn])),
        np.mean([one.spread for one in drawn], axis=0),
        np.mean([one.exchanged for one in drawn], axis=0),
    )


def judged(drawn: PairedDraws, images: int, *, level: float = 0.95, seed: int = 0) -> PairedTest:
    """Turn draws into an interval and a two-sided p-value."""
    low, high = _middle(drawn.spread, level)
    count = len(drawn.exchanged)
    as_large = np.abs(drawn.exchanged) >= abs(drawn.observed) - 1e-9
    p_value = (1 + int(as_large.sum())) / (1 + count)
    return PairedTest(drawn.observed, low, high, level, p_value, images, count, seed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of one family of tests, so that errors anywhere in it are rare (Holm)."""
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, (len(p_values) - rank) * p_values[place])
        adjusted[place] = min(1.0, highest)
    found: list[float] = adjusted.tolist()
    return found


def _told(drawn: Iterator[Weights], report: Step, done: int = 0) -> Iterator[Weights]:
    """Report how many resamples are done whenever more are asked for."""
    for weights in drawn:
        yield weights
        done += len(weights)
        report(done)


def _difference(both: Evidence, kept: Weights, exchanged: Weights) -> Floats:
    """Score first minus second where each image counts as kept or with its maps exchanged."""
    return both.score(np.hstack([kept, exchanged])) - both.score(np.hstack([exchanged, kept]))


def _chunks(images: int, resamples: int) -> Iterator[int]:
    size = max(1, CHUNK_ENTRIES // max(1, images))
    for start in range(0, resamples, size):
        yield min(size, resamples - start)


def _draws(rng: np.random.Generator, images: int, resamples: int) -> Iterator[Weights]:
    """Draw as many images as there are, with replacement, and count each."""
    for size in _chunks(images, resamples):
        picked = rng.integers(images, size=(size, images))
        picked += np.arange(size)[:, None] * images
        counts = np.bincount(picked.ravel(), minlength=size * images)
        yield counts.reshape(size, images).astype(np.int32)


def _exchanges(rng: np.random.Generator, images: int, resamples: int) -> Iterator[Weights]:
    for size in _chunks(images, resamples):
        yield rng.integers(2, size=(size, images), dtype=np.int32)


def _middle(scores: Floats, level: float) -> tuple[float, float]:
    """Leave out resamples in which the metric means nothing: those without any foreground."""
    tail = (1 - level) / 2
    sound = scores[~np.isnan(scores)]
    low, high = np.quantile(sound, [tail, 1 - tail]) if len(sound) else (np.nan, np.nan)
    return float(low), float(high)

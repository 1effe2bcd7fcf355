"""Classifiers against content schemes and part schemes: the order of averaging, and intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sightline import progress
from sightline.parts.scores.scoring import Average, Scores, ordered

Floats = NDArray[np.float64]
STEPS = (("intra-object", "neighborhood"), ("low-detail", "higher-detail"))  # old, new
RESAMPLES, LEVEL = 1000, 0.95


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of a table, with its interval over images and what it is to be seen against."""

    classifier: str
    content: str
    value: float
    low: float
    high: float
    chance: float
    floor: float


@dataclass(frozen=True, slots=True)
class Change:
    """What more context or more detail gives, in percent of what there was: (old - new) / old."""

    classifier: str
    content: str
    percent: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Cube:
    """Scores by image, so that all of an image can be resampled together."""

    pairs: tuple[tuple[str, str], ...]  # classifier and content
    categories: tuple[str, ...]
    values: tuple[Floats, ...]  # of each category (images, pairs, part schemes), NaN where none is


def cube(frame: pd.DataFrame, metric: str) -> Cube:
    """Arrange scores by category, image, pair and part scheme."""
    sides = [frame[name].to_numpy(str) for name in ("classifier", "content")]
    pairs = tuple(dict.fromkeys(zip(*(side.tolist() for side in sides), strict=True)))
    numbers = {pair: number for number, pair in enumerate(pairs)}
    column = np.array([numbers[a, b] for a, b in zip(*sides, strict=True)], np.int64)
    scheme, schemes = pd.factorize(frame["part_scheme"])
    categories, values = tuple(map(str, dict.fromkeys(frame["category"]))), []
    for category in categories:
        mine = (frame["category"] == category).to_numpy(bool)
        image, images = pd.factorize(frame["image"][mine])
        table = np.full((len(images), len(pairs), len(schemes)), np.nan)
        table[image, column[mine], scheme[mine]] = frame[metric][mine].to_numpy(np.float64)
        values.append(table)
    return Cube(pairs, categories, tuple(values))


def averaged(tables: Sequence[Floats], average: Average) -> Floats:
    """Average over images, then part schemes, then categories: one number a pair."""
    return np.asarray(np.mean([_of_category(table, average) for table in tables], axis=0))


def _of_category(table: Floats, average: Average) -> Floats:
    if average == "pooled-median":
        return _median(table.transpose(0, 2, 1).reshape(-1, table.shape[1]))
    over_images = _median(table) if average == "median-mean-mean" else np.nanmean(table, axis=0)
    return np.asarray(np.nanmean(over_images, axis=1))


def _median(table: Floats) -> Floats:
    """Take the median over the first axis; of an even number the mean of the middle two."""
    find = np.nanmedian if np.isnan(table).any() else np.median
    return np.asarray(find(table, axis=0))


def resampled(made: Cube, average: Average, seed: int, times: int) -> Floats:
    """Average resamples of the images of each category: (times, pairs)."""
    rng = np.random.default_rng(seed)
    found = np.zeros((times, len(made.pairs)))
    with progress.shown("intervals", times) as step:
        for number in range(times):
            draws = [table[rng.integers(len(table), size=len(table))] for table in made.values]
            found[number] = averaged(draws, average)
            step(number + 1)
    return found


def contents(
    scores: Scores, metric: str, *, seed: int = 0, times: int = RESAMPLES
) -> tuple[list[Cell], list[Change]]:
    """Make the classifier x content table, and what each step to more is worth."""
    made = cube(in_order(scores.frame), metric)
    average = scores.options.average
    values = dict(zip(made.pairs, averaged(made.values, average).tolist(), strict=True))
    draws = resampled(made, average, seed, times)
    by_pair = {pair: draws[:, number] for number, pair in enumerate(made.pairs)}
    cells = [
        Cell(*pair, value, *_interval(by_pair[pair]), *_expected(scores, pair[0], metric, made))
        for pair, value in values.items()
    ]
    changes = [
        Change(
            classifier,
            new,
            float(improvement(values[classifier, old], values[classifier, new])),
            *_interval(improvement(by_pair[classifier, old], by_pair[classifier, new])),
        )
        for classifier in dict.fromkeys(classifier for classifier, _ in made.pairs)
        for old, new in STEPS
        if {(classifier, old), (classifier, new)} <= values.keys()
    ]
    return cells, changes


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave random orders of parts out where there are others."""
    kept = ordered(list(dict.fromkeys(frame["part_scheme"])))
    return frame[frame["part_scheme"].isin(kept)]


def _interval(draws: Floats) -> tuple[float, float]:
    if not len(draws):
        return float("nan"), float("nan")
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _expected(scores: Scores, classifier: str, metric: str, made: Cube) -> tuple[float, float]:
    known = scores.expected.get(classifier, {}).get(metric)
    if not known:
        return float("nan"), float("nan")
    chance, floor = (
        float(np.mean([known[what][name] for name in made.categories]))
        for what in ("chance", "floor")
    )
    return chance, floor


def improvement(old: Floats | float, new: Floats | float) -> Floats:
    """Give (old - new) / old in percent; the paper's 30.20 % for GoogLeNet divides by the new."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * (np.asarray(old) - new) / np.asarray(old))


def part_schemes(scores: Scores, metric: str) -> pd.DataFrame:
    """Give by part scheme and classifier the mean over contents and categories of medians."""
    frame = scores.frame
    over = {"median-mean-mean": "median", "mean": "mean", "pooled-median": "median"}
    keys = ["part_scheme", "classifier", "category", "content"]
    medians = frame.groupby(keys, sort=False)[metric].agg(over[scores.options.average])
    return medians.groupby(level=[0, 1], sort=False).mean().unstack()

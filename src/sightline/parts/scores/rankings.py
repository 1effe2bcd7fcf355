"""Who is best and worst at a category, how often answers are wrong, and how CDS goes with it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sightline.parts.scores.averages import Floats, averaged, cube, in_order
from sightline.parts.scores.scoring import Scores

ERRORS = {"all images": "error", "complete images": "last"}  # of which images, and the column


@dataclass(frozen=True, slots=True)
class Extreme:
    """The classifier that most often has the lowest or the highest score of a category."""

    category: str
    rank: str  # lowest or highest
    classifier: str
    wins: int
    of: int  # combinations of part scheme and content
    tied: tuple[str, ...] = ()  # others that win as often; the mean score decided


def extremes(scores: Scores, metric: str) -> list[Extreme]:
    """Find the best and the worst of each category over part schemes x contents.

    Classifiers that share the lowest median of a combination all win it. Who wins as often as
    another is ranked by the mean of the medians.
    """
    frame = in_order(scores.frame)
    keys = ["category", "part_scheme", "content", "classifier"]
    medians = frame.groupby(keys, sort=False)[metric].median().unstack()
    return [
        extreme
        for category in dict.fromkeys(frame["category"])
        for extreme in _of_category(category, medians.loc[category])
    ]


def _of_category(category: str, table: pd.DataFrame) -> list[Extreme]:
    found = []
    for rank, sign in (("lowest", 1), ("highest", -1)):
        signed = sign * table
        wins = signed.eq(signed.min(axis=1), axis=0).sum()
        most = wins[wins == wins.max()].index
        first, *others = signed[most].mean().sort_values(kind="stable").index
        found.append(Extreme(category, rank, first, int(wins[first]), len(table), tuple(others)))
    return found


def errors(scores: Scores) -> pd.DataFrame:
    """Give the share of complete images answered wrongly, by classifier and category.

    The last image of every sequence is the complete one; sequences of an image agree on it unless
    contents are cropped differently, and are averaged then.
    """
    frame = _with_last(scores.frame)
    images = frame.groupby(["classifier", "category", "image"], sort=False)["last"].mean()
    return images.groupby(level=[0, 1], sort=False).mean().unstack()


def _with_last(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(last=(frame["hits"].str[-1] == "0").astype(float))


@dataclass(frozen=True, slots=True)
class Correlation:
    """Whether contents that are hard by CDS are those that are hard by the share of errors."""

    metric: str
    over: str  # a key of ERRORS
    contents: tuple[str, ...]
    scores: tuple[float, ...]
    errors: tuple[float, ...]
    pearson: float
    pearson_p: float
    spearman: float
    spearman_p: float


def correlations(scores: Scores, metric: str) -> list[Correlation]:
    """Correlate scores with errors over the content schemes.

    002 does not say how the error on complete images could vary over content schemes; that of all
    images of the sequences does, and the other is printed beside it.
    """
    frame = _with_last(in_order(scores.frame))
    contents = tuple(dict.fromkeys(frame["content"]))
    made = cube(frame, metric)
    values = averaged(made.values, scores.options.average)
    of_content = [np.array([pair[1] == one for pair in made.pairs]) for one in contents]
    known = np.array([values[chosen].mean() for chosen in of_content])
    found = []
    for over, column in ERRORS.items():
        rates = frame.groupby(["classifier", "content", "part_scheme", "category"])[column].mean()
        medians = rates.groupby(level=[0, 1, 2]).median().groupby(level=[0, 1]).mean()
        wrong = medians.groupby(level=1).mean()[list(contents)].to_numpy(np.float64)
        both = (tuple(known.tolist()), tuple(wrong.tolist()))
        found.append(Correlation(metric, over, contents, *both, *correlated(known, wrong)))
    return found


def correlated(a: Floats, b: Floats) -> tuple[float, float, float, float]:
    """Give Pearson's and Spearman's coefficients with two-sided p values; NaN without spread."""
    from scipy import stats

    if len(a) < 3 or np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        return (float("nan"),) * 4
    pearson, spearman = stats.pearsonr(a, b), stats.spearmanr(a, b)
    values = (pearson.statistic, pearson.pvalue, spearman.statistic, spearman.pvalue)
    one, two, three, four = map(float, values)
    return one, two, three, four

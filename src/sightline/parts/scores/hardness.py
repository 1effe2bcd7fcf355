"""How hard an image is: the median of its scores; and which of its images machines fail on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sightline.parts.scores.averages import in_order
from sightline.parts.scores.weighing import BINS, cl_ratios

Fixed = Literal["content", "classifier"]
FIXED: tuple[Fixed, ...] = ("content", "classifier")
EASIEST = 3
MIDDLE = 4


def hardness(frame: pd.DataFrame, fixed: Fixed) -> pd.DataFrame:
    """Give the median CDS of each image, for one content or classifier at a time.

    It is over classifiers and part schemes where the content is fixed, over contents and part
    schemes where the classifier is: one column each.
    """
    table = in_order(frame).groupby(["category", "image", fixed], sort=False)["cds"].median()
    return table.unstack()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the gallery: the easiest three, the middle four and the hardest three."""

    name: str
    images: tuple[str, ...]
    scores: tuple[float, ...]


def gallery(table: pd.DataFrame) -> list[Row]:
    """Choose the images that show what is easy and hard; equal ones in the order of names."""
    rows = []
    for name in table.columns:
        found = table[name].dropna().reset_index(level=0, drop=True)
        found = found.sort_index(kind="stable").sort_values(kind="stable")
        count = len(found)
        middle = max(0, count // 2 - MIDDLE // 2)
        places = [
            *range(min(EASIEST, count)),
            *range(middle, min(count, middle + MIDDLE)),
            *range(max(0, count - EASIEST), count),
        ]
        chosen = found.iloc[sorted(set(places))]
        rows.append(Row(str(name), tuple(chosen.index), tuple(map(float, chosen))))
    return rows


@dataclass(frozen=True, slots=True)
class Candidate:
    """Images of a sequence that people may know and machines do not."""

    image: str
    category: str
    threshold: float
    steps: int
    first: int  # of the images that qualify, counted from 1
    last: int


def captchas(frame: pd.DataFrame) -> list[Candidate]:
    """List the images i of a sequence of N with 1 < i < floor(s N).

    s is the lower of an image's least hardness for any classifier and for any content (002,
    supplement C, writes arg min where it means min).
    """
    least = pd.concat([hardness(frame, fixed).min(axis=1) for fixed in FIXED], axis=1).min(axis=1)
    lengths = frame.groupby(["category", "image"], sort=False)["steps"].first()
    found = []
    hardest = least.sort_values(ascending=False, kind="stable")
    for (category, image), threshold in zip(hardest.index.tolist(), hardest, strict=True):
        steps = int(lengths.loc[(category, image)])
        last = int(np.floor(threshold * steps + 1e-9)) - 1
        if last >= 2:
            found.append(Candidate(image, category, float(threshold), steps, 2, last))
    return found


def cl_histogram(hits: Sequence[str], *, first: bool = True) -> NDArray[np.int64]:
    """Count CL-ratios by the position at which a run begins: (positions, bins from 0 to 1).

    Much in the low bins of early positions would mean early hits that are lost again, which the
    weights of CDS reward wrongly.
    """
    counts = np.zeros((max(map(len, hits), default=0), BINS), np.int64)
    for text, times in Counter(hits).items():
        for position, ratio in cl_ratios(np.array([c == "1" for c in text]), first=first):
            counts[position - 1, min(int(ratio * BINS), BINS - 1)] += times
    return counts

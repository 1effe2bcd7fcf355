"""Scores of every sequence: CDS, B-CDS, the share of wrong answers, and the answers as hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
import pandas as pd

from sightline.hyperparameters import validate
from sightline.parts.mapping import BY_HAND
from sightline.parts.scores.collecting import Collected
from sightline.parts.scores.meaning import Meanings
from sightline.parts.scores.weighing import dissimilarity

RANDOM = "random"
Average = Literal["median-mean-mean", "mean", "pooled-median"]


@dataclass(frozen=True, slots=True)
class Options:
    """How answers become scores."""

    measure: Annotated[str, "similarity of label and category"] = "wup"
    mapping: Annotated[str, "hits: by-hand, hypernymy, or a CSV file (category, label)"] = BY_HAND
    average: Annotated[
        Average,
        "median over images, then means over part schemes and categories; or means alone; or the"
        " median of all sequences of a category",
    ] = "median-mean-mean"
    cl_first: Annotated[bool, "a run of hits from the first image on has a CL-ratio"] = True

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, eq=False)
class Scores:
    """A line a sequence: TEXTS, steps, cds, b_cds, error, and hits as text such as 0011.

    `expected` gives chance and floor of cds and b_cds, by classifier and category.
    """

    frame: pd.DataFrame
    expected: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]
    options: Options = field(default_factory=Options)


def score(collected: Collected, meanings: Meanings, options: Options) -> Scores:
    """Score every sequence."""
    rows = np.array([meanings.labels.index(label) for label in collected.labels], np.int64)
    columns = {name: number for number, name in enumerate(meanings.categories)}
    lines = []
    for category, best in zip(collected.frame["category"], collected, strict=True):
        answered, column = rows[best], columns[category]
        hits = meanings.hits[answered, column]
        lines.append(
            (
                dissimilarity(meanings.similar[answered, column]),
                dissimilarity(hits.astype(np.float64)),
                1 - float(hits.mean()),
                "".join("1" if hit else "0" for hit in hits),
            )
        )
    names = ["cds", "b_cds", "error", "hits"]
    frame = pd.concat([collected.frame, pd.DataFrame(lines, columns=names)], axis=1)
    classifiers = list(dict.fromkeys(collected.frame["classifier"]))
    return Scores(frame, _expected(classifiers, collected, meanings), options)


def _expected(
    classifiers: Sequence[str], collected: Collected, meanings: Meanings
) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Give chance and floor of those whose labels are all known."""
    found = {}
    for classifier in classifiers:
        labels = collected.about.labels.get(classifier)
        if labels:
            found[classifier] = {
                name: {
                    what: dict(zip(meanings.categories, values.tolist(), strict=True))
                    for what, values in of.items()
                }
                for name, of in meanings.expected(labels).items()
            }
    return found


def ordered(schemes: Sequence[str]) -> list[str]:
    """Leave random orders out where there are others: the averages are over the latter."""
    others = [name for name in schemes if not name.startswith(RANDOM)]
    return others or list(schemes)

"""How well a similarity agrees with a mapping of labels to categories: two criteria.

Paper: 002, supplement B. It states neither the mapping nor what happens in ties, so that both are
arguments here; its scores are multiples of 1/128 (criterion 1) and of 1/12 (criterion 2).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sightline.parts.mapping import LabelMapping
from sightline.parts.similarity.contract import Floats

Ties = Literal["first", "any", "all"]
Scores = Callable[[Sequence[str], Sequence[str]], Floats]  # (rows, columns)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of how many agree."""

    agreeing: int
    total: int
    failing: tuple[str, ...]

    @property
    def share(self) -> float:
        """Give the criterion's score."""
        return self.agreeing / self.total if self.total else float("nan")


def criterion_1(
    scores: Scores,
    mapping: LabelMapping,
    labels: Sequence[str],
    ties: Ties = "first",
) -> Agreement:
    """Count mapped labels whose most similar other label is mapped to the same category.

    `labels` are all candidates. Where several are most similar, the first in their order decides,
    or one of the same category is enough (any), or all must be of it.
    """
    owned = [(name, label) for name, of in mapping.labels.items() for label in sorted(of)]
    rows = list(dict.fromkeys(label for _, label in owned))
    # a label's similarity to the others, not theirs to it: lesk is not symmetric
    table = dict(zip(rows, scores(rows, labels), strict=True)) if rows else {}
    failing = []
    for category, label in owned:
        line = np.nan_to_num(table[label], nan=-np.inf)
        line[[place for place, other in enumerate(labels) if other == label]] = -np.inf
        nearest = [labels[place] for place in np.flatnonzero(line == line.max()).tolist()]
        same = [other in mapping.labels[category] for other in nearest]
        if not {"first": same[0], "any": any(same), "all": all(same)}[ties]:
            failing.append(label)
    return Agreement(len(owned) - len(failing), len(owned), tuple(failing))


def criterion_2(
    scores: Scores,
    mapping: LabelMapping,
    categories: Mapping[str, str],
    ties: Ties = "all",
) -> Agreement:
    """Count categories that are more like one of their labels than like any other category.

    `categories` are synsets by name. In a tie a category fails, unless `ties` is any. One without
    labels fails.
    """
    failing = []
    for category, synset in categories.items():
        mine = sorted(mapping.labels[category])
        others = [other for name, other in categories.items() if name != category]
        inside = _most(scores([synset], mine))
        outside = _most(scores([synset], others))
        if not (inside > outside or (ties == "any" and inside == outside and mine)):
            failing.append(category)
    return Agreement(len(categories) - len(failing), len(categories), tuple(failing))


def _most(scores: Floats) -> float:
    return float(np.nan_to_num(scores, nan=-np.inf).max(initial=-np.inf))

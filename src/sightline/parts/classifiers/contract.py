"""What answers to the images of part sequences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]  # (height, width, 3), red first
BEST = 5  # answers that are kept


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to one image, best first."""

    labels: tuple[str, ...]  # WordNet noun ids where they are known, or else names
    probabilities: tuple[float, ...] = ()


class Classifier(Protocol):
    """Anything that names pictures."""

    @property
    def title(self) -> str:
        """Say what it is."""

    @property
    def labels(self) -> tuple[str, ...]:
        """List all that it could answer; empty where that is not known."""

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        """Answer to some pictures, whose names are `OBJECT/FILE` as sequences are written."""


class ClassifierModule(Protocol):
    """What the file of a classifier has."""

    Options: type

    def load(self, options: Any) -> Classifier:
        """Make it ready to answer."""


def best(scores: NDArray[Any], labels: Sequence[str], count: int = BEST) -> list[Answered]:
    """Turn probabilities (N, classes) into answers; equal ones by the order of the classes."""
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    return [
        Answered(
            tuple(labels[label] for label in row),
            tuple(float(one[label]) for label in row),
        )
        for one, row in zip(scores, ranked.tolist(), strict=True)
    ]

"""A box around the middle of the image: what an annotator that looks at nothing gives.

Paper: none; the counterpart of the center-Gaussian baseline among annotators
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from sightline.annotators.contract import Image, Item, Plain, Proposals
from sightline.hyperparameters import Uniform, validate
from sightline.types import Split

GIVES = "box"


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen."""

    side: Annotated[float, "of the box, in shares of the image's", Uniform(0, 1)] = 0.7

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, slots=True)
class Center(Plain):
    """The same box for all images of a size."""

    side: float = 0.7

    def propose(self, image: Image, item: Item) -> Proposals:
        """Give the one box."""
        height, width = image.shape[:2]
        low, high = (1 - self.side) / 2, (1 + self.side) / 2
        box = np.array([[low * width, low * height, high * width, high * height]])
        return Proposals(box, np.ones(1))


def open(options: Options, split: Split) -> Center:  # noqa: A001
    """Make it."""
    return Center(side=options.side)

"""What a gallery shows of an image: the photograph, the truth, and every method's map of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sightline.drawing.overlay import Picture
from sightline.metrics.protocol import Protocol


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A method's map of an image, with the truth in the map's own frame: boxes or a mask."""

    scores: NDArray[np.float64]
    boxes: NDArray[np.float64] | None = None
    mask: NDArray[np.uint8] | None = None  # in the codes of `sightline.types`


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """An image with all views of it."""

    image: str
    label: str
    picture: Picture
    views: Mapping[str, Mapping[str, View]]  # by the protocol's name and the method's


@dataclass(frozen=True, slots=True)
class Shown:
    """A method under a protocol, as its row tells it."""

    method: str
    metric: str
    value: float
    thresholds: Mapping[str, float]  # the best ones, by IoU threshold or by name


@dataclass(frozen=True, slots=True)
class Stage:
    """What a gallery is of: a split, the protocols, and which methods each of them measured."""

    title: str  # data set and split
    images: int  # shown here
    of: int  # in the split
    seed: int  # of the choice among them
    protocols: Mapping[str, Protocol]
    shown: Mapping[str, tuple[Shown, ...]]  # by the protocol's name
    notes: tuple[str, ...] = field(default=())

    @property
    def methods(self) -> list[str]:
        """List all methods, in the order of the first protocol."""
        named = (one.method for rows in self.shown.values() for one in rows)
        return list(dict.fromkeys(named))

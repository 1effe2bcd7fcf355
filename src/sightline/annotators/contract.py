"""What an annotator is: a file with `GIVES`, `Options` and `open`.

The file has, in this order: a docstring with its paper; `GIVES`, what its answers are; `Options`, a
frozen dataclass whose fields carry default and range; and

    def open(options: Options, split: Split) -> Source

which reads models and refuses what is wrong with them, once in each process. The split has ids,
labels and the names of classes, and no localization label. `Source.propose` is then asked about one
image after another, in any order, in one process or several: its answer follows from the image, the
options, the seed it is given, and, if the file says `CLASSES = True`, the class. It is kept under
these and never asked for twice.

An answer is one of four things. `Proposals` are boxes: where `GIVES` is "proposals" the stages of
selection choose one of them, where it is "box" the first one is taken. A `Heat` is a score map: its
box is around the largest region at Otsu's threshold. A `Region` is a mask: its box is around the
largest part. `Nothing` is an answer too, with its reason; it never becomes a box of zeros.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.types import LedgerEntry, Split

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]  # (height, width, 3), RGB

Gives = Literal["proposals", "box", "heat", "region"]


@dataclass(frozen=True, slots=True)
class Item:
    """What is known of an image without looking at a localization label."""

    name: str
    label: int = -1  # -1 where no class is known
    class_name: str = ""
    seed: int = 0  # follows from the image's bytes and the seed of the command


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Boxes and how good their source thinks that they are, in any order.

    Corners are edges between pixels of the image: x1 - x0 is the width, and a box around the whole
    image is 0, 0, width, height.
    """

    boxes: Floats  # (N, 4) x0, y0, x1, y1
    scores: Floats  # (N,) more is better


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """A score map of any size and range; more means more foreground."""

    scores: Floats  # (h, w)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A mask of any size, resized to the image without blending."""

    inside: NDArray[np.bool_]  # (h, w)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No answer, and why."""

    reason: str


Answer = Proposals | Heat | Region | Nothing


class Source(Protocol):
    """An annotator that is ready to be asked.

    `origin` tells what answers depend on besides options and image, such as the hash of a file of
    weights; `ledger` lists localization labels that went into it. Both may be empty.
    """

    origin: Mapping[str, Any]
    ledger: tuple[LedgerEntry, ...]

    def propose(self, image: Image, item: Item) -> Answer:
        """Say where the object may be."""


@dataclass(frozen=True, slots=True)
class Plain:
    """What a source without a model starts from."""

    origin: Mapping[str, Any] = field(default_factory=dict)
    ledger: tuple[LedgerEntry, ...] = ()


class AnnotatorModule(Protocol):
    """What the file of an annotator has; `CLASSES = True` too if its answers depend on a class.

    `RANKS = "classifier"` says that scores tell little, so that a classifier ranks its proposals.
    """

    GIVES: Gives
    Options: type

    def open(self, options: Any, split: Split) -> Source:
        """Read what is needed, and refuse what is wrong with it."""

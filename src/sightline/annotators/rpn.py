"""Our own region proposal network: boxes around objects of whatever class, with objectness.

Paper: Ren et al., Faster R-CNN: Towards Real-Time Object Detection with Region Proposal Networks,
NeurIPS 2015

A small head on the packaged Lite0, trained with `sightline annotate train rpn` on any data set with
boxes, other images and other classes than those to annotate. Its weights remember which boxes it
learned from, and the ledger of what it annotates shows them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import torch

from sightline import rows
from sightline.annotators.contract import Answer, Image, Item, Nothing, Proposals
from sightline.annotators.nms import suppressed
from sightline.annotators.rpn_network import Features, Head, found, read
from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, Uniform, Whole, validate
from sightline.types import LedgerEntry, Split

GIVES, RANKS = "proposals", "objectness"
BEFORE = 1000  # boxes that go into suppression


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen."""

    weights: Annotated[str, "file that 'sightline annotate train rpn' wrote"] = ""
    overlap: Annotated[
        float, "IoU with a better box from which on a box is left out", Uniform(0, 1)
    ] = 0.7
    most: Annotated[int, "boxes that are kept, the best ones", Whole(1, BEFORE)] = 100
    least: Annotated[float, "objectness of the boxes that are kept", Uniform(0, 1)] = 0.0
    smallest: Annotated[float, "side of a box, in shares of the image's", AtLeast(0)] = 0.02

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, slots=True)
class Proposer:
    """The network, ready."""

    options: Options
    head: Head
    features: Features
    origin: Mapping[str, Any] = field(default_factory=dict)
    ledger: tuple[LedgerEntry, ...] = ()

    def propose(self, image: Image, item: Item) -> Answer:
        """Look once at the whole image."""
        side = self.features.side
        shrinks = min(image.shape[:2]) > side
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        square = np.asarray(cv2.resize(image, (side, side), interpolation=how), np.uint8)
        with torch.inference_mode():
            boxes, scores = found(self.head, *self.features.of([square]))
        return self._kept(boxes[0].double().numpy(), scores[0].double().numpy(), image)

    def _kept(self, boxes: Any, scores: Any, image: Image) -> Answer:
        large = ((boxes[:, 2:] - boxes[:, :2]) >= max(self.options.smallest, 1e-6)).all(1)
        good = np.flatnonzero(large & (scores >= self.options.least))
        good = good[np.argsort(-scores[good], kind="stable")[:BEFORE]]
        height, width = image.shape[:2]
        boxes, scores = boxes[good] * (width, height, width, height), scores[good]
        stay = suppressed(boxes, scores, self.options.overlap, most=self.options.most)
        if not len(stay):
            return Nothing(f"no proposal has an objectness of {self.options.least:g} or more")
        return Proposals(boxes[stay], scores[stay])


def open(options: Options, split: Split) -> Proposer:  # noqa: A001
    """Read the weights."""
    if not options.weights:
        raise UsageError(
            "--weights is missing; train some, about a minute:"
            " sightline annotate train rpn --data D --out rpn.safetensors"
        )
    file = Path(options.weights)
    head, told, ledger = read(file)
    origin = {"weights": rows.file_hash(file), "trained": told}
    return Proposer(options, head, Features(int(told["side"])), origin, ledger)

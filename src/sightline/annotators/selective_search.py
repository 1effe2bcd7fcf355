"""Selective search: regions of alike color and texture, merged step by step; a box around each.

Paper: Uijlings et al., Selective Search for Object Recognition, IJCV 2013

OpenCV's. It shuffles its ranking with the random numbers of the C library, which all threads of a
process share: they are begun anew for each image, and images are shared out among processes, never
threads. Scores fall evenly with the rank, so that they say nothing about the object.
"""

import ctypes
import os
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import cv2
import numpy as np

from sightline.annotators.contract import Answer, Image, Item, Nothing, Plain, Proposals
from sightline.errors import SightlineError
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.types import Split

GIVES, RANKS = "proposals", "classifier"
LIBRARY = "opencv-contrib-python-headless"


@dataclass(frozen=True, slots=True)
class Options:
    """What may be chosen."""

    mode: Annotated[
        Literal["fast", "quality", "single"], "how many segmentations regions grow from"
    ] = "fast"
    longest: Annotated[
        int, "side that larger images are scaled down to; 0 for none", AtLeast(0)
    ] = 0
    smallest: Annotated[float, "side of a box, in shares of the image's", Uniform(0, 1)] = 0.05
    most: Annotated[int, "boxes that are kept, the first ranks; 0 for all", AtLeast(0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


@dataclass(frozen=True, slots=True)
class SelectiveSearch(Plain):
    """OpenCV's search, begun anew for each image."""

    options: Options = Options()

    def propose(self, image: Image, item: Item) -> Answer:
        """Search an image."""
        small = _scaled(image, self.options.longest)
        if min(small.shape[:2]) < 2:
            return Nothing("the image is a line; selective search needs two pixels each way")
        found = _searched(small, self.options.mode, item.seed).astype(np.float64)
        if not len(found):
            return Nothing("selective search found no region")
        scale = np.array(image.shape[1::-1]) / np.array(small.shape[1::-1])
        boxes = np.hstack([found[:, :2] * scale, (found[:, :2] + found[:, 2:]) * scale])
        sides = (boxes[:, 2:] - boxes[:, :2]) / image.shape[1::-1]
        boxes = boxes[(sides >= self.options.smallest).all(1)]
        boxes = boxes[: self.options.most or None]
        if not len(boxes):
            return Nothing("no region is as large as asked for")
        return Proposals(boxes, 1 - np.arange(len(boxes)) / len(boxes))


def open(options: Options, split: Split) -> SelectiveSearch:  # noqa: A001
    """Make sure that OpenCV has it."""
    if not hasattr(cv2, "ximgproc"):
        raise SightlineError(
            "this OpenCV has no selective search; uninstall every opencv package, then"
            " pip install opencv-contrib-python-headless"
        )
    return SelectiveSearch(options=options)


def _searched(image: Image, mode: str, seed: int) -> Any:
    """Give x, y, width, height, best first."""
    search = cv2.ximgproc.segmentation.createSelectiveSearchSegmentation()
    search.setBaseImage(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    if mode == "fast":
        search.switchToSelectiveSearchFast()
    elif mode == "quality":
        search.switchToSelectiveSearchQuality()
    else:
        search.switchToSingleStrategy()
    _c_library().srand(ctypes.c_uint(seed & 0x7FFFFFFF))
    found = np.asarray(search.process())
    return found.reshape(-1, 4)


def _c_library() -> Any:
    return ctypes.cdll.msvcrt if os.name == "nt" else ctypes.CDLL(None)


def _scaled(image: Image, longest: int) -> Image:
    height, width = image.shape[:2]
    scale = longest / max(height, width) if longest else 1
    if scale >= 1:
        return image
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)

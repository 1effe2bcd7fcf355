"""Networks of PyTorch as classifiers: pictures are warped whole to the input, never cropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import torch
from torch import Tensor

from sightline.allocation import keep_freed_memory
from sightline.attribution.networks import scores_of
from sightline.data.class_names import ClassNames, imagenet, numbered, read_class_names
from sightline.errors import UsageError
from sightline.parts.classifiers.contract import Answered, Picture, best

Channels = tuple[float, float, float]
Network = Callable[[Tensor], object]


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """How a picture becomes input."""

    size: int
    mean: Channels = (0.485, 0.456, 0.406)
    std: Channels = (0.229, 0.224, 0.225)
    scale: float = 255.0  # what pixels are divided by before
    order: Literal["rgb", "bgr"] = "rgb"

    def __call__(self, picture: Picture) -> np.ndarray:
        """Warp and normalize, (3, size, size)."""
        shrinks = min(picture.shape[:2]) > self.size
        kind = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        small = cv2.resize(picture, (self.size, self.size), interpolation=kind)
        mean, std = np.array(self.mean, np.float32), np.array(self.std, np.float32)
        values = (small.astype(np.float32) / np.float32(self.scale) - mean) / std
        channels = values.transpose(2, 0, 1)
        return np.ascontiguousarray(channels[::-1] if self.order == "bgr" else channels)


CAFFE = {"mean": (123.0, 117.0, 104.0), "std": (1.0, 1.0, 1.0), "scale": 1.0, "order": "bgr"}


@dataclass(frozen=True, slots=True, eq=False)
class TorchClassifier:
    """A network with what its input and its answers mean."""

    title: str
    network: Network
    preprocessing: Preprocessing
    labels: tuple[str, ...]

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        """Answer to some pictures."""
        keep_freed_memory()
        batch = torch.from_numpy(np.stack([self.preprocessing(one) for one in pictures]))
        with torch.inference_mode():
            scores = scores_of(self.network(batch)).float()
        if scores.shape[1] != len(self.labels):
            raise UsageError(
                f"{self.title}: {len(self.labels)} names for {scores.shape[1]} answers of its own"
            )
        return best(scores.double().softmax(1).numpy(), self.labels)


def labels_of(names: ClassNames) -> tuple[str, ...]:
    """Give what is written as an answer: an id of WordNet where there is one."""
    return tuple(s or names.name(i) for i, s in enumerate(names.synsets))


def named(file: str, classes: int) -> tuple[str, ...]:
    """Name classes as a file says, or as ImageNet's where there are 1,000."""
    known = read_class_names(Path(file)) if file else None
    if known is None:
        known = imagenet() if classes == len(imagenet()) else numbered(classes)
    if len(known) != classes:
        raise UsageError(f"{file}: {len(known)} names for a network of {classes} classes")
    return labels_of(known)

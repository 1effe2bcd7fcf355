"""The classifier that chooses among boxes: where it looks, and what it thinks of a crop.

It was trained with labels of images alone: a run of `sightline train`, or the packaged network,
which knows ImageNet's classes. A class of the data that it knows by name is looked for; where it
knows no such class it takes the one that it finds likeliest in the whole image.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
import torch
from PIL import Image as Pillow
from torch import Tensor

from sightline.annotators.contract import Floats, Image
from sightline.backbones import weights
from sightline.data.class_names import imagenet
from sightline.errors import UsageError
from sightline.methods.assembly import build
from sightline.methods.contract import Method, given
from sightline.metrics.score_maps import prepare
from sightline.training.inference import for_inference
from sightline.training.trained import load_run
from sightline.types import LedgerEntry, Split

PACKAGED, BACKBONE, SIDE = "packaged", "efficientnet-lite0", 224
Scoring = Literal["crops", "cam", "objectness"]


@dataclass(frozen=True, slots=True)
class Asking:
    """Which classifier, and how it is asked; plain data."""

    place: str = PACKAGED  # or the folder of a run
    checkpoint: str = "last"
    scoring: Scoring = "crops"
    crop_side: int = 0  # that of the classifier's input if 0
    batch: int = 64

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.crop_side and not 32 <= self.crop_side <= 2048:
            raise UsageError("--crop-side is from 32 to 2048, or 0 for that of the classifier")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the classifier makes of a whole image."""

    label: int  # the class that is looked for, in the classifier's count
    peak: tuple[float, float]  # x, y of the center of the pixel where the CAM is highest
    scores: Floats  # the CAM in the image's size, in [0, 1]


class Classifier:
    """A network that tells where it looks."""

    def __init__(self, asking: Asking, split: Split) -> None:
        self.asking = asking
        self.ledger: tuple[LedgerEntry, ...] = ()
        if asking.place == PACKAGED:
            self._open_packaged(split)
        else:
            self._open_run(split)
        self._crop = asking.crop_side or self._side
        self._network = for_inference(self._method)

    def _open_packaged(self, split: Split) -> None:
        method: Method = build("cam", BACKBONE, 1000, resolution=7)
        weights.fill(method, weights.read(BACKBONE, "imagenet"), whole=True)
        known = method.backbone.normalization
        self._method, self._side = method.eval(), SIDE
        self._mean, self._std = known.mean, known.std
        self._labels = [_imagenet_class(name) for name in split.classes]
        self.origin: dict[str, Any] = {"classifier": f"{BACKBONE}, imagenet"}

    def _open_run(self, split: Split) -> None:
        trained = load_run(self.asking.place, self.asking.checkpoint)
        self._method = trained.network
        if not self._method.classifies:
            name = trained.config["method"]
            raise UsageError(f"{trained.root}: {name} tells no classes apart; name another run")
        highest = int(split.labels.max(initial=-1))
        if highest >= self._method.classes:
            raise UsageError(
                f"{trained.root}: knows {self._method.classes} classes, but label {highest} occurs;"
                " name a run that was trained on the same classes"
            )
        transform = trained.transform
        self._side, self._mean, self._std = transform.test_resize, transform.mean, transform.std
        self._labels = list(range(self._method.classes))
        self.ledger = trained.ledger
        self.origin = {
            "classifier": f"{trained.config['method']}, {trained.config['backbone']}",
            "sha256": trained.sha256,
        }

    def see(self, image: Image, label: int) -> Seen:
        """Look at an image for a class of the data."""
        wanted = self._labels[label] if 0 <= label < len(self._labels) else -1
        whole = Pillow.fromarray(image).resize((self._side, self._side), Pillow.Resampling.BILINEAR)
        batch = self._input([np.asarray(whole)])
        with torch.inference_mode():
            logits = self._network.classify(batch) if wanted < 0 else None
            chosen = wanted if logits is None else int(logits[0].argmax())
            said = self._network.localize(batch, given(torch.tensor([chosen])))
        height, width = image.shape[:2]
        scores = prepare(said.maps[0, 0].float().numpy(), size=(width, height))
        y, x = np.unravel_index(int(scores.argmax()), scores.shape)
        return Seen(chosen, (float(x) + 0.5, float(y) + 0.5), scores)

    def respond(self, image: Image, seen: Seen, boxes: Floats) -> Floats:
        """Give the probability of the class in each box, or how well it covers the CAM."""
        if self.asking.scoring == "cam" or not len(boxes):
            return overlaps_with(seen.scores, boxes)
        found = []
        for start in range(0, len(boxes), self.asking.batch):
            part = boxes[start : start + self.asking.batch]
            crops = [_cropped(image, box, self._crop) for box in part]
            with torch.inference_mode():
                answer = self._network.classify(self._input(crops))
            found.append(answer.double().softmax(1)[:, seen.label].numpy())
        return np.concatenate(found)

    def _input(self, pictures: Sequence[Image]) -> Tensor:
        pixels = np.stack(pictures).astype(np.float32) / 255
        scaled = (pixels - np.array(self._mean, np.float32)) / np.array(self._std, np.float32)
        tensor = torch.from_numpy(scaled.transpose(0, 3, 1, 2))
        return tensor.contiguous(memory_format=torch.channels_last)


def _imagenet_class(name: str) -> int:
    """Find a class of ImageNet by its name, -1 if there is none or more than one."""
    try:
        return imagenet().find(name)
    except UsageError:
        return -1


def _cropped(image: Image, box: Floats, side: int) -> Image:
    """Cut a box out, whole pixels that it touches, and warp it to a square."""
    height, width = image.shape[:2]
    x0, y0 = (max(0, math.floor(edge)) for edge in box[:2])
    x1, y1 = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    cut = image[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    smaller = cut.shape[0] > side and cut.shape[1] > side
    how = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(cut, (side, side), interpolation=how), np.uint8)


def overlaps_with(scores: Floats, boxes: Floats) -> Floats:
    """Give the overlap of boxes with a map in [0, 1] taken for a soft mask: shared over united."""
    height, width = scores.shape
    sums = np.pad(scores.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    x0, y0, x1, y1 = np.clip(np.round(boxes).astype(np.int64), 0, (width, height) * 2).T
    inside = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
    united = (x1 - x0) * (y1 - y0) + sums[-1, -1] - inside
    return np.asarray(inside / np.maximum(united, 1e-9))

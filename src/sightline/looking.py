"""Photographs in; labels, a score map and a box out: `sightline look`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from sightline import registry
from sightline.attribution.localizing import finished
from sightline.attribution.model_files import read_model
from sightline.attribution.networks import ModuleNetwork, Network
from sightline.backbones.contract import Normalization
from sightline.data.class_names import ClassNames, imagenet, numbered, read_class_names
from sightline.data.photographs import inspect, open_photograph
from sightline.errors import UsageError
from sightline.metrics.box import boxes_at, map_boxes
from sightline.metrics.protocol import preset

LARGEST_FRAME = 1024  # side of the frame in which boxes are searched; larger photographs are scaled
PACKAGED, SIDE = "efficientnet-lite0", 224
Channels = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Classifier:
    """A network with what its input and its answers mean."""

    title: str
    network: Network
    names: ClassNames
    size: int  # side of the square that photographs are warped to
    mean: Channels
    std: Channels

    def input_of(self, photograph: Image.Image) -> Tensor:
        """Warp a photograph to the network's square and normalize it, (3, size, size)."""
        small = photograph.resize((self.size, self.size), Image.Resampling.BILINEAR)
        pixels = np.asarray(small, np.float32) / 255
        mean, std = np.array(self.mean, np.float32), np.array(self.std, np.float32)
        normalized = (pixels - mean) / std
        return torch.from_numpy(np.ascontiguousarray(normalized.transpose(2, 0, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """What was seen in a photograph."""

    file: Path
    photograph: NDArray[np.uint8]  # upright
    top: tuple[tuple[int, float], ...]  # the likeliest labels and their probabilities
    label: int  # what was localized
    score_map: NDArray[np.float64]  # in [0, 1], in the photograph's proportions
    box: tuple[int, int, int, int] | None  # in the photograph's pixels; None for a map without any


def packaged(size: int = SIDE) -> Classifier:
    """Give the ImageNet classifier whose weights are installed with the package."""
    from sightline.backbones.weights import fill, read
    from sightline.methods.assembly import build

    method = build("cam", PACKAGED, 1000, resolution=7)
    fill(method, read(PACKAGED, "imagenet"), whole=True)
    normalization = method.backbone.normalization
    return Classifier(
        "EfficientNet-Lite0 (ImageNet)",
        ModuleNetwork(method.eval(), normalization=normalization),
        imagenet(),
        size,
        normalization.mean,
        normalization.std,
    )


def from_file(
    file: Path, *, size: int, mean: Channels, std: Channels, names: Path | None
) -> Classifier:
    """Read a classifier of the user's own: TorchScript, torch.export or ONNX."""
    network = read_model(file)
    network.normalization = Normalization(mean, std)
    classes = network.answers(torch.zeros(1, 3, size, size)).shape[1]
    known = read_class_names(names) if names else _names_for(classes)
    if len(known) != classes:
        raise UsageError(f"{names}: {len(known)} names for a network of {classes} classes")
    return Classifier(file.name, network, known, size, mean, std)


def from_run(root: Path, *, names: Path | None = None, size: int | None = None) -> Classifier:
    """Take the network of a training run, with its own input, from its last checkpoint."""
    from sightline.training.trained import load_run

    trained = load_run(root)
    method, transform = trained.network, trained.transform
    if not method.classifies:
        raise UsageError(f"{root}: {trained.config['method']} tells no classes apart")
    known = read_class_names(names) if names else _names_for(method.classes)
    if len(known) != method.classes:
        raise UsageError(f"{names}: {len(known)} names for a network of {method.classes} classes")
    title = f"{root.name} ({trained.config['method']}, {trained.config['backbone']})"
    side = size or transform.test_resize
    return Classifier(title, ModuleNetwork(method), known, side, transform.mean, transform.std)


def _names_for(classes: int) -> ClassNames:
    known = imagenet()
    return known if classes == len(known) else numbered(classes)


def look(
    classifier: Classifier,
    files: Sequence[Path],
    *,
    explainer: str = "cam",
    options: Any = None,
    label: int | None = None,
    threshold: float = 0.2,
) -> Iterator[Sighting]:
    """Look at photographs one after the other.

    Args:
        classifier: what looks.
        files: the photographs.
        explainer: what makes the score maps.
        options: the explainer's, its defaults if not given.
        label: the class to localize, the likeliest one if not given.
        threshold: of the map in [0, 1]; the box is around the largest component at or above it.
    """
    module = registry.load("explainer", explainer)
    settings = module.Options() if options is None else options
    for file in files:
        yield _sighting(classifier, file, module, settings, label, threshold)


def _sighting(
    classifier: Classifier,
    file: Path,
    explainer: ModuleType,
    options: Any,
    label: int | None,
    threshold: float,
) -> Sighting:
    photograph = open_photograph(file, size=inspect(file).turned_size)
    image = classifier.input_of(photograph)[None]
    probabilities = classifier.network.answers(image)[0].double().softmax(0)
    shares, ranked = probabilities.topk(min(5, len(probabilities)))
    top = tuple(zip(ranked.tolist(), shares.tolist(), strict=True))
    wanted = top[0][0] if label is None else label
    raw = explainer.explain(classifier.network, image, torch.tensor([wanted]), options)
    frame = _frame(photograph.size)
    score_map = finished(raw, 1, frame)[0]
    box = _box(score_map, threshold, photograph.size)
    return Sighting(file, np.asarray(photograph), top, wanted, score_map, box)


def _frame(size: tuple[int, int]) -> tuple[int, int]:
    """Give the size in which a photograph's map is made."""
    scale = min(1.0, LARGEST_FRAME / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _box(
    score_map: NDArray[np.float64], threshold: float, size: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """Draw a box around the largest component at or above the threshold, as `exact` has it."""
    if not score_map.any():
        return None
    protocol = preset("exact", contours="largest")
    x0, y0, x1, y1 = boxes_at(map_boxes(score_map, protocol), threshold, protocol)[0].tolist()
    height, width = score_map.shape
    across, down = size[0] / width, size[1] / height
    return round(x0 * across), round(y0 * down), round((x1 + 1) * across), round((y1 + 1) * down)

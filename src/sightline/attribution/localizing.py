"""Score maps of any network, in five lines of Python."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sightline import registry
from sightline.attribution.adapters import Explain, adapted
from sightline.attribution.networks import ModuleNetwork, Network, evaluating
from sightline.backbones.contract import IMAGENET_MEAN, IMAGENET_STD, Normalization
from sightline.errors import DataError, Problem, UsageError
from sightline.metrics.score_maps import prepare

Maps = NDArray[np.float64]
Channels = tuple[float, float, float]


def localize(
    model: nn.Module,
    images: Tensor | NDArray[Any],
    labels: Tensor | NDArray[Any] | list[int] | None = None,
    *,
    method: str | Any = "cam",
    layer: str = "",
    mean: Channels = IMAGENET_MEAN,
    std: Channels = IMAGENET_STD,
    batch: int = 32,
    **options: Any,
) -> Maps:
    """Make the score maps of any network, in the images' size and in [0, 1], fit for `evaluate`.

    The maps go through the papers' chain: resized by cubic interpolation, then mapped to [0, 1] by
    their smallest and largest value. The network keeps its mode, its hooks and its gradients.

    Args:
        model: a module that turns images into class scores.
        images: as the network takes them, (N, 3, H, W).
        labels: the class to localize in each image, (N,); the most likely one if not given.
        method: an explainer's name, `sightline list explainer` tells all; a callable that makes
            maps of images and labels; or an object of Captum, pytorch-grad-cam or torch-cam.
        layer: the module whose features are weighted, where the last one is not what is wanted.
        mean: what was subtracted from pixels in [0, 1]; it tells what black is.
        std: what the difference was divided by.
        batch: how many images go through the network at once.
        **options: those of the explainer, or of the call of a callable or an object; with these
            `channels`, `blur` and `sigma` say how values become a map.
    """
    given = torch.as_tensor(images)
    if given.dim() != 4:
        raise UsageError(
            f"images have the shape {tuple(given.shape)}, where (N, 3, H, W) is needed"
        )
    wanted = None if labels is None else torch.as_tensor(labels).long()
    if wanted is not None and wanted.shape != given.shape[:1]:
        raise UsageError(f"{len(given)} images, but labels of the shape {tuple(wanted.shape)}")
    network = ModuleNetwork(model, layer, Normalization(mean, std))
    explain = explaining(method, network, options)
    height, width = given.shape[2:]
    maps = np.empty((len(given), height, width))
    with evaluating(model):
        for start in range(0, len(given), batch):
            part = given[start : start + batch]
            asked = _labels(network, part, None if wanted is None else wanted[start:][: len(part)])
            raw = explain(part, asked)
            maps[start : start + len(part)] = finished(raw, len(part), (width, height), start)
    return maps


def explaining(method: str | Any, network: Network, options: Mapping[str, Any]) -> Explain:
    """Make a function of images and labels of a registered name, or of anything that explains."""
    if not isinstance(method, str):
        return adapted(method, options)
    explainer = registry.load("explainer", method)
    known = [item.name for item in fields(explainer.Options)]
    for name in options:
        if name not in known:
            told = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"explainer '{method}' has no option '{name}'; {told}")
    settings = explainer.Options(**options)
    return lambda images, labels: explainer.explain(network, images, labels, settings)


def _labels(network: Network, images: Tensor, labels: Tensor | None) -> Tensor:
    """Give the labels asked for, which the network must know, or else the most likely ones."""
    scores = network.answers(images[:1] if labels is not None else images)
    if labels is None:
        return scores.argmax(1).cpu()
    classes = scores.shape[1]
    if int(labels.min()) < 0 or int(labels.max()) >= classes:
        bad = int(labels[(labels < 0) | (labels >= classes)][0])
        raise UsageError(f"label {bad} is out of range: the network has {classes} classes")
    return labels


def finished(
    raw: Tensor, count: int, size: tuple[int, int], start: int = 0, names: Sequence[str] = ()
) -> Maps:
    """Bring raw maps to a width and height and to [0, 1]; refuse what is none, by its name."""
    if raw.dim() != 3 or len(raw) != count:
        shape = tuple(raw.shape)
        first = names[0] if names else f"image {start}"
        raise UsageError(
            f"the explainer gave {shape} where ({count}, h, w) is needed, at {first} and on"
        )
    maps = []
    for place, one in enumerate(raw.detach().cpu().double().numpy()):
        try:
            maps.append(prepare(one, size=size))
        except DataError as error:
            name = names[place] if names else f"image {start + place}"
            found = [Problem(p.what, image=name, remedy=p.remedy) for p in error.problems]
            raise DataError(found) from None
    return np.stack(maps)

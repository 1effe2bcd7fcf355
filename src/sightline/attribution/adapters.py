"""Explainers that others have made, used as they are: callables and objects of three libraries.

An object of Captum, pytorch-grad-cam or torch-cam is recognised by its class and called as its
library has it; it brings its own network, layers and hooks. Anything else that can be called is
called with images and labels. What comes back is one map an image, or one value a channel.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from sightline.attribution.settings import Channels
from sightline.attribution.smoothing import as_maps
from sightline.errors import UsageError

Explain = Callable[[Tensor, Tensor], Tensor]  # images, labels -> maps (N, h, w)
OWN = ("channels", "blur", "sigma")  # options that are ours; all others go to the call


def adapted(thing: Any, options: Mapping[str, Any]) -> Explain:
    """Make a function of images and labels of anything that explains.

    Args:
        thing: a callable, or an object of Captum, pytorch-grad-cam or torch-cam.
        options: `channels`, `blur` and `sigma` say how values become a map (sums of absolute values
            unless asked otherwise, nothing smoothed); all others go to the call.
    """
    more = {name: value for name, value in options.items() if name not in OWN}
    call = _call(thing)
    channels: Channels = options.get("channels", "sum-abs")
    blur, sigma = int(options.get("blur", 0)), float(options.get("sigma", 0))

    def explain(images: Tensor, labels: Tensor) -> Tensor:
        found = _tensor(call(thing, images, labels, more))
        if found.dim() == 4:
            if found.shape[1] == 1:  # a map already, whose sign means something
                return as_maps(found, "sum", blur, sigma)
            return as_maps(found, channels, blur, sigma)
        return as_maps(found[:, None], "sum", blur, sigma) if found.dim() == 3 else found

    return explain


def _call(thing: Any) -> Callable[[Any, Tensor, Tensor, Mapping[str, Any]], Any]:
    """Tell how a thing is called, by the library that its class comes from."""
    homes = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    if "captum" in homes:
        return _captum
    if "pytorch_grad_cam" in homes:
        return _grad_cam
    if "torchcam" in homes:
        return _torchcam
    if callable(thing):
        return _plain
    raise UsageError(
        f"{type(thing).__name__} explains nothing: give a registered name, a callable of images and"
        " labels, or an object of Captum, pytorch-grad-cam or torch-cam"
    )


def _plain(thing: Any, images: Tensor, labels: Tensor, more: Mapping[str, Any]) -> Any:
    return thing(images, labels, **more)


def _captum(thing: Any, images: Tensor, labels: Tensor, more: Mapping[str, Any]) -> Any:
    leaf = images.detach().clone().requires_grad_()
    return thing.attribute(leaf, target=labels, **more)


def _grad_cam(thing: Any, images: Tensor, labels: Tensor, more: Mapping[str, Any]) -> Any:
    aims = [_Score(int(label)) for label in labels]
    return thing(input_tensor=images, targets=aims, **more)


class _Score:
    """The score of a label among those of one image."""

    def __init__(self, label: int) -> None:
        self._label = label

    def __call__(self, scores: Tensor) -> Tensor:
        return scores[self._label]


def _torchcam(thing: Any, images: Tensor, labels: Tensor, more: Mapping[str, Any]) -> Any:
    with torch.enable_grad():
        scores = thing.model(images)
        maps = thing(labels.tolist(), scores, **{"normalized": False, **more})
    return maps[0] if len(maps) == 1 else thing.fuse_cams(maps)


def _tensor(found: Any) -> Tensor:
    if isinstance(found, (tuple, list)) and len(found) == 1:
        found = found[0]
    try:
        return torch.as_tensor(found).detach().cpu()
    except (TypeError, ValueError, RuntimeError):
        raise UsageError(
            f"the explainer gave {type(found).__name__} where maps, (N, h, w), are needed"
        ) from None

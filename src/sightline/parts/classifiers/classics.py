"""The networks that the paper compared, as Caffe released them and as torchvision trains them."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from sightline.backbones._sources import read_file
from sightline.data.class_names import imagenet
from sightline.errors import UsageError
from sightline.parts.classifiers.caffe_files import read_caffe
from sightline.parts.classifiers.torch_networks import (
    Preprocessing,
    TorchClassifier,
    labels_of,
)
from sightline.training.inference import for_inference

CLASSES = 1000
CAFFE_MEAN = (123.0, 117.0, 104.0)  # red, green, blue
ONES = (1.0, 1.0, 1.0)
VGG19 = (2, 2, 4, 4, 4)  # convolutions of each group
VGG_CHANNELS = (64, 128, 256, 512, 512)
INCEPTIONS: Mapping[str, tuple[int, ...]] = {  # 1x1, 3x3 reduce, 3x3, 5x5 reduce, 5x5, pool
    **{"3a": (64, 96, 128, 16, 32, 32), "3b": (128, 128, 192, 32, 96, 64)},
    **{"4a": (192, 96, 208, 16, 48, 64), "4b": (160, 112, 224, 24, 64, 64)},
    **{"4c": (128, 128, 256, 24, 64, 64), "4d": (112, 144, 288, 32, 64, 64)},
    **{"4e": (256, 160, 320, 32, 128, 128), "5a": (256, 160, 320, 32, 128, 128)},
    **{"5b": (384, 192, 384, 48, 128, 128)},
}
Layers = list[tuple[str, nn.Module]]


class Whole(nn.Sequential):
    """Layers by name; those without weights are named for what they do."""

    def __init__(self, layers: Layers) -> None:
        super().__init__(OrderedDict(layers))


class Branches(nn.Module):
    """What several branches give, side by side."""

    def __init__(self, branches: Sequence[nn.Module]) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: Tensor) -> Tensor:
        """Run each on the same input."""
        return torch.cat([branch(x) for branch in self.branches], 1)


def _pool(size: int = 3, stride: int = 2, padding: int = 0) -> nn.Module:
    return nn.MaxPool2d(size, stride, padding, ceil_mode=True)  # as Caffe rounds


def _norm() -> nn.Module:
    return nn.LocalResponseNorm(5, 1e-4, 0.75)


def _dense(names: Sequence[str], inputs: int) -> Layers:
    first, second, last = names
    return [
        *(("flat", nn.Flatten()), (first, nn.Linear(inputs, 4096)), ("relu6", nn.ReLU())),
        *((second, nn.Linear(4096, 4096)), ("relu7", nn.ReLU())),
        (last, nn.Linear(4096, CLASSES)),
    ]


FC = ("fc6", "fc7", "fc8")


def alexnet_caffe() -> nn.Module:
    """Build bvlc_alexnet: two halves in the second, fourth and fifth convolution."""
    conv = nn.Conv2d
    return Whole(
        [
            *(("conv1", conv(3, 96, 11, 4)), ("r1", nn.ReLU()), ("n1", _norm()), ("p1", _pool())),
            *(("conv2", conv(96, 256, 5, padding=2, groups=2)), ("r2", nn.ReLU())),
            *(("n2", _norm()), ("p2", _pool())),
            *(("conv3", conv(256, 384, 3, padding=1)), ("r3", nn.ReLU())),
            *(("conv4", conv(384, 384, 3, padding=1, groups=2)), ("r4", nn.ReLU())),
            *(("conv5", conv(384, 256, 3, padding=1, groups=2)), ("r5", nn.ReLU())),
            ("p5", _pool()),
            *_dense(FC, 9216),
        ]
    )


def alexnet_torchvision() -> nn.Module:
    """Build torchvision's alexnet, which is the "one weird trick" variant."""
    convolutions = [(3, 64, 11, 4, 2), (64, 192, 5, 1, 2), (192, 384, 3, 1, 1)]
    convolutions += [(384, 256, 3, 1, 1), (256, 256, 3, 1, 1)]
    features: list[nn.Module] = []
    for number, (inputs, outputs, kernel, stride, padding) in enumerate(convolutions):
        features += [nn.Conv2d(inputs, outputs, kernel, stride, padding), nn.ReLU()]
        features += [nn.MaxPool2d(3, 2)] if number in (0, 1, 4) else []
    dense = [nn.Dropout(), nn.Linear(9216, 4096), nn.ReLU(), nn.Dropout()]
    dense += [nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, CLASSES)]
    return _torchvision(features, 6, dense)


def vgg19_caffe() -> nn.Module:
    """Build the 19 layers as their authors released them."""
    layers: Layers = []
    inputs = 3
    for group, (count, channels) in enumerate(zip(VGG19, VGG_CHANNELS, strict=True), start=1):
        for n in range(1, count + 1):
            layers.append((f"conv{group}_{n}", nn.Conv2d(inputs, channels, 3, padding=1)))
            layers.append((f"relu{group}_{n}", nn.ReLU()))
            inputs = channels
        layers.append((f"pool{group}", _pool(2)))
    return Whole([*layers, *_dense(FC, 25088)])


def vgg19_torchvision() -> nn.Module:
    """Build torchvision's vgg19."""
    features: list[nn.Module] = []
    inputs = 3
    for count, channels in zip(VGG19, VGG_CHANNELS, strict=True):
        for _ in range(count):
            features += [nn.Conv2d(inputs, channels, 3, padding=1), nn.ReLU()]
            inputs = channels
        features.append(nn.MaxPool2d(2, 2))
    dense = [nn.Linear(25088, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 4096)]
    dense += [nn.ReLU(), nn.Dropout(), nn.Linear(4096, CLASSES)]
    return _torchvision(features, 7, dense)


def _torchvision(features: list[nn.Module], side: int, dense: list[nn.Module]) -> nn.Module:
    return Whole(
        [
            ("features", nn.Sequential(*features)),
            ("pool", nn.AdaptiveAvgPool2d(side)),
            ("flat", nn.Flatten()),
            ("classifier", nn.Sequential(*dense)),
        ]
    )


def nin_caffe() -> nn.Module:
    """Build nin_imagenet: three convolutions of a patch, then of a pixel; classes are averaged."""
    layers: Layers = []
    groups = (
        (("conv1", 3, 96, 11, 4, 0), ("cccp1", 96, 96), ("cccp2", 96, 96)),
        (("conv2", 96, 256, 5, 1, 2), ("cccp3", 256, 256), ("cccp4", 256, 256)),
        (("conv3", 256, 384, 3, 1, 1), ("cccp5", 384, 384), ("cccp6", 384, 384)),
        (
            ("conv4-1024", 384, 1024, 3, 1, 1),
            ("cccp7-1024", 1024, 1024),
            ("cccp8-1024", 1024, CLASSES),
        ),
    )
    for number, group in enumerate(groups):
        for name, inputs, outputs, *rest in group:
            kernel, stride, padding = rest or (1, 1, 0)
            layers.append((name, nn.Conv2d(inputs, outputs, kernel, stride, padding)))
            layers.append((f"relu-{name}", nn.ReLU()))
        layers += [(f"pool{number}", _pool())] if number < len(groups) - 1 else []
    return Whole([*layers, ("mean", nn.AdaptiveAvgPool2d(1)), ("flat", nn.Flatten())])


BRANCH = re.compile(r"^(inception\w+)\.(branch\d)(?:\.(\d))?\.")  # torchvision's names
Unit = Callable[[str, int, int, int, int, int], nn.Module]  # name, in, out, kernel, stride, padding


def googlenet_caffe() -> nn.Module:
    """Build bvlc_googlenet without its auxiliary classifiers."""

    def unit(name: str, inputs: int, outputs: int, kernel: int, stride: int, padding: int) -> Whole:
        convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding)
        return Whole([(name, convolution), ("relu", nn.ReLU())])

    names = ("1x1", "3x3_reduce", "3x3", "5x5_reduce", "5x5", "pool_proj")
    first = ("conv1/7x7_s2", "conv2/3x3_reduce", "conv2/3x3", "loss3/classifier")
    inner = {key: tuple(f"inception_{key}/{name}" for name in names) for key in INCEPTIONS}
    return _googlenet(unit, first, inner, kernel=5, norms=True)


def googlenet_torchvision() -> nn.Module:
    """Build torchvision's googlenet: batch normalization, and 3x3 where the paper has 5x5."""

    def unit(name: str, inputs: int, outputs: int, kernel: int, stride: int, padding: int) -> Whole:
        convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        norm = nn.BatchNorm2d(outputs, eps=1e-3)
        named = [("conv", convolution), ("bn", norm), ("relu", nn.ReLU())]
        return Whole([(name, Whole(named))])

    names = ("branch1", "branch2-0", "branch2-1", "branch3-0", "branch3-1", "branch4-1")
    inner = {key: tuple(f"inception{key}-{name}" for name in names) for key in INCEPTIONS}
    return _googlenet(unit, ("conv1", "conv2", "conv3", "fc"), inner, kernel=3, norms=False)


def _googlenet(
    unit: Unit,
    outer: Sequence[str],
    inner: Mapping[str, Sequence[str]],
    *,
    kernel: int,
    norms: bool,
) -> nn.Module:
    layers: list[nn.Module] = [unit(outer[0], 3, 64, 7, 2, 3), _pool()]
    layers += [_norm()] if norms else []
    layers += [unit(outer[1], 64, 64, 1, 1, 0), unit(outer[2], 64, 192, 3, 1, 1)]
    layers += [_norm()] if norms else []
    layers.append(_pool())
    inputs = 192
    for key, (one, before3, three, before5, five, pooled) in INCEPTIONS.items():
        a, b, c, d, e, f = inner[key]
        branches = [
            unit(a, inputs, one, 1, 1, 0),
            nn.Sequential(unit(b, inputs, before3, 1, 1, 0), unit(c, before3, three, 3, 1, 1)),
            nn.Sequential(
                unit(d, inputs, before5, 1, 1, 0),
                unit(e, before5, five, kernel, 1, kernel // 2),
            ),
            nn.Sequential(_pool(3, 1, 1), unit(f, inputs, pooled, 1, 1, 0)),
        ]
        layers.append(Branches(branches))
        inputs = one + three + five + pooled
        if key in ("3b", "4e"):
            layers.append(_pool() if norms or key == "3b" else _pool(2))
    dense = Whole([(outer[3], nn.Linear(inputs, CLASSES))])
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), dense)


def classic(
    title: str,
    file: Path,
    *,
    caffe: Callable[[], nn.Module],
    torchvision: Callable[[], nn.Module] | None,
    size: int,
    mean_half: bool = False,
) -> TorchClassifier:
    """Build the variant that a file's weights belong to, with the input that it was trained on."""
    found = read_caffe(file) if file.suffix == ".caffemodel" else read_file(file)
    is_caffe = any(key in found for key in ("conv1.weight", "conv1_1.weight"))
    is_caffe |= any("/" in key for key in found)
    if not is_caffe and torchvision is None:
        raise UsageError(f"{file}: is not {title} as Caffe released it: it has no conv1.weight")
    network = caffe() if is_caffe or torchvision is None else torchvision()
    _fill(network, found, file, title)
    half = (0.5, 0.5, 0.5)
    if is_caffe:
        preprocessing = Preprocessing(size, CAFFE_MEAN, ONES, scale=1.0, order="bgr")
    else:  # torchvision's googlenet scales its input to [-1, 1] itself
        preprocessing = Preprocessing(224, half, half) if mean_half else Preprocessing(224)
    how = "Caffe" if is_caffe else "torchvision"
    labels = labels_of(imagenet())
    return TorchClassifier(f"{title} ({how})", for_inference(network), preprocessing, labels)


def _fill(network: nn.Module, found: Mapping[str, Tensor], file: Path, title: str) -> None:
    """Fill each layer by its own name, whatever it is nested in."""
    named = {BRANCH.sub(_flat, key): value for key, value in found.items()}
    for name, own in network.state_dict(keep_vars=True).items():
        if name.endswith("num_batches_tracked"):
            continue
        value = _of(name, named)
        if value is None or value.numel() != own.numel():
            what = (
                "lacks" if value is None else f"has {tuple(value.shape)} for {tuple(own.shape)} in"
            )
            raise UsageError(f"{file}: is not {title}: it {what} '{name}'")
        with torch.no_grad():
            own.copy_(value.reshape(own.shape))


def _flat(found: re.Match[str]) -> str:
    """Join the names of nested modules, for no name may hold a dot."""
    return "-".join(filter(None, found.groups())) + "."


def _of(name: str, found: Mapping[str, Tensor]) -> Tensor | None:
    """Find a tensor by the longest end of its name that is known."""
    parts = name.split(".")
    for start in range(len(parts) - 1):
        key = ".".join(parts[start:])
        if key in found:
            return found[key]
    return None

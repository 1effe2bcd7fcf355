"""InceptionV3 as CAM's successors use it: up to Mixed_6e at a stride of 8, and two convolutions.

Paper: Szegedy, Vanhoucke, Ioffe, Shlens and Wojna, Rethinking the Inception Architecture for
Computer Vision, CVPR 2016

Against the published network: the first convolution and the early pools are padded, Mixed_6a has no
stride, and a pool before it makes 14 of 28. Input is normalized as for the other networks, although
the published weights were trained with another range: so did the papers.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from sightline.backbones.assembly import (
    initialize,
    of_stages,
    of_the_method,
    refuse_other_than,
    refuse_unknown_rule,
    reorganize,
)
from sightline.backbones.contract import Backbone, Design, Normalization, Roles

RESOLUTIONS = (14, 28)
INPUT_SIZE = 224
NORMALIZATION = Normalization()
PUBLISHED = {  # the papers' file first
    "imagenet": "https://download.pytorch.org/models/inception_v3_google-1a9a5a14.pth",
    "imagenet-0cc3c7bd": "https://download.pytorch.org/models/inception_v3_google-0cc3c7bd.pth",
}

HEAD = ("head1", "head2")
LEFT_OUT = ("Mixed_7", "AuxLogits.", "fc.")
DROPPED = 0.5

Kernel = int | tuple[int, int]
Stages = dict[str, tuple[nn.Module, int]]  # with the channels that they give


class Unit(nn.Sequential):
    """A convolution with batch normalization and ReLU."""

    def __init__(
        self, inputs: int, outputs: int, kernel: Kernel, *, stride: int = 1, padding: Kernel = 0
    ) -> None:
        convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        normalization = nn.BatchNorm2d(outputs, eps=0.001)
        super().__init__(OrderedDict(conv=convolution, bn=normalization, relu=nn.ReLU()))


class Mixed(nn.Module):
    """Chains of layers side by side, whose outputs are stacked."""

    def __init__(self, *chains: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.chains = [tuple(chain) for chain in chains]
        for chain in chains:
            for name, layer in chain.items():
                self.add_module(name, layer)

    def forward(self, x: Tensor) -> Tensor:
        """Run every chain on the same input."""
        return torch.cat([self._run(chain, x) for chain in self.chains], 1)

    def _run(self, chain: Sequence[str], x: Tensor) -> Tensor:
        for name in chain:
            x = self.get_submodule(name)(x)
        return x


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights."""
    refuse_other_than(RESOLUTIONS, resolution)
    layers = {**_trunk(pooled=resolution == 14), **_head(design)}
    new = tuple(name for name in layers if name in HEAD)
    roles = Roles(
        erasing=("Mixed_5d", "Mixed_6e", *new[1:]),
        side=("pool3" if resolution == 14 else "Mixed_5d", "Mixed_6d"),  # 6d: as the released code
        relating=("pool1", "pool2", "pool3" if resolution == 14 else "Mixed_5d", "Mixed_6e"),
        new=new,
    )
    backbone = Backbone(
        {name: layer for name, (layer, _) in layers.items()},
        {name: channels for name, (_, channels) in layers.items()},
        roles,
        resolution=resolution,
        initialization="xavier",
    )
    initialize(backbone, backbone.initialization)
    return backbone


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give published weights under the names of our stages, without what follows Mixed_6e."""
    return reorganize(published, _renamed)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the two convolutions of the head and the layers of the method, by either rule."""
    refuse_unknown_rule(rule)
    return of_the_method(names) | of_stages(names, HEAD)


def _trunk(*, pooled: bool) -> Stages:
    stages: Stages = {
        "Conv2d_1a_3x3": (Unit(3, 32, 3, stride=2, padding=1), 32),
        "Conv2d_2a_3x3": (Unit(32, 32, 3), 32),
        "Conv2d_2b_3x3": (Unit(32, 64, 3, padding=1), 64),
        "pool1": (nn.MaxPool2d(3, 2, 1, ceil_mode=True), 64),
        "Conv2d_3b_1x1": (Unit(64, 80, 1), 80),
        "Conv2d_4a_3x3": (Unit(80, 192, 3), 192),
        "pool2": (nn.MaxPool2d(3, 2, 1, ceil_mode=True), 192),
        "Mixed_5b": (_mixed5(192, 32), 256),
        "Mixed_5c": (_mixed5(256, 64), 288),
        "Mixed_5d": (_mixed5(288, 64), 288),
    }
    if pooled:
        stages["pool3"] = nn.MaxPool2d(3, 2, ceil_mode=True), 288
    stages["Mixed_6a"] = _mixed6a(), 768
    for letter, inner in zip("bcde", (128, 160, 160, 192), strict=True):
        stages[f"Mixed_6{letter}"] = _mixed6(inner), 768
    return stages


def _head(design: Design) -> Stages:
    if design.neck == "none":
        return {}
    stages: Stages = {}
    for number, inputs in enumerate((768, 1024), 1):
        if design.dropout:
            stages[f"drop{number}"] = nn.Dropout(DROPPED), inputs
        convolution = nn.Conv2d(inputs, 1024, 3, padding=1)
        stages[f"head{number}"] = nn.Sequential(convolution, nn.ReLU()), 1024
    if design.dropout:
        stages["drop3"] = nn.Dropout(DROPPED), 1024
    return stages


def _mixed5(inputs: int, pooled: int) -> Mixed:
    return Mixed(
        {"branch1x1": Unit(inputs, 64, 1)},
        {"branch5x5_1": Unit(inputs, 48, 1), "branch5x5_2": Unit(48, 64, 5, padding=2)},
        {
            "branch3x3dbl_1": Unit(inputs, 64, 1),
            "branch3x3dbl_2": Unit(64, 96, 3, padding=1),
            "branch3x3dbl_3": Unit(96, 96, 3, padding=1),
        },
        {"pool": nn.AvgPool2d(3, 1, 1), "branch_pool": Unit(inputs, pooled, 1)},
    )


def _mixed6a() -> Mixed:
    return Mixed(
        {"branch3x3": Unit(288, 384, 3, padding=1)},
        {
            "branch3x3dbl_1": Unit(288, 64, 1),
            "branch3x3dbl_2": Unit(64, 96, 3, padding=1),
            "branch3x3dbl_3": Unit(96, 96, 3, padding=1),
        },
        {"pool": nn.MaxPool2d(3, 1, 1)},
    )


def _mixed6(inner: int) -> Mixed:
    return Mixed(
        {"branch1x1": Unit(768, 192, 1)},
        {
            "branch7x7_1": Unit(768, inner, 1),
            "branch7x7_2": _wide(inner, inner),
            "branch7x7_3": _tall(inner, 192),
        },
        {
            "branch7x7dbl_1": Unit(768, inner, 1),
            "branch7x7dbl_2": _tall(inner, inner),
            "branch7x7dbl_3": _wide(inner, inner),
            "branch7x7dbl_4": _tall(inner, inner),
            "branch7x7dbl_5": _wide(inner, 192),
        },
        {"pool": nn.AvgPool2d(3, 1, 1), "branch_pool": Unit(768, 192, 1)},
    )


def _wide(inputs: int, outputs: int) -> Unit:
    return Unit(inputs, outputs, (1, 7), padding=(0, 3))


def _tall(inputs: int, outputs: int) -> Unit:
    return Unit(inputs, outputs, (7, 1), padding=(3, 0))


def _renamed(name: str) -> str | None:
    if name.startswith(LEFT_OUT):
        return None
    return f"stages.{name}" if name.startswith(("Conv2d_", "Mixed_")) else name

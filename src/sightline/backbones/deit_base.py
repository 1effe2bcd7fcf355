"""DeiT-B/16, the largest of the data-efficient image transformers.

Paper: Touvron et al., Training Data-efficient Image Transformers and Distillation through
Attention, ICML 2021

Its 14 x 14 patches are the features. The published classifier is not taken over: it reads the
class token, and no class map.
"""

from collections.abc import Mapping, Sequence

from torch import Tensor

from sightline.backbones import _deit
from sightline.backbones.assembly import refuse_other_than
from sightline.backbones.contract import Design, Normalization
from sightline.backbones.vision_transformer import Transformer

KIND = Transformer
INPUT_SIZE, RESOLUTIONS = _deit.INPUT_SIZE, _deit.RESOLUTIONS
NORMALIZATION = Normalization()
PUBLISHED = {"imagenet": _deit.ADDRESS.format("base", "b5f2ef4d")}

WIDTH, HEADS = 768, 12


def build(*, resolution: int, design: Design) -> Transformer:
    """Make the network with random weights."""
    refuse_other_than(RESOLUTIONS, resolution)
    return _deit.transformer(WIDTH, HEADS, design)


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights in timm's naming as ours."""
    return _deit.reorganized(published)


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the layers of the method, by either rule."""
    return _deit.fast_layers(names, rule)


def refusal(published: Mapping[str, Tensor]) -> str:
    """Say why weights are not of this network, or nothing."""
    return _deit.refusal(published, WIDTH)

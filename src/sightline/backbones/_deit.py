"""What the sizes of DeiT share: they differ in width and heads alone."""

import re
from collections.abc import Mapping, Sequence

from torch import Tensor

from sightline.backbones.assembly import of_the_method, refuse_unknown_rule, reorganize
from sightline.backbones.contract import Design
from sightline.backbones.vision_transformer import Embedding, Transformer, resampled

PATCH, SIDE, DEPTH = 16, 14, 12
RESOLUTIONS = (SIDE,)
INPUT_SIZE = PATCH * SIDE
ADDRESS = "https://dl.fbaipublicfiles.com/deit/deit_{}_patch16_224-{}.pth"
CLASSIFIERS = ("head.", "head_dist.", "fc_norm.")  # they read the class token, and give no map
DISTILLED = ("dist_token", "head_dist.weight", "head_dist.bias")


def transformer(width: int, heads: int, design: Design) -> Transformer:
    """Make the network with random weights."""
    embedding = Embedding(width, PATCH, SIDE)
    drop = design.stochastic_depth
    return Transformer(embedding, width, DEPTH, heads, drop, input_size=INPUT_SIZE)


def reorganized(published: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give weights in timm's naming as ours; positions of another grid are interpolated."""
    found = reorganize(published, _renamed)
    positions = found.get("stages.embed.pos_embed")
    if positions is not None:
        found["stages.embed.pos_embed"] = _on_our_grid(positions)
    return found


def fast_layers(names: Sequence[str], rule: str) -> set[str]:
    """Choose the layers of the method: no paper has parts of a transformer learn faster."""
    refuse_unknown_rule(rule)
    return of_the_method(names)


def refusal(published: Mapping[str, Tensor], width: int) -> str:
    """Say why weights are not of this network, or nothing."""
    if any(name in published for name in DISTILLED):
        return (
            "of a distilled network, which has a second class token; take those that are not"
            " distilled"
        )
    norm = published.get("norm.weight")
    numbers = [re.match(r"blocks\.(\d+)\.", name) for name in published]
    depth = 1 + max((int(found[1]) for found in numbers if found), default=-1)
    if norm is None or not depth or (depth, len(norm)) == (DEPTH, width):
        return ""
    return f"of {depth} blocks of width {len(norm)}, where this network has {DEPTH} of {width}"


def _renamed(name: str) -> str | None:
    if name.startswith(CLASSIFIERS):
        return None
    first, _, rest = name.partition(".")
    if first in ("cls_token", "pos_embed"):
        return f"stages.embed.{name}"
    if first == "patch_embed":
        return f"stages.embed.{rest}"
    if first == "norm":
        return f"stages.{name}"
    block = re.fullmatch(r"blocks\.(\d+)\.(.+)", name)
    return f"stages.block{block[1]}.{block[2]}" if block else name


def _on_our_grid(positions: Tensor) -> Tensor:
    """Bring positions (1, 1 + side * side, D) of another image size to ours."""
    if positions.dim() != 3 or len(positions) != 1:
        return positions
    side = round((positions.shape[1] - 1) ** 0.5)
    if side in (0, SIDE) or 1 + side * side != positions.shape[1]:
        return positions
    return resampled(positions, side, (SIDE, SIDE))

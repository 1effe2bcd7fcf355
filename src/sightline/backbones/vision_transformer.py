"""A transformer over the patches of an image, whose tokens are features on a grid.

Paper: Touvron et al., Training Data-efficient Image Transformers and Distillation through
Attention, ICML 2021
    https://arxiv.org/abs/2012.12877

Layers are named as timm names them: `blocks.3.attn.qkv` is `stages.block3.attn.qkv` here. What a
method asks beyond features comes from `attend`: attention of the layers as it is computed, tokens
of its own, and a say in what the keys of a layer weigh.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from sightline.backbones.contract import Backbone, Features, Roles
from sightline.errors import UsageError

Keep = Literal["none", "class", "all"]  # nothing, the class token's attention, or everyone's
Weigh = Callable[[Tensor, Tensor], Tensor]  # queries, keys (N, heads, T, d) -> of each key, (N, T)

EMBEDDING, NORM = "embed", "norm"
EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Attended:
    """The last stage's output, and what was kept on the way."""

    features: Features
    tokens: Tensor  # behind the last stage, (N, T, D): class, added ones, patches by rows
    attention: tuple[Tensor, ...]  # of each layer, (N, heads, T), or (N, heads, T, T) if of all

    def maps(self) -> Tensor:
        """Give the class token's attention to the patches, mean over heads, (N, layers, h, w)."""
        height, width = self.features.last.shape[2:]
        rows = [a[:, :, 0] if a.dim() == 4 else a for a in self.attention]
        on_patches = torch.stack([row.mean(1)[:, -height * width :] for row in rows], 1)
        return on_patches.reshape(*on_patches.shape[:2], height, width)


class Transformer(Backbone):
    """An embedding, blocks, and a norm that lays the patches' tokens out on their grid.

    Args:
        embedding: what makes tokens of an image.
        width: of a token.
        depth: how many blocks.
        heads: of a block's attention.
        drop: share of the images for which the last block is left out in training; the blocks
            before it are left out less often, evenly down to the first, which never is.
        sizes: `input_size` and `normalization`, as of any backbone.
    """

    def __init__(
        self, embedding: "Embedding", width: int, depth: int, heads: int, drop: float, **sizes: Any
    ) -> None:
        names = [f"block{n}" for n in range(depth)]
        rates = [drop * n / max(1, depth - 1) for n in range(depth)]
        stages: dict[str, nn.Module] = {EMBEDDING: embedding}
        stages |= {n: Block(width, heads, rate) for n, rate in zip(names, rates, strict=True)}
        stages[NORM] = Norm(width, EPSILON)
        middle, late = names[depth // 2 - 1], names[depth - depth // 4 - 1]
        roles = Roles(erasing=(middle, late, NORM), side=(middle, late))
        channels = dict.fromkeys(stages, width)
        side = embedding.side
        super().__init__(stages, channels, roles, resolution=side, initialization="xavier", **sizes)
        begin(self)

    @property
    def blocks(self) -> tuple[str, ...]:
        """List the stages that attend, in order."""
        return self.stage_names[1:-1]

    def forward(
        self,
        images: Tensor,
        *,
        taps: Collection[str] = (),
        after: Mapping[str, nn.Module] | None = None,
    ) -> Features:
        """Run all stages; what lies between them is on the grid of the patches."""
        return self.attend(images, keep="none", taps=taps, after=after).features

    def attend(
        self,
        images: Tensor,
        *,
        keep: Keep = "class",
        added: Tensor | None = None,
        weighing: Mapping[str, Weigh] | None = None,
        taps: Collection[str] = (),
        after: Mapping[str, nn.Module] | None = None,
    ) -> Attended:
        """Run all stages and keep attention.

        Args:
            images: normalized, (N, 3, H, W).
            keep: the attention wanted of every layer.
            added: tokens (1, K, D) between those of class and patches, position included.
            weighing: what the keys of a block weigh, by its name; nothing is scaled to add up to 1.
            taps: stages whose output is wanted too, (N, D, h, w).
            after: modules that change a stage's output on the grid, by the stage's name.
        """
        inserted, weighed = after or {}, weighing or {}
        kept: dict[str, Tensor] = {}
        attention: list[Tensor] = []
        embedding: Any = self.stages[EMBEDDING]
        size = embedding.grid(images)
        x = embedding(images)
        if added is not None:
            x = torch.cat([x[:, :1], added.expand(len(x), -1, -1), x[:, 1:]], 1)
        for name, stage in self.stages.items():
            if name in self.blocks:
                x, found = stage(x, keep, weighed.get(name))
                attention += [] if found is None else [found]
            elif name == NORM:
                break
            if name in inserted:
                x = _changed(x, size, inserted[name])
            if name in taps:
                kept[name] = on_grid(x, size)
        norm: Any = self.stages[NORM]
        x = norm.normed(x)
        last = norm(x, size)
        if NORM in inserted:
            last = inserted[NORM](last)
        if NORM in taps:
            kept[NORM] = last
        return Attended(Features(last, kept), x, tuple(attention))


class Embedding(nn.Module):
    """Patches become tokens, each with its position; the token of the class stands before them."""

    undecayed = ("cls_token", "pos_embed")

    def __init__(self, width: int, patch: int, side: int, stem: nn.Module | None = None) -> None:
        super().__init__()
        self.patch, self.side = patch, side
        self.cls_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + side * side, width))
        self.proj = stem or nn.Conv2d(3, width, patch, patch)

    def grid(self, images: Tensor) -> tuple[int, int]:
        """Count rows and columns of patches, which fill the image."""
        height, width = images.shape[-2:]
        if height % self.patch or width % self.patch or not height * width:
            least = max(1, min(height, width) // self.patch) * self.patch
            raise UsageError(
                f"--size: images of {width} x {height} pixels do not divide into patches of"
                f" {self.patch} pixels; give {least} or {least + self.patch}"
            )
        return height // self.patch, width // self.patch

    def forward(self, images: Tensor) -> Tensor:
        """Give the tokens, (N, 1 + h w, D)."""
        patches = self.proj(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.cls_token.expand(len(images), -1, -1), patches], 1)
        return tokens + self.positions(self.grid(images))

    def positions(self, size: tuple[int, int]) -> Tensor:
        """Give the positions' embedding, interpolated where the grid is another."""
        if size == (self.side, self.side):
            return self.pos_embed
        return resampled(self.pos_embed, self.side, size)


def resampled(positions: Tensor, side: int, size: tuple[int, int]) -> Tensor:
    """Interpolate positions (1, 1 + side * side, D) to another grid; the first one stays."""
    known = on_grid(positions, (side, side))
    other = functional.interpolate(known, size, mode="bicubic", align_corners=False)
    return torch.cat([positions[:, :1], other.flatten(2).transpose(1, 2)], 1)


class Attention(nn.Module):
    """Softmax attention of several heads; all that is kept of it is made on the way."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(
        self, x: Tensor, keep: Keep = "none", weigh: Weigh | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Give the tokens mixed, and the attention that is to be kept."""
        split = self.qkv(x).view(*x.shape[:2], 3, self.heads, -1)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)  # each (N, heads, T, d)
        if weigh is not None:  # a factor of a key is one of its value
            values = values * weigh(queries, keys)[:, None, :, None]
        if keep == "all":
            attention: Tensor | None = scores(queries, keys).softmax(-1)
            mixed = attention @ values
        else:
            mixed = functional.scaled_dot_product_attention(queries, keys, values)
            attention = None
            if keep == "class":  # a single row of what stays hidden in the line above
                attention = scores(queries[:, :, :1], keys)[:, :, 0].softmax(-1)
        joined: Tensor = self.proj(mixed.transpose(1, 2).flatten(2))
        return joined, attention


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Compare queries and keys, (N, heads, T, d): what the softmax is taken of."""
    found: Tensor = queries * queries.shape[-1] ** -0.5 @ keys.transpose(-2, -1)
    return found


class Block(nn.Module):
    """Attention, then two layers for each token apart; both are added to what came in."""

    def __init__(self, width: int, heads: int, drop: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width, EPSILON)
        self.attn = Attention(width, heads)
        self.drop = DropPath(drop)
        self.norm2 = nn.LayerNorm(width, EPSILON)
        self.mlp = Perceptron(width)

    def forward(
        self, x: Tensor, keep: Keep = "none", weigh: Weigh | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Compute one block."""
        mixed, attention = self.attn(self.norm1(x), keep, weigh)
        x = x + self.drop(mixed)
        return x + self.drop(self.mlp(self.norm2(x))), attention


class Perceptron(nn.Module):
    """Two layers, the inner one four times as wide."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc1, self.act = nn.Linear(width, 4 * width), nn.GELU()
        self.fc2 = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Compute both layers."""
        result: Tensor = self.fc2(self.act(self.fc1(x)))
        return result


class DropPath(nn.Dropout):
    """Leaves a whole branch out for some of the images, while training (stochastic depth)."""

    def forward(self, x: Tensor) -> Tensor:
        """Draw for each image."""
        if not self.training or not self.p:
            return x
        return x * functional.dropout(x.new_ones(len(x), 1, 1), self.p)


class Norm(nn.LayerNorm):
    """The last norm; as a stage it gives the features, so that whoever asks a stage finds them."""

    def normed(self, x: Tensor) -> Tensor:
        """Give all tokens normed."""
        found: Tensor = super().forward(x)
        return found

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:  # type: ignore[override]
        """Give the features of normed tokens, (N, D, h, w)."""
        return on_grid(tokens, size)


def on_grid(tokens: Tensor, size: tuple[int, int]) -> Tensor:
    """Lay the tokens of the patches out, the last ones, (N, D, h, w)."""
    patches = tokens[:, -math.prod(size) :].transpose(1, 2)
    return patches.reshape(*patches.shape[:2], *size)


def _changed(tokens: Tensor, size: tuple[int, int], change: nn.Module) -> Tensor:
    """Change the tokens of the patches on their grid."""
    patches = change(on_grid(tokens, size)).flatten(2).transpose(1, 2)
    return torch.cat([tokens[:, : -math.prod(size)], patches], 1)


def begin(network: nn.Module) -> None:
    """Fill a transformer with random values of deviation .02, none beyond two."""
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            nn.init.trunc_normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)
        elif isinstance(layer, Embedding):
            nn.init.trunc_normal_(layer.cls_token, std=0.02)
            nn.init.trunc_normal_(layer.pos_embed, std=0.02)

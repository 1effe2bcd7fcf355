"""Models of open_clip, where it is installed: an architecture's name and a file of weights."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor, cat
from torch.nn import functional

from sightline.annotators.clip_model import Attention, Block, ImageText, frozen, hash_of
from sightline.errors import SightlineError, UsageError


def read_open_clip(place: str) -> ImageText:
    """Read `ARCHITECTURE@FILE.safetensors`."""
    name, _, file = place.partition("@")
    if not name or not file.endswith(".safetensors"):
        raise UsageError(
            f"--model open_clip:{place}: write open_clip:ARCHITECTURE@FILE.safetensors"
        )
    if not Path(file).is_file():
        raise UsageError(f"{file}: no such file of weights")
    try:
        import open_clip
    except ImportError:
        remedy = "pip install open_clip_torch, or name a folder of transformers"
        raise SightlineError(f"--model open_clip:...: needs open_clip; {remedy}") from None
    from safetensors.torch import load_file

    if name not in open_clip.list_models():
        raise UsageError(f"--model open_clip:{name}: open_clip knows no such architecture")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = open_clip.create_model(name, pretrained=None, load_weights=False)
            model.load_state_dict(load_file(file))
    except Exception as error:
        reason = str(error).strip().splitlines()[0][:200]
        raise SightlineError(f"{file}: does not fill open_clip's {name} ({reason})") from error
    return _parts(name, frozen(model), open_clip.get_tokenizer(name), Path(file))


def _parts(name: str, model: Any, tokenizer: Any, file: Path) -> ImageText:
    vision = model.visual
    blocks: Any = getattr(getattr(vision, "transformer", None), "resblocks", None)
    plain = blocks is not None and all(type(b).__name__ == "ResidualAttentionBlock" for b in blocks)
    if not plain or vision.attn_pool is not None:
        raise UsageError(f"--model open_clip:{name}: is no plain vision transformer; name ViT-B-16")

    def embed(pixels: Tensor) -> Tensor:
        grid = vision.conv1(pixels)  # (1, D, h, w)
        patches = grid.flatten(2)[0].T
        tokens = cat([vision.class_embedding[None], patches])
        found: Tensor = vision.ln_pre(tokens + _places(vision, grid.shape[2], grid.shape[3]))
        return found

    def project(tokens: Tensor) -> Tensor:
        found: Tensor = vision.ln_post(tokens) @ vision.proj
        return found

    def texts(prompts: Sequence[str]) -> Tensor:
        found: Tensor = model.encode_text(tokenizer(list(prompts)))
        return found

    return ImageText(
        title=f"open_clip {name}",
        patch=int(vision.conv1.kernel_size[0]),
        mean=tuple(vision.preprocess_cfg["mean"]),
        std=tuple(vision.preprocess_cfg["std"]),
        embed=embed,
        blocks=tuple(_block(block) for block in blocks),
        project=project,
        texts=texts,
        scale=float(model.logit_scale.exp()),
        sha256=hash_of([file]),
    )


def _places(vision: Any, height: int, width: int) -> Tensor:
    """Interpolate the embedding of places to another grid of patches."""
    known: Tensor = vision.positional_embedding
    own = vision.grid_size
    if (height, width) == tuple(own):
        return known
    grid = known[1:].T.reshape(1, -1, *own)
    moved = functional.interpolate(grid, (height, width), mode="bicubic", align_corners=False)
    return cat([known[:1], moved.flatten(2)[0].T])


def _block(block: Any) -> Block:
    own = block.attn

    def projected(tokens: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        found = functional.linear(tokens, own.in_proj_weight, own.in_proj_bias).chunk(3, -1)
        return found[0], found[1], found[2]

    def after(mixed: Tensor) -> Tensor:
        found: Tensor = block.ls_1(own.out_proj(mixed))
        return found

    attention = Attention(projected, after, int(own.num_heads))
    return Block(block.ln_1, attention, lambda tokens: block.ls_2(block.mlp(block.ln_2(tokens))))

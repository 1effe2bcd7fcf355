"""Image-text models opened up: what stands before the last block, and what stands behind it.

Two libraries' classes are read here into the same few parts, so that the CAM knows neither.
Weights come from safetensors alone, and no code of a model's author is ever run.
"""

import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from sightline import rows
from sightline.errors import SightlineError, UsageError

MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
OPEN_CLIP = "open_clip:"  # ARCHITECTURE@FILE.safetensors follows
PATIENCE = 10.0  # seconds for the hub's first answer


@dataclass(frozen=True, slots=True)
class Attention:
    """The attention of a block: what makes queries, keys and values of tokens, and what follows."""

    projected: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]  # (T, D) each
    after: Callable[[Tensor], Tensor]
    heads: int

    def __call__(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Give new tokens, (T, D), and the mean of the heads' attention, (T, T)."""
        query, key, value = (
            part.reshape(len(tokens), self.heads, -1).transpose(0, 1)
            for part in self.projected(tokens)
        )
        scale = query.shape[-1] ** -0.5
        attention = (scale * query @ key.transpose(-1, -2)).softmax(-1)  # (heads, T, T)
        mixed = (attention @ value).transpose(0, 1).flatten(1)
        return self.after(mixed), attention.mean(0)


@dataclass(frozen=True, slots=True)
class Block:
    """A layer of a transformer: x + attend(first(x)), then x + rest(x)."""

    first: Callable[[Tensor], Tensor]
    attend: Attention
    rest: Callable[[Tensor], Tensor]

    def continued(self, before: Tensor, normed: Tensor) -> tuple[Tensor, Tensor]:
        """Run from the first normalization's output on; give tokens and attention."""
        change, attention = self.attend(normed)
        middle = before + change
        return middle + self.rest(middle), attention


@dataclass(frozen=True, slots=True)
class ImageText:
    """A model in parts. Tokens are those of one image, class token first, (1 + h w, D)."""

    title: str
    patch: int  # side of a patch in pixels
    mean: tuple[float, ...]
    std: tuple[float, ...]
    embed: Callable[[Tensor], Tensor]  # pixels (1, 3, H, W) to tokens before the first block
    blocks: tuple[Block, ...]
    project: Callable[[Tensor], Tensor]  # tokens behind the last block to the space of texts
    texts: Callable[[Sequence[str]], Tensor]  # (N, D'), any length
    scale: float  # of cosines
    sha256: str  # of all files that answers follow from


def read_model(place: str) -> ImageText:
    """Read a model: a folder of transformers, a name on the hub, or one of open_clip."""
    if place.startswith(OPEN_CLIP):
        from sightline.annotators.clip_open import read_open_clip

        return read_open_clip(place.removeprefix(OPEN_CLIP))
    return _transformers(place)


def _transformers(place: str) -> ImageText:
    try:
        import transformers
    except ImportError:
        raise SightlineError(
            "image-text models need transformers: pip install 'sightline[pseudo]'"
        ) from None
    folder = Path(place)
    if folder.exists() and not (folder / "config.json").is_file():
        remedy = "name the folder of a CLIP model as transformers saves it"
        raise UsageError(f"{place}: has no config.json; {remedy}")
    if not folder.exists():
        _refuse_unreachable(place)
    with _quiet(transformers):
        _refuse_other_kinds(transformers, place)
        model = _read(place, lambda: _model(transformers, place))
        tokenizer = _read(place, lambda: transformers.CLIPTokenizer.from_pretrained(place))
        files = _files(place)
    mean, std = _normalization(place, files)
    return _parts(place, frozen(model.float()), tokenizer, mean, std, files)


def _model(transformers: Any, place: str) -> Any:
    model, report = transformers.CLIPModel.from_pretrained(
        place, use_safetensors=True, output_loading_info=True, ignore_mismatched_sizes=True
    )
    mismatched = (key if isinstance(key, str) else key[0] for key in report["mismatched_keys"])
    lacking = sorted([*report["missing_keys"], *mismatched])
    if lacking:
        raise SightlineError(f"{place}: its weights do not fill {lacking[0]}")
    return model


def _refuse_other_kinds(transformers: Any, place: str) -> None:
    """Refuse a model that is no CLIP before any of its weights is read."""
    found, _ = _read(place, lambda: transformers.PretrainedConfig.get_config_dict(place))
    kind = found.get("model_type", "unknown")
    if kind != "clip":
        raise UsageError(f"{place}: is a model of the kind '{kind}', not 'clip'; name a CLIP model")


def _refuse_unreachable(place: str) -> None:
    """Ask the hub for a name once, so that a missing network is not waited for."""
    import huggingface_hub as hub

    remedy = "fetch it where there is a network, and give its folder with --model"
    try:
        if isinstance(hub.try_to_load_from_cache(place, "config.json"), str):
            return
        listed = hub.HfApi().model_info(place, timeout=PATIENCE).siblings or []
    except hub.errors.HFValidationError:
        raise UsageError(f"{place}: no such folder, and no name on the hub; {remedy}") from None
    except hub.errors.RepositoryNotFoundError:
        raise UsageError(f"{place}: no such folder, and the hub knows no such model") from None
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        raise SightlineError(
            f"{place}: no such folder, and the hub cannot be reached ({reason}); {remedy}"
        ) from None
    if not any(file.rfilename.endswith(".safetensors") for file in listed):
        raise UsageError(f"{place}: has no safetensors file on the hub; name a model that has one")


def _files(place: str) -> dict[str, Path]:
    """List the files that a model was read from, by name."""
    from transformers.utils import hub

    folder = Path(str(hub.cached_file(place, "config.json"))).parent
    found = [file for file in sorted(folder.iterdir()) if file.is_file()]
    return {file.name: file for file in found if file.suffix in (".json", ".txt", ".safetensors")}


def _normalization(
    place: str, files: Mapping[str, Path]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Read what pixels go through, CLIP's own where the model does not say."""
    name = "preprocessor_config.json"
    if name not in files:
        return MEAN, STD
    try:
        told = json.loads(files[name].read_text(encoding="utf-8"))
        mean, std = tuple(told.get("image_mean", MEAN)), tuple(told.get("image_std", STD))
        sound = len(mean) == len(std) == 3 and min(map(float, std)) > 0
    except (ValueError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise UsageError(f"{place}: {name} tells no mean and deviation of three channels")
    return mean, std


def _parts(
    place: str,
    model: Any,
    tokenizer: Any,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    files: Mapping[str, Path],
) -> ImageText:
    vision = model.vision_model

    def embed(pixels: Tensor) -> Tensor:
        tokens = vision.embeddings(pixels, interpolate_pos_encoding=True)
        found: Tensor = vision.pre_layrnorm(tokens)[0]
        return found

    def project(tokens: Tensor) -> Tensor:
        found: Tensor = model.visual_projection(vision.post_layernorm(tokens))
        return found

    def texts(prompts: Sequence[str]) -> Tensor:
        most = model.config.text_config.max_position_embeddings
        words = tokenizer(
            list(prompts), padding=True, truncation=True, max_length=most, return_tensors="pt"
        )
        ids, mask = words["input_ids"], words["attention_mask"]
        pooled = model.text_model(input_ids=ids, attention_mask=mask).pooler_output
        found: Tensor = model.text_projection(pooled)
        return found

    return ImageText(
        title=place,
        patch=int(vision.config.patch_size),
        mean=mean,
        std=std,
        embed=embed,
        blocks=tuple(_block(layer) for layer in vision.encoder.layers),
        project=project,
        texts=texts,
        scale=float(model.logit_scale.exp()),
        sha256=hash_of(files.values()),
    )


def _block(layer: Any) -> Block:
    own = layer.self_attn
    attention = Attention(
        lambda tokens: (own.q_proj(tokens), own.k_proj(tokens), own.v_proj(tokens)),
        own.out_proj,
        int(own.num_heads),
    )
    return Block(layer.layer_norm1, attention, lambda tokens: layer.mlp(layer.layer_norm2(tokens)))


def _read(place: str, read: Callable[[], Any]) -> Any:
    """Read a part of a model; whatever is wrong with it is said in one line."""
    try:
        return read()
    except SightlineError:
        raise
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise SightlineError(
            f"{place}: cannot be read as a CLIP model with safetensors weights ({reason})"
        ) from error


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep a library's bars and remarks off the terminal."""
    logs = transformers.utils.logging
    level = logs.get_verbosity()
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logs.set_verbosity(level)


def frozen(module: nn.Module) -> nn.Module:
    """Keep parameters out of any graph."""
    return module.eval().requires_grad_(False)


def unit(vectors: Tensor) -> Tensor:
    """Bring vectors to length 1."""
    return functional.normalize(vectors.float(), dim=-1)


def hash_of(files: Iterable[Path]) -> str:
    """Hash some files' contents."""
    hashes = "".join(rows.file_hash(file) for file in files)
    return hashlib.sha256(hashes.encode()).hexdigest()

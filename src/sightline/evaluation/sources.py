"""Where score maps come from: a folder, shards, arrays, or a baseline that needs no image."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline import registry
from sightline.errors import DataError, Problem, UsageError
from sightline.evaluation.map_files import FolderSource, ShardSource
from sightline.types import ScoreMap, Split

MAP_SUFFIXES = (".npy", ".png")
SHARD_SUFFIXES = (".npz", ".parquet")
BASELINE = "baseline:"


class ScoreSource(Protocol):
    """Gives the score map of each item of a split."""

    name: str
    constant: bool  # every item gets the same map
    options: Mapping[str, Any]  # of a baseline

    def match(self, split: Split, refused: Collection[str] = ()) -> list[Problem]:
        """Find the map of every item; report items without one and maps without an item.

        A map of a `refused` item is no stranger: the item was left out for reasons of its own.
        """

    def read(self, item: int) -> tuple[ScoreMap, str]:
        """Give an item's map and where it came from."""


def open_source(place: str | Path, options: Mapping[str, Any] | None = None) -> ScoreSource:
    """Open score maps by their place: a folder, a shard, or `baseline:NAME` with its options."""
    text = str(place)
    if text.startswith(BASELINE):
        return BaselineSource(text.removeprefix(BASELINE), options or {})
    if options:
        raise UsageError(f"--{next(iter(options))} belongs to a baseline, not to maps on disk")
    path = Path(text)
    if not path.exists():
        raise UsageError(f"{path}: no such folder of score maps")
    files = [path] if path.is_file() else sorted(_files_below(path))
    shards = [file for file in files if file.suffix.lower() in SHARD_SUFFIXES]
    maps = [file for file in files if file.suffix.lower() in MAP_SUFFIXES]
    if shards and maps:
        raise UsageError(f"{path}: holds both single maps and shards ({shards[0].name}); keep one")
    if shards:
        return ShardSource(path, shards)
    if maps and path.is_file():
        raise UsageError(f"{path}: is one map; pass the folder that holds the maps")
    if not maps:
        raise UsageError(f"{path}: no score maps here; expected .npy, .png, .npz or .parquet files")
    return FolderSource(path, maps)


def _files_below(root: Path) -> Iterator[Path]:
    """List the files of a folder and those below it, links to folders included but for circles."""
    for folder, inner, names in os.walk(root, followlinks=True):
        inner[:] = [name for name in inner if not _leads_up(Path(folder, name), root)]
        yield from (Path(folder, name) for name in names if not name.startswith("."))


def _leads_up(folder: Path, root: Path) -> bool:
    """Tell whether a folder is a link to one that the way to it has passed."""
    if not folder.is_symlink():
        return False
    passed = [place.resolve() for place in folder.parents if place.is_relative_to(root)]
    return any(place.is_relative_to(folder.resolve()) for place in passed)


class BaselineSource:
    """One map for all items."""

    constant = True

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        module = registry.load("baseline", name)
        try:
            chosen = module.Options(**options)
        except TypeError as error:
            raise UsageError(f"baseline '{name}': {error}") from error
        self.options: Mapping[str, Any] = asdict(chosen)
        self._map: NDArray[np.float64] = module.score_map(chosen)
        self.name = f"{BASELINE}{name}"

    def match(self, split: Split, refused: Collection[str] = ()) -> list[Problem]:
        """Find nothing amiss: every item has the map."""
        return []

    def read(self, item: int) -> tuple[ScoreMap, str]:
        """Give the map."""
        return self._map, self.name


class ArraySource:
    """Maps in memory: one for each item in order, or by id."""

    constant = False
    options: Mapping[str, Any] = {}
    name = "arrays"

    def __init__(self, maps: Sequence[Any] | Mapping[str, Any] | NDArray[Any]) -> None:
        self._given = maps
        self._maps: list[Any] = []

    def match(self, split: Split, refused: Collection[str] = ()) -> list[Problem]:
        """Check the number of maps, or their ids."""
        if not isinstance(self._given, Mapping):
            self._maps = list(self._given)
            if len(self._maps) == len(split.ids):
                return []
            counts = f"{len(self._maps)} maps were given for {len(split.ids)} images"
            raise DataError([Problem(counts, remedy="give one map an image, in order")])
        given = {str(name): kept for name, kept in self._given.items()}
        self._maps = [given.get(name) for name in split.ids]
        missing = [name for name, kept in zip(split.ids, self._maps, strict=True) if kept is None]
        known = {*split.ids, *refused}
        extra = [name for name in given if name not in known]
        return [
            *(Problem("no score map was given", image=name) for name in missing),
            *(Problem("a map for an unknown image", image=name) for name in extra),
        ]

    def read(self, item: int) -> tuple[ScoreMap, str]:
        """Give a map."""
        return self._maps[item], ""

"""Score maps on disk: one file an item, or shards of many; which name belongs to which item."""

import threading
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import cv2
import numpy as np

from sightline.data.pictures import read_picture
from sightline.errors import DataError, Problem
from sightline.types import ScoreMap, Split

SHARDS_OPEN = 4  # row groups kept decoded


class NamedMaps(ABC):
    """Shared by folders and shards: which of the names found belongs to which item."""

    constant = False
    options: Mapping[str, Any] = {}

    def __init__(self, root: Path) -> None:
        self.name = root.name
        self.root = root
        self.chosen: list[str] = []

    @abstractmethod
    def places(self) -> Mapping[str, Sequence[str]]:
        """Give for each map name where it lies; two places are one too many."""

    def match(self, split: Split, refused: Collection[str] = ()) -> list[Problem]:
        """Choose each item's map by the names it may have."""
        places = self.places()
        several = Counter(split.images)
        bare = Counter(dict.fromkeys(map(_bare, several), 0))
        bare.update(map(_bare, several))
        problems: list[Problem] = []
        self.chosen = []
        for i, item in enumerate(split.ids):
            keys = _keys(split, i, alone=several[split.images[i]] == 1)
            found = [key for key in keys if key in places]
            files = [place for key in found for place in places[key]]
            name, problem = self._choose(item, keys, found, files, bare)
            self.chosen.append(name)
            problems += [problem] if problem else []
        return problems + self._strangers(split, places, refused)

    def _choose(
        self,
        item: str,
        keys: Sequence[str],
        found: Sequence[str],
        files: Sequence[str],
        bare: Mapping[str, int],
    ) -> tuple[str, Problem | None]:
        root = str(self.root)
        if not files:
            expected = " or ".join(f"{key}.npy" for key in keys)
            return "", Problem("no score map", root, image=item, remedy=f"expected {expected}")
        if len(files) > 1:
            what = f"two maps for one image: {files[0]} and {files[1]}"
            return "", Problem(what, root, image=item, remedy="remove one of them")
        if found[0] not in (item, keys[0]) and bare.get(found[0], 0) > 1:
            what = f"{files[0]} fits several images that differ in their extension only"
            return "", Problem(what, root, image=item, remedy="name maps by the full id")
        return found[0], None

    def _strangers(
        self, split: Split, places: Mapping[str, Sequence[str]], refused: Collection[str]
    ) -> list[Problem]:
        used = set(self.chosen)
        images = {*split.images, *refused, *(_without_label(item) for item in refused)}
        images |= set(map(_bare, images))
        remedy = "remove it, or go on without it with --on-error skip"
        return [
            Problem("map for an unknown image", places[key][0], remedy=remedy)
            for key in sorted(places.keys() - used)
            if key not in images and str(PurePosixPath(key).parent) not in images
        ]


def _without_label(item: str) -> str:
    image, _, label = item.rpartition("/")
    return image if label.isdecimal() else item


def _bare(image: str) -> str:
    path = PurePosixPath(image)
    return str(path.with_suffix("")) if path.suffix else image


def _keys(split: Split, i: int, *, alone: bool) -> list[str]:
    """List the names that an item's map may have, with or without the image's extension."""
    image, label = split.images[i], int(split.labels[i])
    stems = list(dict.fromkeys([image, _bare(image)]))
    named = [str(label)] if label >= 0 else []
    if 0 <= label < len(split.classes):
        named.append(split.classes[label])
    by_class = [f"{stem}/{name}" for stem in stems for name in named]
    return stems + by_class if alone else by_class


class FolderSource(NamedMaps):
    """One .npy or .png file an item, named by image id, or by image id and class."""

    def __init__(self, root: Path, files: Sequence[Path]) -> None:
        super().__init__(root)
        found: dict[str, list[str]] = defaultdict(list)
        for file in files:
            found[file.relative_to(root).with_suffix("").as_posix()].append(str(file))
        self._places = dict(found)

    def places(self) -> Mapping[str, Sequence[str]]:
        """Give the files by map name."""
        return self._places

    def read(self, item: int) -> tuple[ScoreMap, str]:
        """Read a map from its file."""
        file = self._places[self.chosen[item]][0]
        return (_read_png if file.lower().endswith(".png") else _read_npy)(file), file


def _read_npy(file: str) -> ScoreMap:
    try:
        with Path(file).open("rb") as stream:
            return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
    except Exception as error:  # a damaged header can fail in any way
        raise DataError([Problem(_npy_fault(error), file, remedy="write it again")]) from error


def _npy_fault(error: Exception) -> str:
    if "Object arrays" in str(error):
        return "holds pickled objects, which are never loaded"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return f"not a whole .npy array ({_first_line(error)})"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _read_png(file: str) -> ScoreMap:
    picture = read_picture(Path(file), cv2.IMREAD_UNCHANGED, "map")
    if picture.ndim != 2:
        what = f"map has {picture.shape[2]} channels where 1 is needed"
        raise DataError([Problem(what, file, remedy="write a grayscale PNG")])
    return picture / float(np.iinfo(picture.dtype).max)


class ShardSource(NamedMaps):
    """Many maps a file: .npz archives with one array an id, or Parquet tables.

    A Parquet shard has the columns `id`, `height`, `width`, `dtype` and `scores` (the bytes of the
    map, row by row).
    """

    def __init__(self, root: Path, shards: Sequence[Path]) -> None:
        super().__init__(root)
        self._where: dict[str, list[tuple[Path, int, int]]] = defaultdict(list)
        self._broken: list[Problem] = []
        for shard in shards:
            try:
                for name, group, row in _shard_names(shard):
                    self._where[name].append((shard, group, row))
            except DataError as error:
                self._broken += error.problems
        self._local = threading.local()
        self._group = lru_cache(maxsize=SHARDS_OPEN)(_read_group)

    def match(self, split: Split, refused: Collection[str] = ()) -> list[Problem]:
        """Choose each item's map; report shards that cannot be read before what they lack."""
        return self._broken + super().match(split, refused)

    def places(self) -> Mapping[str, Sequence[str]]:
        """Give the shards by map name."""
        return {
            name: [f"{shard}[{name}]" for shard, *_ in where] for name, where in self._where.items()
        }

    def read(self, item: int) -> tuple[ScoreMap, str]:
        """Read a map from its shard."""
        name = self.chosen[item]
        shard, group, row = self._where[name][0]
        place = f"{shard}[{name}]"
        try:
            if shard.suffix.lower() == ".npz":
                return self._archive(shard)[name], place
            return _unpacked(self._group(shard, group), row), place
        except Exception as error:  # zipfile and pyarrow have exceptions of their own
            raise DataError([Problem(_npy_fault(error), place, remedy="write it again")]) from error

    def _archive(self, shard: Path) -> Mapping[str, Any]:
        """Open an archive once in each thread, since its position in the file is shared."""
        opened: dict[Path, Any] = self._local.__dict__.setdefault("opened", {})
        if shard not in opened:
            opened[shard] = np.load(shard, allow_pickle=False)
        return opened[shard]  # type: ignore[no-any-return]


def _shard_names(shard: Path) -> Iterator[tuple[str, int, int]]:
    try:
        if shard.suffix.lower() == ".npz":
            with shard.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                yield from ((name, 0, 0) for name in archive.files)
            return
        import pyarrow.parquet as pq

        with pq.ParquetFile(shard) as file:
            for group in range(file.num_row_groups):
                names = file.read_row_group(group, columns=["id"])["id"].to_pylist()
                yield from ((str(name), group, row) for row, name in enumerate(names))
    except Exception as error:
        what = f"not a whole shard of score maps ({_first_line(error)})"
        raise DataError([Problem(what, str(shard), remedy="write it again")]) from error


def _read_group(shard: Path, group: int) -> Any:
    import pyarrow.parquet as pq

    with pq.ParquetFile(shard) as file:
        return file.read_row_group(group)


def _unpacked(table: Any, row: int) -> ScoreMap:
    height, width = table["height"][row].as_py(), table["width"][row].as_py()
    kind = np.dtype(table["dtype"][row].as_py())
    if kind.kind not in "buif":
        raise ValueError(f"dtype {kind} is not a number")
    return np.frombuffer(table["scores"][row].as_buffer(), kind).reshape(height, width)

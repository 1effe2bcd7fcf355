"""Finding out what lies in a place: lists, a data set as its makers released it, or a format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from sightline import registry
from sightline.data.annotations import Request
from sightline.data.known import WHOLE, KnownDataset
from sightline.data.splits import SPLITS, Asked
from sightline.errors import DataError, UsageError

LISTS = "image_ids.txt"


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be read, and by which module."""

    path: Path
    dataset: str
    reader: ModuleType
    is_known: bool = False  # by name, or by its layout; not by what its folder is called


def find(place: str, asked: Asked, request: Request) -> Found:
    """Find the folder or file of a split, and what reads it."""
    name, root = named(place)
    found = _look(name, root, asked, request)
    if found:
        return found
    held = held_splits(place, request)
    if asked.name and (there := held or _split_folders(name, root)):
        raise UsageError(f"{root}: no split '{asked.name}' here; it holds {', '.join(there)}")
    if held:
        raise UsageError(f"{root}: it holds {', '.join(held)}: pass one of them with --split")
    downloads = known(name).downloads if name else ()
    if downloads:
        raise DataError([download.problem(root) for download in downloads])
    formats = ", ".join(f"{entry.name} ({entry.title})" for entry in registry.describe("format"))
    raise UsageError(f"{root}: not recognised as ground truth; known formats: {formats}")


def named(place: str) -> tuple[str, Path]:
    """Split `NAME:FOLDER`; the name is empty where no data set of it is known."""
    name, colon, folder = place.partition(":")
    dataset = name if colon and name in registry.names("dataset") else ""
    path = Path(folder if dataset else place)
    if not path.exists():
        unknown = colon and len(name) > 1 and not dataset
        hint = f"; no data set is called '{name}' (see 'sightline data list')" if unknown else ""
        raise UsageError(f"{path}: no such file or folder of ground truth{hint}")
    return dataset, path


def absolute(place: str) -> str:
    """Name a place so that it is found from any folder."""
    name, colon, folder = place.partition(":")
    known_by_name = colon and name in registry.names("dataset")
    path = Path(folder if known_by_name else place)
    if not path.exists():
        return place  # such as `pond`, which lies nowhere
    return f"{name}:{path.absolute()}" if known_by_name else str(path.absolute())


def known(name: str) -> KnownDataset:
    """Tell what is known of a data set."""
    dataset: KnownDataset = registry.load("dataset", name).DATASET
    return dataset


def held_splits(place: str, request: Request) -> tuple[str, ...]:
    """List the splits in a place that must be asked for one by one; none if it is one itself."""
    name, root = named(place)
    if not root.is_dir() or (root / LISTS).is_file():
        return ()
    if inner := _splits_with_lists(name, root):
        return inner
    for module in _readers(name):
        held = _splits_of(module, root)
        if held:
            return held if WHOLE not in held else ()
    return tuple(
        split
        for split in SPLITS
        for folder in _inner(name, root, Asked(split))
        if _format(folder, request)
    )


def _look(name: str, root: Path, asked: Asked, request: Request) -> Found | None:
    inner = list(_inner(name, root, asked))
    others = asked.name and not inner and _split_folders(name, root)
    for folder in inner if others else (*inner, root):
        if _has_lists(folder):
            lists = registry.load("format", "reference")
            return Found(folder, name or root.resolve().name, lists, bool(name))
    if not asked.name and _splits_with_lists(name, root):
        return None
    for dataset, module in _layouts(name):
        held = module.splits(root)
        if asked.name in held or WHOLE in held:
            return Found(root, dataset, module, True)
        if held:
            return None
    for folder in (*inner, root):
        reader = _format(folder, request)
        held = _splits_of(reader, folder) if reader else ()
        if held and not asked.name:
            return None
        if reader and (not others or asked.name in held):
            return Found(folder, name or root.resolve().name, reader, bool(name))
    return None


def _splits_with_lists(name: str, root: Path) -> tuple[str, ...]:
    return tuple(s for s in SPLITS if any(map(_has_lists, _inner(name, root, Asked(s)))))


def _has_lists(folder: Path) -> bool:
    return (folder / LISTS).is_file()


def _inner(name: str, root: Path, asked: Asked) -> Iterator[Path]:
    """Walk through the folders that may be a split's own."""
    for split in asked.folders:
        metadata = (root / f"metadata/{other}/{split}" for other in _spellings(name))
        for folder in (root / split, root / "metadata" / split, *metadata):
            if folder.is_dir():
                yield folder


def _split_folders(name: str, root: Path) -> tuple[str, ...]:
    """List the splits that have a folder here: where some have one, the whole is no split."""
    return tuple(split for split in SPLITS if any(_inner(name, root, Asked(split))))


def _spellings(name: str) -> tuple[str, ...]:
    """Give the folder names of the released lists: CUB, ILSVRC, OpenImages."""
    return {"openimages": ("OpenImages",)}.get(name, (name.upper(),)) if name else ()


def _splits_of(module: ModuleType, root: Path) -> tuple[str, ...]:
    """List the splits that a reader finds in a folder; not every format has any."""
    splits = getattr(module, "splits", None)
    return tuple(splits(root)) if splits else ()


def _readers(name: str) -> Iterator[ModuleType]:
    yield from (module for _, module in _layouts(name))
    for entry in registry.describe("format"):
        yield registry.load("format", entry.name)


def _layouts(name: str) -> Iterator[tuple[str, ModuleType]]:
    """Walk through the data sets that are read as released: all, or the one that is named."""
    for dataset in registry.names("layout"):
        if name in ("", dataset):
            yield dataset, registry.load("layout", dataset)


def _format(path: Path, request: Request) -> ModuleType | None:
    """Ask our own formats first: a broken one of another package then stops only its own users."""
    entries = sorted(registry.describe("format"), key=lambda entry: entry.source != "sightline")
    modules = (registry.load("format", entry.name) for entry in entries)
    return next((module for module in modules if module.recognises(path, request)), None)

"""Asking an annotator about every image of a split, once for each content."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from sightline import provenance, registry, rows
from sightline.annotators import working
from sightline.annotators.answers import packed, unpacked
from sightline.annotators.contract import Answer, Item, Source
from sightline.annotators.store import Store, key_of
from sightline.annotators.working import Order, Work
from sightline.data.dataset import Dataset
from sightline.data.photographs import read_photograph
from sightline.types import LedgerEntry, Split

LAYOUT = 1  # raise it when kept answers come to mean something else


@dataclass(frozen=True, slots=True)
class Asked:
    """What an annotator is asked, with what its answers follow from."""

    name: str
    options: Any
    source: Source
    keys: tuple[str, ...]  # of each image's answer
    hashes: tuple[str, ...]  # of each image's bytes
    store: Store
    failed: Mapping[str, str]  # images that could not be read or asked about, and why

    @property
    def module(self) -> ModuleType:
        """Give the annotator's file."""
        return registry.load("annotator", self.name)

    @property
    def about(self) -> dict[str, Any]:
        """Say what answers follow from, for rows."""
        options = asdict(self.options)
        return {"annotator": self.name, "options": options, "origin": dict(self.source.origin)}

    @property
    def ledger(self) -> tuple[LedgerEntry, ...]:
        """List localization labels that went into the annotator."""
        return tuple(self.source.ledger)

    def answer(self, item: int) -> Answer:
        """Read the answer about an image."""
        return unpacked(self.store.get(self.keys[item]))


def ask(
    name: str,
    options: Any,
    dataset: Dataset,
    store: Store,
    *,
    seed: int = 0,
    workers: int = 0,
    show_progress: bool = True,
    stop: bool = False,
) -> Asked:
    """Ask about every image that was not asked about before.

    Args:
        name: of the annotator.
        options: its options.
        dataset: the split; its localization labels are not opened.
        store: where answers are kept.
        seed: of whatever is random in it.
        workers: processes; 0 for one a processor.
        show_progress: tell on standard error how far it is.
        stop: leave the rest unasked at the first image that cannot be asked about.
    """
    module = registry.load("annotator", name)
    split = dataset.split
    source = module.open(options, split)
    hashes = tuple(rows.file_hash(file) for file in dataset.pictures)
    items = [_item(split, i, hashes[i], seed) for i in range(len(hashes))]
    common = (LAYOUT, name, asdict(options), dict(source.origin), _version(module))
    by_class = getattr(module, "CLASSES", False)
    sizes = [(int(w), int(h)) for w, h in split.sizes]
    keys = tuple(
        key_of(common, digest, item.seed, size, _class(item) if by_class else None)
        for digest, item, size in zip(hashes, items, sizes, strict=True)
    )
    orders = [
        Order(key, item.name, (str(file), size, item))
        for key, item, file, size in zip(keys, items, dataset.pictures, sizes, strict=True)
    ]
    failed = working.finish(
        orders,
        partial(opened, name, options, split),
        store,
        workers=workers,
        title=name,
        show_progress=show_progress,
        stop=stop,
    )
    return Asked(name, options, source, keys, hashes, store, failed)


def opened(name: str, options: Any, split: Split) -> Work:
    """Make an annotator ready, in whichever process."""
    source: Source = registry.load("annotator", name).open(options, split)

    def work(what: tuple[str, tuple[int, int], Item]) -> bytes:
        file, size, item = what
        return packed(source.propose(read_photograph(Path(file), size=size), item))

    return work


def _item(split: Split, item: int, digest: str, seed: int) -> Item:
    """Draw from an image's bytes, so that neither its name nor the order matters."""
    label = int(split.labels[item])
    name = split.classes[label] if 0 <= label < len(split.classes) else ""
    drawn = np.random.SeedSequence([seed, int(digest[:16], 16)]).generate_state(1)
    return Item(split.ids[item], label, name, int(drawn[0]))


def _class(item: Item) -> Sequence[Any]:
    return item.label, item.class_name


def _version(module: ModuleType) -> str:
    """Tell of which release a library that an annotator names is."""
    library = getattr(module, "LIBRARY", "")
    return str(provenance.versions().get(library, "")) if library else ""

"""What splits are called: one split under all its names, and small ones drawn out of it.

train, train-weaksup, training     images with classes, to train on
val, train-fullsup, validation     images with everything, to choose with
test, testing                      for the final report
train-proxy                        those of `image_ids_proxy.txt`
val:6, val:6:1                     six images a class drawn from val, with seed 0 and seed 1
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sightline.data.build.sampling import shuffled
from sightline.errors import UsageError
from sightline.types import Split

UNKNOWN = "unknown"  # of a bare folder: it may be the test split for all that is known
TEST = "test"
PROXY = "proxy"
ALIASES = {
    "train": ("train", "train-weaksup", "weaksup", "training"),
    "val": ("val", "train-fullsup", "fullsup", "validation", "valid"),
    "test": ("test", "testing"),
}
SPLITS = tuple(ALIASES)


@dataclass(frozen=True, slots=True)
class Asked:
    """A split that somebody named."""

    name: str  # empty if no split was named
    proxy: bool = False
    per_class: int = 0  # images drawn of each class, all if 0
    seed: int = 0

    @property
    def label(self) -> str:
        """Give the name that ledgers and rows show."""
        name = f"{self.name}-{PROXY}" if self.proxy else self.name or UNKNOWN
        return f"{name}:{self.per_class}:{self.seed}" if self.per_class else name

    @property
    def folders(self) -> tuple[str, ...]:
        """Give the names that a folder of the split may have."""
        return ALIASES.get(self.name, (self.name,) if self.name else ())


def asked(text: str) -> Asked:
    """Read the name of a split."""
    whole, *numbers = text.strip().split(":")
    proxy = whole.lower().endswith(f"-{PROXY}")
    name = canonical(whole[: -len(PROXY) - 1] if proxy else whole)
    if not numbers:
        return Asked(name, proxy)
    if len(numbers) > 2 or not all(number.isdecimal() for number in numbers) or not int(numbers[0]):
        raise UsageError(
            f"split '{text}' is not NAME, NAME:IMAGES or NAME:IMAGES:SEED, as in val:6 or val:6:1"
        )
    seed = int(numbers[1]) if len(numbers) == 2 else 0
    return Asked(name, proxy, int(numbers[0]), seed)


def canonical(name: str) -> str:
    """Give the one name of a split that has several; any other name stays as it is."""
    lowered = name.lower()
    return next((known for known, names in ALIASES.items() if lowered in names), name)


def is_test(name: str) -> bool:
    """Tell whether labels of a split are test labels, a few drawn of them too."""
    return canonical(name.partition(":")[0].removesuffix(f"-{PROXY}")) == TEST


def drawn(split: Split, per_class: int, seed: int) -> Sequence[int]:
    """Draw as many images of each class, all where there are fewer; in the split's own order.

    The draw follows from the seed and the images' names alone, so that a larger one holds a
    smaller one.
    """
    kept: set[str] = set()
    for label in np.unique(split.labels).tolist():
        ids = [split.ids[item] for item in np.flatnonzero(split.labels == label)]
        kept.update(shuffled(ids, seed)[:per_class])
    return [item for item, name in enumerate(split.ids) if name in kept]

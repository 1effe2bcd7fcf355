"""The place `pond`: generated once into the user's own data folder, and read from there.

`pond` is the well-posed setting, `pond:ill-posed` the other one; after it may follow, between
commas, `images=`, `seed=` and any dial: `pond:ill-posed,size=96,images=3200`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from sightline.data.pond.dials import SETTINGS, Dials, dials
from sightline.errors import UsageError

NAME = "pond"
DRAWING = 4  # raise it when the same seed comes to give other images
IMAGES = 1600
SPLITS = {"": "train-fullsup", "train": "train-weaksup", "val": "train-fullsup"}
EXAMPLE = "pond:ill-posed,size=96"
WHOLE_NUMBERS = {"images": IMAGES, "seed": 0}


def is_pond(place: str) -> bool:
    """Tell whether a place is the generated one; a data set in a folder of that name is not."""
    return place.partition(":")[0] == NAME and not (Path(place) / "recipe.json").is_file()


def resolved(place: str, split: str) -> tuple[str, str]:
    """Give folder and split of a place, generating it if it is Pond and not there yet."""
    if not is_pond(place):
        return place, split
    return str(folder(place)), SPLITS.get(split, split)


def folder(place: str) -> Path:
    """Generate the data set of a place if it is not there yet, and tell where it lies."""
    from sightline.data.pond.generate import finished, generate, split_counts

    chosen, numbers = parsed(place)
    out, counts = home() / _leaf(place), split_counts(numbers["images"])
    if numbers["images"] < 3:
        raise UsageError(
            f"{place}: images is {numbers['images']}; three splits need three at least"
        )
    if not finished(out, counts):
        with alone(out):
            generate(out, chosen, numbers["seed"], counts, workers=1)
    return out


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Let one process at a time fill a folder, where the system can see to that."""
    if fcntl is None:
        yield
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.with_name(f".{out.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # goes with the process, however it ends
        yield


def home() -> Path:
    """Tell where generated data sets are kept."""
    own = os.environ.get("SIGHTLINE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return (Path(own) if own else Path(data) / "sightline") / "generated" / f"v{DRAWING}"


def _leaf(place: str) -> str:
    setting, *given = _words(place)
    return "-".join([NAME, *([] if setting == next(iter(SETTINGS)) else [setting]), *sorted(given)])


def _words(place: str) -> list[str]:
    words = [word.strip() for word in place.partition(":")[2].split(",") if word.strip()]
    return words if words and "=" not in words[0] else [next(iter(SETTINGS)), *words]


def parsed(place: str) -> tuple[Dials, dict[str, int]]:
    """Read dials, and how many images of which seed, out of a place."""
    setting, *given = _words(place)
    hints: dict[str, Any] = get_type_hints(Dials)
    values: dict[str, Any] = {}
    for word in given:
        name, _, text = word.partition("=")
        kind = int if name in WHOLE_NUMBERS else hints.get(name)
        if kind is None:
            known = ", ".join([*WHOLE_NUMBERS, *(item.name for item in fields(Dials))])
            raise UsageError(f"{place}: pond has no '{name}'; it has {known}, as in {EXAMPLE}")
        try:
            values[name] = kind(text)
        except ValueError:
            raise UsageError(f"{place}: '{text}' is no value of {name}; as in {EXAMPLE}") from None
    numbers = {name: values.pop(name, default) for name, default in WHOLE_NUMBERS.items()}
    if numbers["seed"] < 0:
        raise UsageError(f"{place}: seed starts at 0")
    return dials(setting, values), numbers

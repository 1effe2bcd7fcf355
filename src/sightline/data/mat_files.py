"""MATLAB files of annotations: PASCAL-Part's objects with their parts, and plain variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.errors import DataError, Problem
from sightline.types import MatMask

HDF5 = b"\x89HDF\r\n\x1a\n"
Mask = NDArray[np.uint8]  # (height, width), 0 and 1
DAMAGES = (ValueError, TypeError, KeyError, IndexError, AttributeError)


@dataclass(frozen=True, slots=True)
class PartOf:
    """A part of an object."""

    name: str
    mask: Mask


@dataclass(frozen=True, slots=True)
class Thing:
    """An object."""

    label: int  # from 0, in the order of VOC's 20 classes
    name: str
    mask: Mask
    parts: tuple[PartOf, ...]


def read_things(file: Path) -> tuple[Thing, ...]:
    """Read the objects of a file of PASCAL-Part."""
    annotation: Any = read_variables(file).get("anno")
    try:
        return tuple(map(_thing, np.atleast_1d(annotation["objects"][0, 0]).reshape(-1)))
    except DAMAGES as error:
        remedy = "replace the file by the one of PASCAL-Part"
        what = f"holds no objects as PASCAL-Part does ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(file), remedy=remedy)]) from None


def read_variables(file: Path) -> Mapping[str, Any]:
    """Read a MATLAB file up to version 7; nothing in it is run."""
    from scipy.io import loadmat

    try:
        variables: Mapping[str, Any] = loadmat(str(file))
    except OSError as error:
        raise _unreadable(file, f"is no readable MATLAB file ({error.strerror or error})") from None
    except Exception as error:  # a damaged file raises nearly anything
        raise _unreadable(file, f"is no readable MATLAB file ({error})") from None
    return variables


def is_hdf5(file: Path) -> bool:
    """Tell whether a MATLAB file is of version 7.3, which another library has to read."""
    try:
        with file.open("rb") as stream:
            return HDF5 in stream.read(1024)
    except OSError:
        return False


def _unreadable(file: Path, what: str) -> DataError:
    return DataError([Problem(what, str(file), remedy="replace the file")])


@lru_cache(maxsize=4)
def _kept(file: Path) -> tuple[Thing, ...]:
    """Keep the last files: all parts of an object are read one after the other."""
    return read_things(file)


def mat_mask(source: MatMask) -> Mask:
    """Give the pixels of an object or a part."""
    thing = _kept(source.file)[source.thing]
    return thing.mask if source.part < 0 else thing.parts[source.part].mask


def _thing(entry: Any) -> Thing:
    mask = _mask(entry["mask"])
    parts = entry["parts"].reshape(-1) if entry["parts"].size else ()
    return Thing(
        label=int(entry["class_ind"].item()) - 1,
        name=str(entry["class"].item()),
        mask=mask,
        parts=tuple(PartOf(str(part["part_name"].item()), _mask(part["mask"])) for part in parts),
    )


def _mask(values: Any) -> Mask:
    if values.ndim != 2 or not values.size:
        raise ValueError(f"a mask of shape {values.shape}")
    return np.asarray(values != 0, np.uint8)

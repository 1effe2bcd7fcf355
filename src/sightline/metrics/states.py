"""What an accumulator has collected, as plain arrays in a file: shards are merged from such files.

Numbers keep their very bits, so that what is merged is what one pass gives.
"""

from array import array
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sightline.errors import DataError, Problem
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import Protocol
from sightline.metrics.records import Columns

Accumulator = BoxAccumulator | MaskAccumulator
SUMS = ("_overlap", "_reached")
RUNS = {"_image": "q", "_group": "b", "_above": "d", "_up_to": "d"}
LISTS = ("_histograms", "_at_threshold")


def save(accumulator: Accumulator, file: Path, **more: Any) -> None:
    """Write an accumulator whose images have ids, and more arrays beside it."""
    arrays: dict[str, Any] = {"ids": np.array(accumulator.records.ids, dtype=np.str_), **more}
    for name, column in accumulator.records._columns.items():
        arrays[f"column:{name}"] = np.array(column)
    if isinstance(accumulator, BoxAccumulator):
        arrays |= {name: np.array(getattr(accumulator, name)) for name in (*SUMS, *RUNS)}
    else:
        for name in LISTS:
            for position, counts in enumerate(getattr(accumulator, name)):
                arrays[f"{name}:{position}"] = counts
    temporary = file.with_name(f".{file.name}.part.npz")
    np.savez(temporary, **arrays)
    temporary.replace(file)


def load(protocol: Protocol, file: Path) -> tuple[Accumulator, dict[str, Any]]:
    """Read an accumulator, and the other arrays by name."""
    try:
        with np.load(file, allow_pickle=False) as read:
            arrays = {name: read[name] for name in read.files}
        masks = protocol.ground_truth_kind == "masks"
        found: Accumulator = MaskAccumulator(protocol) if masks else BoxAccumulator(protocol)
        _fill_records(found.records, arrays)
        if isinstance(found, BoxAccumulator):
            for name in SUMS:
                setattr(found, name, arrays.pop(name))
            for name, code in RUNS.items():
                setattr(found, name, array(code, arrays.pop(name).tolist()))
        else:
            for name in LISTS:
                held = [arrays.pop(f"{name}:{i}") for i in range(len(found.records))]
                setattr(found, name, held)
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        what = f"is no part of an evaluation ({error})"
        raise DataError([Problem(what, str(file), remedy="delete it and run again")]) from None
    return found, arrays


def _fill_records(records: Columns, arrays: dict[str, Any]) -> None:
    ids = arrays.pop("ids").tolist()
    columns = [arrays.pop(f"column:{name}").tolist() for name in records._columns]
    for image, values in zip(ids, zip(*columns, strict=True), strict=True):
        records.append(image, values)

"""What was measured of a run after each of its epochs: the material of every model selection.

A record holds, epoch by epoch: class accuracy on each split; box accuracy at every score threshold
(so that a threshold can be taken from one split to another) or PxAP, against the ground truth of a
split and against any number of pseudo ground truths of it; and what needs no label: the norm of the
weights, and the share of an image that the box at Otsu's threshold takes. It lies beside its row as
one .npz file, and the row's ledger says which labels went into it.
"""

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import rows
from sightline.errors import DataError, Problem, UsageError
from sightline.types import LedgerEntry

Floats = NDArray[np.float64]
Where = tuple[str, str]  # split and source

KIND, ARTIFACT = "epochs", "epochs"
TRUTH = "ground-truth"
VAL, TEST = "val", "test"  # roles, whatever the splits are called
CLASS_ACCURACY, WEIGHT_NORM, BOX_AREA = "class-accuracy", "weight-norm", "box-area"


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """One run's epochs. Percentages are 0 to 100."""

    facts: Mapping[str, Any]  # method, backbone, dataset, and what tells configurations apart
    epochs: NDArray[np.int64]  # (E,)
    deltas: tuple[int, ...] = (30, 50, 70)
    thresholds: Floats = field(default_factory=lambda: np.zeros(0))  # (T,)
    series: Mapping[str, Floats] = field(default_factory=dict)  # such as val/class-accuracy: (E,)
    accuracy: Mapping[Where, Floats] = field(default_factory=dict)  # (E, D, T)
    overlap: Mapping[Where, Floats] = field(default_factory=dict)  # (E, T): mean IoU
    precision: Mapping[Where, Floats] = field(default_factory=dict)  # (E,): PxAP
    ledger: tuple[LedgerEntry, ...] = ()
    place: str = ""
    version: str = ""  # of the code that recorded it
    test: str = ""  # fingerprint of the test split's ground truth

    def sources(self, split: str = VAL) -> list[str]:
        """List what this split was measured against, the ground truth first."""
        found = {source for where, source in (*self.accuracy, *self.precision) if where == split}
        return sorted(found, key=lambda source: (source != TRUTH, source))

    @property
    def has_test(self) -> bool:
        """Tell whether the test split was measured."""
        return (TEST, TRUTH) in self.accuracy or (TEST, TRUTH) in self.precision

    @property
    def by_masks(self) -> bool:
        """Tell whether localization was measured with masks."""
        return bool(self.precision) and not self.accuracy


def save(record: EpochRecord, file: Path, *, compressed: bool = True) -> None:
    """Write the numbers of a record; what they are of is the row's to say."""
    arrays: dict[str, Any] = {
        "epochs": record.epochs,
        "deltas": np.array(record.deltas),
        "thresholds": record.thresholds,
    }
    arrays |= {f"series:{name}": values for name, values in record.series.items()}
    for kind in ("accuracy", "overlap", "precision"):
        for (split, source), values in getattr(record, kind).items():
            arrays[f"{kind}:{split}:{source}"] = values.astype(np.float32)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.part.npz")
    (np.savez_compressed if compressed else np.savez)(temporary, **arrays)
    temporary.replace(file)


def load(row_file: Path) -> EpochRecord:
    """Read a record by its row."""
    row = rows.load(row_file)
    if row.result.get("kind") != KIND or ARTIFACT not in row.artifacts:
        raise UsageError(f"{row_file}: holds no record of epochs")
    kept = row.artifacts[ARTIFACT]
    file = row_file.parent / kept.path
    if not file.is_file():
        raise _broken(file, "the row's file is missing")
    if rows.file_hash(file) != kept.sha256:
        raise _broken(file, "is not the file that its row describes")
    found: dict[str, Any] = {"accuracy": {}, "overlap": {}, "precision": {}, "series": {}}
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            for name in arrays.files:
                kind, _, rest = name.partition(":")
                if kind == "series":
                    found[kind][rest] = arrays[name].astype(np.float64)
                elif rest:
                    split, _, source = rest.partition(":")
                    found[kind][split, source] = arrays[name].astype(np.float64)
                else:
                    found[kind] = arrays[name]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise _broken(file, f"cannot be read ({error})") from None
    return EpochRecord(
        facts=row.result["run"],
        epochs=found["epochs"],
        deltas=tuple(found["deltas"].tolist()),
        thresholds=found["thresholds"],
        series=found["series"],
        accuracy=found["accuracy"],
        overlap=found["overlap"],
        precision=found["precision"],
        ledger=row.ledger,
        place=str(row_file.parent),
        test=str(row.result.get("truth", {}).get(TEST, {}).get("fingerprint", "")),
        version=str(row.provenance.get("versions", {}).get("sightline", "")),
    )


def _broken(file: Path, what: str) -> DataError:
    return DataError([Problem(what, str(file), remedy="delete its row and record again")])


def find(places: Iterable[Path]) -> list[EpochRecord]:
    """Read all records in files and folders, in the order of their names."""
    found = []
    for place in places:
        if not place.exists():
            raise UsageError(f"{place}: no such run")
        files = rows.find([place])
        found += [load(f) for f in files if f.name == f"{KIND}{rows.SUFFIX}"]
    return found

"""Small records of epochs whose every number is plain to see."""

import numpy as np

from sightline import rows
from sightline.protocol import epochs
from sightline.protocol.epochs import TEST, TRUTH, VAL, EpochRecord
from sightline.types import LedgerEntry, ResultRow

BOXES = LedgerEntry("pets", "val", "model-selection", "boxes", 4, 4, (1, 1))
TEST_BOXES = LedgerEntry("pets", "test", "study", "boxes", 8, 8, (2, 2))


def record(name="a", *, val, test=None, pseudo=None, top1=(), test_top1=(), **more):
    """Make a record from accuracies by epoch and threshold at IoU 50; 30 is 10 more, 70 10 less."""
    accuracy = {(VAL, TRUTH): three(val)}
    accuracy |= {(TEST, TRUTH): three(test)} if test is not None else {}
    accuracy |= {(VAL, source): three(values) for source, values in (pseudo or {}).items()}
    series = {f"{VAL}/class-accuracy": np.array(top1, float)} if len(top1) else {}
    series |= {f"{TEST}/class-accuracy": np.array(test_top1, float)} if len(test_top1) else {}
    series |= {key: np.array(values, float) for key, values in more.pop("series", {}).items()}
    facts = {"method": "cam", "backbone": "vgg", "dataset": "pets", "configuration": name}
    return EpochRecord(
        facts=facts | more,
        epochs=np.arange(1, len(val) + 1),
        thresholds=np.array([0.2, 0.5, 0.8])[: np.shape(val)[1]],
        series=series,
        accuracy=accuracy,
        overlap={where: values[:, 1] / 2 for where, values in accuracy.items()},
        ledger=(BOXES, TEST_BOXES) if test is not None else (BOXES,),
        place=name,
    )


def three(values):
    middle = np.array(values, float)
    return np.stack([middle + 10, middle, middle - 10], axis=1)  # (E, D, T)


def written(made, folder):
    """Write a record with its row into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "epochs.npz"
    epochs.save(made, file)
    kept = {"epochs": rows.artifact(file, folder)}
    versions = {"versions": {"sightline": made.version or "1"}}
    row = ResultRow({"kind": "epochs", "run": dict(made.facts)}, versions, made.ledger, kept)
    rows.save(row, folder / f"epochs{rows.SUFFIX}")
    return folder

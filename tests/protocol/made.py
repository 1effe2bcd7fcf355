"""Rows as training and evaluation write them, with numbers of our own."""

import numpy as np

from sightline import rows
from sightline.metrics import evidence_files
from sightline.metrics.box_accumulator import BoxEvidence
from sightline.metrics.evidence_files import Kept
from sightline.protocol import results
from sightline.types import LedgerEntry, ResultRow

PROTOCOL = {"name": "reference-v2"}
REPORT = LedgerEntry("pets", "test", "final-report", "boxes", 100, 100, (5, 5))
SEARCHED = LedgerEntry("pets", "val", "hyperparameters", "boxes", 40, 40, (2, 2))
LEARNED = LedgerEntry("pets", "val", "training", "boxes", 32, 32, (1, 2))


def trial(folder, *, value, method="cam", backbone="small", status="converged", lr=0.1, **more):
    """Write and read the row of a training run."""
    dataset = more.pop("dataset", "pets")
    result = {
        "kind": "train",
        "method": method,
        "backbone": backbone,
        "options": more.pop("options", {}),
        "plan": {"lr": lr, "seed": 0},
        "status": status,
        "truth": {"dataset": dataset, "split": "val", "fingerprint": "v"},
        "metric": "MaxBoxAccV2",
        "value": value,
    }
    ledger = more.pop("ledger", (SEARCHED,))
    row = ResultRow(rows.plain(result), {"versions": {"sightline": "1"}}, ledger)
    rows.save(row, folder / "train.row.json")
    (found,) = results.trainings([folder / "train.row.json"])
    return found


def final(folder, *, value=None, method="cam", backbone="small", dataset="pets", **more):
    """Write and read the row of a test, with evidence if hits are given: images x 3, of 0 and 1."""
    hits = more.pop("hits", None)
    if value is None:
        value = 100 * float(np.mean(hits))
    name = more.pop("name", "final-reference-v2")
    metric = more.pop("metric", "MaxBoxAccV2")
    result = {
        "protocol": more.pop("protocol", PROTOCOL),
        "truth": {"dataset": dataset, "split": "test", "fingerprint": f"t-{dataset}"},
        "metric": metric,
        "value": value,
        **more.pop("result", {}),
    }
    if backbone:
        result |= {"maps": "run", "run": {"method": method, "backbone": backbone}}
    else:
        result |= {"maps": f"baseline:{method}"}
    artifacts = {}
    if hits is not None:
        kept = Kept(*evidence(hits), more.pop("found", np.full(len(hits), np.nan)))
        file = evidence_files.save(kept, folder / f"{name}.evidence.npz")
        artifacts = {"evidence": rows.artifact(file, folder)}
    versions = {"versions": {"sightline": more.pop("version", "1")}}
    ledger = more.pop("ledger", (REPORT,))
    rows.save(
        ResultRow(rows.plain(result), versions, ledger, artifacts), folder / f"{name}.row.json"
    )
    found = results.read([folder / f"{name}.row.json"])
    return found[0] if found else None


def evidence(hits):
    """Make evidence of images that hit at one threshold, or not, at each IoU level."""
    hits = np.asarray(hits)
    image, group = np.nonzero(hits)
    ids = tuple(f"{i:04d}" for i in range(len(hits)))
    runs = np.zeros(len(image))
    made = BoxEvidence(
        images=len(hits),
        image=image.astype(np.int32),
        group=group.astype(np.int32),
        above=runs - 1,
        up_to=runs,
        groups=3,
        joint=False,
        axis=np.zeros(1),
    )
    return ids, made

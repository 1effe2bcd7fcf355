"""How wrong pseudo masks are: 1 - AUC and IoU against the true ones, as 004 Table S6 has the error.

Paper: Murtaza et al., A Realistic Protocol for Evaluation of Weakly Supervised Object Localization,
    supplement F
"""

from pathlib import Path

import numpy as np

from sightline import provenance, rows
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import GroundTruth, read_truth
from sightline.protocol.noise_masks import confusion, mask_error
from sightline.types import ResultRow

ROW = f"pseudo-masks{rows.SUFFIX}"


def compared(truth: GroundTruth, folder: Path, *, force: bool = False) -> ResultRow:
    """Compare a folder of pseudo masks with the true ones, as a study, and keep the row beside it.

    Error and IoU count the pixels of all images; an image without a pseudo mask counts as one in
    which nothing was found.
    """
    pseudo, ledger = read_truth(folder, split=truth.split.name), Ledger()
    true = truth.masks("study", ledger, force=force)
    made = pseudo.masks("study", Ledger())
    places = {name: place for place, name in enumerate(pseudo.split.ids)}
    counts = np.zeros(4, np.int64)
    for item, name in enumerate(truth.split.ids):
        codes = read_mask(true, item, None)
        size = (codes.shape[1], codes.shape[0])
        place = places.get(name)
        found = np.zeros_like(codes) if place is None else read_mask(made, place, size)
        counts += confusion(found, codes)
    tp, fp, _, fn = counts.tolist()
    result = {
        "kind": "pseudo-masks",
        "truth": {
            "dataset": truth.split.dataset,
            "split": truth.split.name,
            "fingerprint": truth.fingerprint,
        },
        "pseudo": pseudo.fingerprint,
        "images": len(truth.split.ids),
        "masks": len(places),
        "error": 100 * mask_error(counts),
        "iou": 100 * tp / max(1, tp + fp + fn),
    }
    row = ResultRow(result, provenance.now(), tuple(ledger.entries))
    rows.save(row, folder / ROW)
    return row

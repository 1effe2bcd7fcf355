"""How good predicted boxes are, pseudo boxes for instance: their overlap with the true ones.

Boxes are compared in the image's own pixels, each predicted box with the best true one, under the
released evaluator's reading of a side (one more than the difference). There is no threshold.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import provenance
from sightline.data import openings
from sightline.data.ledger import Ledger
from sightline.data.predicted import Box, read_predicted
from sightline.data.truth import read_truth
from sightline.errors import DataError, Problem
from sightline.evaluation.request import Request
from sightline.metrics.geometry import iou
from sightline.types import Boxes, ResultRow, Split

PREFIX = "boxes:"
DELTAS = (30, 50, 70)


def evaluate_boxes(folder: str, truth: str, request: Request) -> ResultRow:
    """Compare the boxes of a `localization.txt` with a ground truth."""
    started = time.perf_counter()
    skip = request.on_error == "skip"
    known = read_truth(truth, split=request.split, skip_problems=skip)
    predicted, problems = read_predicted(Path(folder), known.split)
    if problems and not skip:
        raise DataError(problems)
    ledger = Ledger()
    true = known.boxes(request.purpose, ledger, force=request.force)
    best = best_overlaps(predicted, true, known.split)
    if not len(best):
        raise DataError(problems or [Problem("no predicted box", folder)])
    result = summary(best, request) | {
        "maps": f"{PREFIX}{Path(folder).name}",
        "truth": {
            "dataset": known.split.dataset,
            "split": known.split.name,
            "fingerprint": known.fingerprint,
        },
        "skipped": len({problem.subject for problem in [*known.problems, *problems]}),
        "warnings": {
            **known.warnings,
            "empty_boxes": int(sum(not any(box) for box in predicted.values())),
            "predicted_at_or_past_edge": _at_edge(predicted, known.split),
        },
    }
    left_out = [str(problem) for problem in [*known.problems, *problems]]
    seconds = time.perf_counter() - started
    about = {**provenance.now(), "seconds": seconds, "left_out": left_out}
    about["images_per_second"] = len(best) / seconds
    row = ResultRow(result, about, tuple(ledger.entries))
    openings.record(known.split, known.fingerprint, row)
    return row


def _at_edge(predicted: dict[str, Box], split: Split) -> int:
    """Count boxes that end at or past the far edge, where the reference format has last pixels."""
    sizes = dict(zip(split.ids, split.sizes.tolist(), strict=True))
    return sum(
        0 < sizes[name][0] <= box[2] or 0 < sizes[name][1] <= box[3]
        for name, box in predicted.items()
    )


def best_overlaps(predicted: dict[str, Box], true: Boxes, split: Split) -> NDArray[np.float64]:
    """Give the IoU of each item's predicted box with the best true box."""
    best = []
    for i, name in enumerate(split.ids):
        if name in predicted:
            wanted = true.corners[true.offsets[i] : true.offsets[i + 1]]
            best.append(iou(np.array([predicted[name]]), wanted, "reference").max())
    return np.array(best)


def summary(best: NDArray[np.float64], request: Request) -> dict[str, Any]:
    """Give the mean and the accuracies, with the mean's bootstrap interval."""
    rng = np.random.default_rng(request.seed)
    n = len(best)
    means = [best[rng.integers(n, size=n)].mean() for _ in range(request.resamples)]
    low, high = np.quantile(means, [0.025, 0.975])
    return {
        "protocol": {
            "name": "predicted-boxes",
            "frame": "original pixels",
            "box_ends": "reference",
            "truth_boxes": "best",
        },
        "metric": "mean box IoU",
        "images": n,
        "value": 100 * float(best.mean()),
        "per_delta": {str(delta): 100 * float((best >= delta / 100).mean()) for delta in DELTAS},
        "threshold_from": "no threshold",
        "interval": [100 * float(low), 100 * float(high)],
        "interval_method": {"level": 0.95, "resamples": request.resamples, "seed": request.seed},
    }

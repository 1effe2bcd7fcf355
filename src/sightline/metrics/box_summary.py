"""The numbers of a box result: the score, its thresholds, and the readings beside it."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.metrics.protocol import Protocol, threshold_grid

if TYPE_CHECKING:
    from sightline.metrics.box_accumulator import BoxAccumulator, BoxEvidence

Floats = NDArray[np.float64]


def summary(accumulator: "BoxAccumulator") -> dict[str, Any]:
    """Give the score and what goes with it, percentages from 0 to 100."""
    protocol, records = accumulator.protocol, accumulator.records
    if not len(records):
        raise ValueError("no image was scored")
    evidence = accumulator.evidence()
    overlap = accumulator.mean_overlap()
    result = {
        "metric": protocol.metric,
        "images": len(records),
        **best_accuracy(evidence, protocol),
        "mean_iou": 100 * float(overlap.max()),
        "mean_iou_threshold": _mean_iou_threshold(overlap, protocol),
        "oracle": _oracle(records.column("oracle"), protocol),
        "pointing": 100 * float(records.column("pointing").mean()),
        "energy": 100 * math.fsum(records.column("energy")) / len(records),
    }
    return result | _with_classes(accumulator, evidence)


def best_accuracy(evidence: "BoxEvidence", protocol: Protocol) -> dict[str, Any]:
    """Give the accuracy at each IoU threshold, their mean, and the score thresholds chosen."""
    accuracy = 100 * evidence.hits() / max(1, evidence.images)
    chosen = evidence.best_positions()
    best = accuracy[np.arange(len(accuracy)), chosen]
    named = [str(delta) for delta in protocol.iou_thresholds]
    values = _threshold_values(evidence, chosen, protocol)
    return {
        "value": float(best.mean()),
        "per_delta": dict(zip(named, best.tolist(), strict=True)),
        "threshold": dict(zip(named, values, strict=True)),
    }


def _threshold_values(
    evidence: "BoxEvidence", chosen: NDArray[np.int64], protocol: Protocol
) -> list[float | None]:
    if protocol.threshold_choice == "per-image-oracle":
        return [None] * len(chosen)
    if protocol.thresholds:
        given = protocol.thresholds
        return [given[i if len(given) > 1 else 0] for i in range(len(chosen))]
    if protocol.levels == "exact":
        candidates = evidence.candidates()
        return [float(candidates[i]) if len(candidates) else None for i in chosen]
    return [float(threshold_grid()[i]) for i in chosen]


def _mean_iou_threshold(overlap: Floats, protocol: Protocol) -> float:
    thresholds = protocol.thresholds or tuple(threshold_grid())
    return float(thresholds[int(overlap.argmax())])


def _oracle(best: Floats, protocol: Protocol) -> dict[str, Any]:
    """Tell what a threshold of each image's own would reach; never to be compared with others."""
    return {
        "mean_iou": 100 * math.fsum(best) / len(best),
        "per_delta": {
            str(delta): 100 * float((best >= delta / 100).mean())
            for delta in protocol.iou_thresholds
        },
        "note": "threshold chosen for each image with its own ground truth",
    }


def _with_classes(accumulator: "BoxAccumulator", evidence: "BoxEvidence") -> dict[str, Any]:
    """Add top-1 and top-5 localization: a hit counts where the class is found as well."""
    result: dict[str, Any] = {}
    for name in ("top1", "top5"):
        found = accumulator.records.column(f"in_{name}")
        if np.isnan(found).any():
            continue
        located = best_accuracy(evidence.only(found > 0), accumulator.protocol)
        result[f"{name}_localization"] = located
        result[f"{name}_classification"] = 100 * float(found.mean())
    return result

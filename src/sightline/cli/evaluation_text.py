"""How an evaluation is shown: as the flat JSON object of the interface, and as lines."""

from dataclasses import asdict
from typing import Any

from sightline.data import openings
from sightline.data.ledger import as_text as ledger_lines
from sightline.types import ResultRow

SHOWN_PROBLEMS = 5


def as_json(row: ResultRow) -> dict[str, Any]:
    """Give result, ledger and speed as one flat object."""
    return {
        **row.result,
        "ledger": {
            "entries": [asdict(entry) for entry in row.ledger],
            "labels": sum(entry.labels for entry in row.ledger),
            "results_on_this_truth": openings.count(row.result["truth"]["fingerprint"]),
        },
        "left_out": row.provenance.get("left_out", []),
        "seconds": row.provenance["seconds"],
        "images_per_second": row.provenance["images_per_second"],
    }


def as_text(row: ResultRow, kept: str = "") -> str:
    """Say the score first, then how it was obtained."""
    result = row.result
    method = result["interval_method"]
    low, high = result["interval"]
    lines = [
        f"{result['metric']} {result['value']:.2f}, {100 * method['level']:.0f} % interval"
        f" {low:.2f} to {high:.2f} (images resampled {method['resamples']} times,"
        f" seed {method['seed']})",
        *_parts(result),
        *_beside(result),
        f"  protocol   {result['protocol']['name']}; threshold: {result['threshold_from']}",
        *(f"  labels     {line}" for line in ledger_lines(row.ledger)),
        *_opened(result["truth"]),
        f"  images     {result['images']} scored, {result['skipped']} skipped, in"
        f" {row.provenance['seconds']:.1f} s",
    ]
    left_out = row.provenance.get("left_out", [])
    lines += [f"  left out   {text}" for text in left_out[:SHOWN_PROBLEMS]]
    if len(left_out) > SHOWN_PROBLEMS:
        lines.append(f"  left out   and {len(left_out) - SHOWN_PROBLEMS} more (--json lists all)")
    lines += [
        f"  warning    {name.replace('_', ' ')}: {n}" for name, n in result["warnings"].items() if n
    ]
    lines += [f"  row        {kept}"] if kept else []
    return "\n".join(lines + _test(result))


def _parts(result: Any) -> list[str]:
    lines = []
    thresholds = result.get("threshold", {})
    for delta, value in result.get("per_delta", {}).items():
        at = thresholds.get(delta)
        where = f" at threshold {at:.3f}" if at is not None else ""
        lines.append(f"    IoU {delta:<4} {value:.2f}{where}")
    return lines + [
        f"  {name}       localization {result[f'{name}_localization']['value']:.2f},"
        f" classification {result[f'{name}_classification']:.2f}"
        for name in ("top1", "top5")
        if f"{name}_localization" in result
    ]


def _beside(result: Any) -> list[str]:
    lines = []
    if "mean_iou_threshold" in result:
        lines.append(
            f"  mean IoU   {result['mean_iou']:.2f} at threshold {result['mean_iou_threshold']:.3f}"
        )
        oracle = result["oracle"]["mean_iou"]
        lines.append(f"  oracle     {oracle:.2f} mean IoU with a threshold for each image")
    if "at_mean_iou_threshold" in result:
        at = result["at_mean_iou_threshold"]
        lines.append(
            f"  mean IoU   {result['mean_iou']:.2f} at threshold"
            f" {result['threshold']['mean_iou']:.3f} (PxPrec {at['PxPrec']:.2f}, PxRec"
            f" {at['PxRec']:.2f}, PxAcc {at['PxAcc']:.2f})"
        )
    for threshold, at in result.get("at_threshold", {}).items():
        numbers = ", ".join(f"{name} {value:.2f}" for name, value in at.items() if value)
        lines.append(f"  at {threshold:<7} {numbers}")
    if "pointing" in result:
        tolerance = result["protocol"]["pointing_tolerance"]
        lines.append(
            f"  pointing   {result['pointing']:.2f} (tolerance {tolerance} px),"
            f" energy inside {result['energy']:.2f}"
        )
    return lines


def _opened(truth: Any) -> list[str]:
    count = openings.count(truth["fingerprint"])
    if not count:
        return []
    times = "once" if count == 1 else f"for {count} distinct results"
    return [f"  opened     this ground truth ({truth['split']} split) was opened {times} here"]


def _test(result: Any) -> list[str]:
    if "against" not in result:
        return []
    test = result["against"]
    return [
        f"  against    {test['maps']}: {test['value']:.2f}; difference {test['difference']:+.2f},"
        f" interval {test['low']:+.2f} to {test['high']:+.2f}, p = {test['p_value']:.3f}"
        f" (maps exchanged within {test['images']} images {test['resamples']} times,"
        f" seed {test['seed']})",
    ]

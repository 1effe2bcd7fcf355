"""Layouts of what was measured: methods against CAM, transfer, explainers, printed scores."""

from collections.abc import Mapping
from typing import Any

from sightline.protocol import audit
from sightline.protocol.cells import (
    BLIND,
    FEW_SHOT,
    MEAN,
    WSOL,
    Comparison,
    Entry,
    best_wsol,
)
from sightline.protocol.comparison import compare
from sightline.protocol.material import Made, Material, column_of, need, text_of
from sightline.protocol.results import Result

MARKS = {"noise": " ~", "not tested": " ?", "better": "", "worse": "", "": ""}
LEGEND = "~ a difference that noise explains (Holm-adjusted p > .05); ? not tested"


def comparison(material: Material) -> Made:
    """Set methods beside CAM: 000 Table 6, 001 Tables 2 and 8."""
    need(material.methods, "measured results of methods ('sightline train --final')")
    found = compare(material.methods, reference=material.against, seed=material.seed)
    lines = [_method_line(found, name) for name in [found.reference, *_others(found, WSOL)]]
    best = {(b["dataset"], b["backbone"]): b for b in best_wsol(found)}
    shown = {column_of(*key): f"{b['value']:.1f}" for key, b in best.items()}
    lines.append({"method": "best WSOL", **shown})
    lines += [_method_line(found, m) for kind in (FEW_SHOT, BLIND) for m in found.methods(kind)]
    notes = [LEGEND, *found.notes, *_best_notes(best), *audit.notes(found.results)]
    numbers = [_number(found, entry) for entry in found.entries]
    numbers += [
        {"method": "best-wsol", "kind": "absolute", **{k: v for k, v in b.items() if k != "is"}}
        for b in best.values()
    ]
    return Made(
        "comparison", f"Methods against {found.reference}, {found.metric}", lines, numbers, notes
    )


def _others(found: Comparison, kind: str) -> list[str]:
    return [name for name in found.methods(kind) if name != found.reference]


def _method_line(found: Comparison, method: str) -> dict[str, str]:
    line = {"method": method}
    for dataset, backbone in found.columns:
        entry = found.entry(method, dataset, backbone)
        line[column_of(dataset, backbone)] = _cell(entry) if entry else "-"
    return line


def _cell(entry: Entry) -> str:
    """Print a WSOL method relative to CAM, everything else as it is."""
    if entry.difference is None:
        return f"{entry.value:.1f}"
    between = "" if entry.low is None else f" [{entry.low:+.1f}, {entry.high:+.1f}]"
    if entry.kind != WSOL:
        return f"{entry.value:.1f} ({entry.difference:+.1f}{between}{MARKS[entry.verdict]})"
    return f"{entry.difference:+.1f}{between}{MARKS[entry.verdict]}"


def _best_notes(best: Mapping[Any, Mapping[str, Any]]) -> list[str]:
    return [
        f"best WSOL, {column_of(dataset, backbone)}: {b['value']:.1f} is the best of the mean"
        f" column, as printed; the mean of the best of each column is {b['mean_of_best']:.1f}"
        for (dataset, backbone), b in best.items()
        if backbone == MEAN
    ]


def _number(found: Comparison, entry: Entry) -> dict[str, Any]:
    kind = "difference" if entry.kind == WSOL and entry.difference is not None else "absolute"
    shown = entry.difference if kind == "difference" else entry.value
    return {
        "method": entry.method,
        "dataset": entry.dataset,
        "backbone": entry.backbone,
        "kind": kind,
        "value": shown,
        "score": entry.value,
        "difference": entry.difference,
        "low": entry.low,
        "high": entry.high,
        "p": entry.p_value,
        "holm": entry.adjusted,
        "verdict": entry.verdict,
    }


def classification(material: Material) -> Made:
    """Set class accuracies of the same models beside each other: 000 Table 7, 001 Table 6."""
    usable = [one for one in material.methods if not one.needs_no_image]
    need(usable, "measured results of methods ('sightline train --final')")
    found = compare(usable, metric="classification", reference=material.against, seed=material.seed)
    lines = []
    for method in dict.fromkeys(entry.method for entry in found.entries):
        line = {"method": method}
        for dataset, backbone in found.columns:
            entry = found.entry(method, dataset, backbone)
            text = "-" if entry is None else f"{entry.value:.1f}{MARKS[entry.verdict]}"
            line[column_of(dataset, backbone)] = text
        lines.append(line)
    numbers = [{**_number(found, e), "kind": "absolute", "value": e.value} for e in found.entries]
    notes = [
        f"{LEGEND}, against {found.reference}",
        "models were chosen for localization and may be poor at classes",
        *found.notes,
        *audit.notes(found.results),
    ]
    return Made("classification", "Top-1 classification of the same models", lines, numbers, notes)


def reported(material: Material) -> Made:
    """Set printed numbers beside ours: 000 Table 5 and Figure 1, 001 Table 7."""
    from sightline import published

    need(material.methods, "measured results of methods")
    printed = published.table("000-T5").set_index(["method", "metric", "dataset", "backbone"])[
        "value"
    ]
    lines = []
    for one in material.methods:
        if one.needs_no_image:
            continue
        for metric, value in _old_metrics(one).items():
            key = (one.method, metric, one.dataset, one.backbone)
            lines.append(
                dict(zip(("method", "metric", "dataset", "backbone"), key, strict=True))
                | {"reported": printed.get(key), "value": value}
            )
    need(lines, "results with boxes at IoU .5")
    shown = [{name: text_of(value) for name, value in line.items()} for line in lines]
    notes = ["at the best threshold of the split; reported ones used thresholds of their own"]
    return Made(
        "reported",
        "Reported and re-evaluated localization",
        shown,
        lines,
        notes + audit.notes(material.methods),
    )


def _old_metrics(one: Result) -> dict[str, float]:
    found = {}
    top1 = one.row.result.get("top1_localization", {}).get("per_delta", {}).get("50")
    known = one.row.result.get("per_delta", {}).get("50")
    if top1 is not None:
        found["top-1-localization"] = float(top1)
    if known is not None:
        found["gt-known-localization"] = float(known)
    return found

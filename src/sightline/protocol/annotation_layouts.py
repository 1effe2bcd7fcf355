"""Layouts of pseudo annotators: the pointing game, and boxes after each step of their selection.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization,
Tables 1 and 2, and Table S2 of its supplement
"""

from typing import Any

from sightline.data.ledger import as_text
from sightline.protocol import audit, results
from sightline.protocol.material import Made, Material, need, text_of
from sightline.types import ResultRow

PEAK = "peak"  # of the classifier's CAM, which the pointing game asks for
STAGES = (
    "pointing-game",
    "pointing-game-top20",
    "top20-objectness",
    "top20-pointing-game-scoring",
    "upper-bound",
)


def pointing(material: Material) -> Made:
    """Tell how often the peak of a map lies on the object: 003 Table 1."""
    found = results.read(material.places)
    numbers = [
        {"method": o.method, "backbone": o.backbone, "dataset": o.dataset, "split": o.split}
        | {"inside": "masks" if o.metric == "PxAP" else "boxes", "value": o.row.result["pointing"]}
        for o in found
        if o.row.result.get("pointing") is not None
    ]
    peaks = [row for row in material.annotations if row.result["stage"] == PEAK]
    numbers += [
        {"method": "cam of the annotator's classifier", "backbone": "", **_place(row)}
        | {"inside": "boxes", "value": row.result["value"]}
        for row in peaks
    ]
    need(numbers, "measured results")
    lines = [{name: text_of(value) for name, value in line.items()} for line in numbers]
    notes = [*audit.notes(found), *_ledger(peaks)]
    return Made("pointing", "Pointing game", lines, numbers, notes)


def stages(material: Material) -> Made:
    """Tell what pseudo boxes are worth after each step: 003 Table 2, 004 Table S2."""
    chosen = [row for row in material.annotations if row.result["stage"] != PEAK]
    need(chosen, "steps of pseudo boxes ('sightline annotate --stages')")
    numbers: list[dict[str, Any]] = [
        {**_place(row), "annotator": row.result["annotator"], "stage": row.result["stage"]}
        | {"value": row.result["value"], "low": low, "high": high}
        | {"images": row.result["images"], "without_box": row.result["without_box"]}
        for row in sorted(chosen, key=_order)
        for low, high in [row.result["interval"]]
    ]
    lines: dict[str, dict[str, str]] = {}
    for one in numbers:
        text = f"{one['value']:.2f} [{one['low']:.2f}, {one['high']:.2f}]"
        line = lines.setdefault(one["stage"], {"stage": one["stage"]})
        line[f"{one['dataset']} {one['split']}, {one['annotator']}"] = text
    columns = list(dict.fromkeys(name for line in lines.values() for name in line))
    shown = [{name: line.get(name, "-") for name in columns} for line in lines.values()]
    notes = ["mean IoU with the best true box, 95 % interval over images; no box counts as 0"]
    return Made("stages", "Pseudo boxes after each step", shown, numbers, notes + _ledger(chosen))


def _order(row: ResultRow) -> tuple[str, str, int]:
    stage = str(row.result["stage"])
    known = STAGES.index(stage) if stage in STAGES else len(STAGES)
    return str(row.result["truth"]["dataset"]), str(row.result["annotator"]), known


def _place(row: ResultRow) -> dict[str, str]:
    return {name: str(row.result["truth"][name]) for name in ("dataset", "split")}


def _ledger(found: list[ResultRow]) -> list[str]:
    by_annotator: dict[str, list[str]] = {}
    for row in found:
        entries = as_text(row.ledger) or ["no localization label"]
        by_annotator.setdefault(str(row.result["annotator"]), []).extend(entries)
    return [
        f"{name}: {'; '.join(dict.fromkeys(entries))}"
        for name, entries in sorted(by_annotator.items())
    ]

"""Layouts of what selection found: criteria, cells, and labels made worse."""

from collections.abc import Mapping
from typing import Any

from sightline.protocol import noise_panels, selection_tables
from sightline.protocol.criteria import Criterion
from sightline.protocol.material import Made, Material, need, text_of

BESIDE: Mapping[str, str] = {"50": "max-box-acc", "iou": "iou", "pxap": "pxap"}
CELLS = {"BV-TT": "validation", "BT-TT": "test"}  # what chose the configuration


def selection(material: Material) -> Made:
    """Tell what each criterion picks and what it is worth: 003 Table 3."""
    need(material.groups, "records of epochs ('sightline select --record')")
    numbers = [{**g.name, **line} for g in material.groups for line in selection_tables.picks(g)]
    metric = "pxap" if material.groups[0].records[0].by_masks else "v2"
    numbers += [
        {"method": "all", **one} for one in selection_tables.over_all(material.groups, metric)
    ]
    names = list(dict.fromkeys(name for line in numbers for name in line))
    lines = [{name: text_of(line.get(name, "-")) for name in names} for line in numbers]
    notes = ["configuration and epoch by validation; test at the best threshold of the test split"]
    notes += selection_tables.ledger(material.groups)
    return Made("selection", "Selection by each criterion", lines, numbers, notes)


def criteria(material: Material) -> Made:
    """Set box accuracy and raw IoU side by side: 004 Table S3, 003 Table 5.

    A line a method, columns by data set, metric and criterion. Localization chooses at IoU .5. The
    printed numbers of localizing criteria are those of configurations that the test split chose.
    """
    need(material.groups, "records of epochs ('sightline select --record')")
    used = [one.criterion for one in material.groups[0].selected]
    asked = [Criterion(c.source, "50") if c.metric == "v2" else c for c in used]
    records = [record for group in material.groups for record in group.records]
    groups = selection_tables.grouped(records, asked)
    numbers = [line for group in groups for line in _beside(group)]
    need(numbers, "a test split recorded ('sightline select --record --test')")
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for one in numbers:
        place = {name: one[name] for name in ("method", "backbone", "configuration")}
        line = lines.setdefault(tuple(place.values()), place)
        line[f"{one['dataset']} {one['metric']} {one['criterion']}"] = text_of(one["value"])
    columns = dict.fromkeys(name for line in lines.values() for name in line)
    filled = [{name: line.get(name, "-") for name in columns} for line in lines.values()]
    notes = ["configuration: the split that chose it; test at the best threshold of the test split"]
    notes += selection_tables.ledger(groups)
    return Made("criteria", "Box accuracy and raw IoU by criterion", filled, numbers, notes)


def _beside(group: selection_tables.Group) -> list[dict[str, Any]]:
    """Give each criterion's numbers, a line a metric."""
    return [
        {**group.name, "metric": BESIDE[metric], "criterion": one.criterion.name}
        | {"configuration": chosen, "value": one.cells[cell].values[metric]}
        for cell, chosen in CELLS.items()
        for one in group.selected
        if cell in one.cells
        for metric in BESIDE
        if metric in one.cells[cell].values
    ]


def cells(material: Material) -> Made:
    """Give the four cells of each criterion: 004 Tables S4 and S5."""
    need(material.groups, "records of epochs ('sightline select --record')")
    numbers = [line for group in material.groups for line in selection_tables.cells(group)]
    need(numbers, "a test split recorded ('sightline select --record --test')")
    lines = [
        {"method": g.name["method"], "backbone": g.name["backbone"], "dataset": g.name["dataset"]}
        | one
        for g in material.groups
        for one in selection_tables.wide(g)
    ]
    notes = selection_tables.ledger(material.groups)
    return Made(
        "cells", "Configuration and threshold from validation or test", lines, numbers, notes
    )


def erosion(material: Material) -> Made:
    """Tell what labels made worse select, beside their error: 004 Table S6, 003 Figure 4."""
    need(material.groups, "records of epochs against noisy ground truths")
    errors = {
        (str(study["kind"]).removeprefix("noise-"), line["level"]): line
        for study in material.noise
        for line in study["levels"]
    }
    numbers = []
    for group in material.groups:
        masks = group.records[0].by_masks
        for line in noise_panels.panels(group.records, "pxap" if masks else "v2"):
            quality = errors.get(("masks" if masks else "boxes", line["level"]), {})
            numbers.append(
                {**group.name, "erosion" if masks else "level": line["level"]}
                | {k: quality[k] for k in ("error", "mean_iou") if k in quality}
                | {k: line[k] for k in ("configurations", "mean", "std", "min", "max") if k in line}
            )
    need(
        numbers, "records of epochs against noisy ground truths ('sightline noise', then --pseudo)"
    )
    lines = [{name: text_of(value) for name, value in line.items()} for line in numbers]
    notes = ["each configuration's epoch chosen with the noisy labels; test at its best threshold"]
    notes += selection_tables.ledger(material.groups)
    return Made("noise", "Selection with labels made worse", lines, numbers, notes)

"""Layouts of what selection found: criteria, cells, and labels made worse."""

from sightline.protocol import noise_panels, selection_tables
from sightline.protocol.material import Made, Material, need, text_of


def selection(material: Material) -> Made:
    """Tell what each criterion picks and what it is worth: 003 Tables 3 and 5, 004 Table S3."""
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

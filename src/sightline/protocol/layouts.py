"""Every published table's layout, filled from rows and their artifacts alone.

A layout takes what lies in some folders and gives a table, in the published one's columns as far as
our data sets and backbones go; where the very cell was printed, the printed number stands in the
long form beside ours. Names are those of `sightline.published`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.errors import UsageError
from sightline.protocol import audit, epochs, noise_panels, ranking, results, selection_tables
from sightline.protocol.comparison import (
    ALL,
    BLIND,
    FEW_SHOT,
    MEAN,
    WSOL,
    Comparison,
    Entry,
    best_wsol,
    compare,
)
from sightline.protocol.criteria import parse
from sightline.protocol.results import Result

EXPLAINER = "explainer:"
TEST = "test"
MARKS = {"noise": " ~", "not tested": " ?", "better": "", "worse": "", "": ""}
LEGEND = "~ a difference that noise explains (Holm-adjusted p > .05); ? not tested"


@dataclass(frozen=True, slots=True)
class Made:
    """A table's lines as text, in long form, and what must be said with them."""

    name: str
    title: str
    lines: list[dict[str, str]]
    numbers: list[dict[str, Any]]
    notes: list[str]


class Material:
    """All that lies in some places, read when it is asked for."""

    def __init__(self, places: Iterable[Path], *, against: str = "cam", seed: int = 0) -> None:
        self.places, self.against, self.seed = list(places), against, seed

    @cached_property
    def measured(self) -> list[Result]:
        """Give the results on test splits, or on any where no test split was measured."""
        found = results.read(self.places)
        tests = [one for one in found if one.split == TEST]
        return tests or found

    @cached_property
    def methods(self) -> list[Result]:
        """Leave explainers out."""
        maps = ((one, str(one.row.result["maps"])) for one in self.measured)
        return [one for one, name in maps if not name.startswith(EXPLAINER)]

    @cached_property
    def trials(self) -> list[Result]:
        """Give the training runs."""
        return results.trainings(self.places)

    @cached_property
    def groups(self) -> list[selection_tables.Group]:
        """Select by every criterion that was recorded."""
        records = epochs.find(self.places)
        if not records:
            return []
        first = records[0]
        names = ["class-accuracy"] if "val/class-accuracy" in first.series else []
        criteria = [parse(n, masks=first.by_masks) for n in [*names, *first.sources()]]
        return selection_tables.grouped(records, criteria)

    @cached_property
    def noise(self) -> list[Mapping[str, Any]]:
        """Give the rows of noise studies."""
        found = [rows.load(file) for file in rows.find(self.places) if "noise" in file.name]
        return [row.result for row in found if str(row.result.get("kind", "")).startswith("noise-")]


def comparison(material: Material) -> Made:
    """Set methods beside CAM: 000 Table 6, 001 Tables 2 and 8."""
    _need(material.methods, "measured results of methods ('sightline train --final')")
    found = compare(material.methods, reference=material.against, seed=material.seed)
    lines = [_method_line(found, name) for name in [found.reference, *_others(found, WSOL)]]
    best = {(b["dataset"], b["backbone"]): b for b in best_wsol(found)}
    shown = {_column(*column): f"{b['value']:.1f}" for column, b in best.items()}
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
        line[_column(dataset, backbone)] = _cell(entry) if entry else "-"
    return line


def _cell(entry: Entry) -> str:
    """Print a WSOL method relative to CAM, everything else as it is."""
    if entry.difference is None:
        return f"{entry.value:.1f}"
    between = "" if entry.low is None else f" [{entry.low:+.1f}, {entry.high:+.1f}]"
    if entry.kind != WSOL:
        return f"{entry.value:.1f} ({entry.difference:+.1f}{between}{MARKS[entry.verdict]})"
    return f"{entry.difference:+.1f}{between}{MARKS[entry.verdict]}"


def _column(dataset: str, backbone: str) -> str:
    return " ".join(filter(None, (dataset if dataset != ALL else "total", backbone)))


def _best_notes(best: Mapping[Any, Mapping[str, Any]]) -> list[str]:
    return [
        f"best WSOL, {_column(dataset, backbone)}: {b['value']:.1f} is the best of the mean column,"
        f" as printed; the mean of the best of each column is {b['mean_of_best']:.1f}"
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
    _need(usable, "measured results of methods ('sightline train --final')")
    found = compare(usable, metric="classification", reference=material.against, seed=material.seed)
    lines = []
    for method in dict.fromkeys(entry.method for entry in found.entries):
        line = {"method": method}
        for dataset, backbone in found.columns:
            entry = found.entry(method, dataset, backbone)
            text = "-" if entry is None else f"{entry.value:.1f}{MARKS[entry.verdict]}"
            line[_column(dataset, backbone)] = text
        lines.append(line)
    numbers = [{**_number(found, e), "kind": "absolute", "value": e.value} for e in found.entries]
    notes = [
        f"{LEGEND}, against {found.reference}",
        "models were chosen for localization and may be poor at classes",
        *found.notes,
        *audit.notes(found.results),
    ]
    return Made("classification", "Top-1 classification of the same models", lines, numbers, notes)


def transfer(material: Material) -> Made:
    """Give Kendall's tau between validation and test over trials: 000 Table 3, 001 Table 4."""
    _need(material.trials, "training runs")
    found = ranking.between_splits(material.trials, material.methods)
    _need(found, "searches whose trials were all measured on the test split")
    return _transfers("transfer", "Kendall's tau of trials between validation and test", found)


def between(first: Material, second: Material) -> Made:
    """Give Kendall's tau between two sets of trials, such as proxy and full: 000 Figure 6."""
    found = ranking.between_sets(first.trials, second.trials)
    return _transfers("proxy", "Kendall's tau of configurations between two sets of trials", found)


def _transfers(
    name: str, title: str, found: Mapping[tuple[str, str, str], ranking.Transfer]
) -> Made:
    lines: dict[str, dict[str, str]] = {}
    numbers = []
    for (method, dataset, backbone), one in found.items():
        text = f"{one.tau:.3f} [{one.low:.3f}, {one.high:.3f}]"
        lines.setdefault(method, {"method": method})[_column(dataset, backbone)] = text
        numbers.append(
            {"method": method, "dataset": dataset, "backbone": backbone, "value": one.tau}
            | {"low": one.low, "high": one.high, "trials": one.trials, "left_out": one.left_out}
        )
    count = sum(one.left_out for one in found.values())
    notes = [
        "tau-b over trials that converged on both sides, with the 95 % interval over trials;"
        f" {count} trials left out"
    ]
    return Made(name, title, list(lines.values()), numbers, notes)


def spreads(material: Material) -> Made:
    """Tell how trials with random hyperparameters spread: 000 Figure 13, 001 section 5.4."""
    _need(len(material.trials) > 1, "several training runs of a method")
    centers = {
        (one.dataset, one.metric): one.value
        for one in results.read(material.places)
        if one.needs_no_image and one.split != TEST
    }
    metric = material.trials[0].metric
    found = ranking.spread(material.trials, center=lambda dataset: centers.get((dataset, metric)))
    names = [n for line in found for n in line]
    lines = [{n: _text(line.get(n, "-")) for n in dict.fromkeys(names)} for line in found]
    notes = [f"{metric} on validation, over converged trials"]
    if not centers:
        notes.append("no center baseline of the validation split among the rows: no share below it")
    return Made(
        "spread",
        "Trials of random hyperparameters",
        lines,
        found,
        notes + audit.notes(material.trials),
    )


def reported(material: Material) -> Made:
    """Set printed numbers beside ours: 000 Table 5 and Figure 1, 001 Table 7."""
    from sightline import published

    _need(material.methods, "measured results of methods")
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
    _need(lines, "results with boxes at IoU .5")
    shown = [{name: _text(value) for name, value in line.items()} for line in lines]
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


def explainers(material: Material) -> Made:
    """Set explainers of the same networks beside CAM: 000 Table 8."""
    chosen = [o for o in material.measured if str(o.row.result["maps"]).startswith(EXPLAINER)]
    _need(chosen, "rows of explainers ('sightline explain')")
    lines: dict[str, dict[str, str]] = {}
    numbers = []
    for one in chosen:
        origin = one.row.result.get("explained", {})
        name = str(one.row.result["maps"]).removeprefix(EXPLAINER)
        backbone = str(origin.get("backbone", ""))
        lines.setdefault(name, {"method": name})[_column(one.dataset, backbone)] = (
            f"{one.value:.1f}"
        )
        numbers.append(
            {"method": name, "dataset": one.dataset, "backbone": backbone, "value": one.value}
        )
    return Made(
        "explainers",
        "Explainers of the same networks",
        list(lines.values()),
        numbers,
        audit.notes(chosen),
    )


def pointing(material: Material) -> Made:
    """Tell how often the peak of a map lies on the object: 003 Table 1."""
    found = results.read(material.places)
    numbers = [
        {"method": o.method, "backbone": o.backbone, "dataset": o.dataset, "split": o.split}
        | {"value": o.row.result["pointing"]}
        for o in found
        if o.row.result.get("pointing") is not None
    ]
    _need(numbers, "measured results")
    lines = [{name: _text(value) for name, value in line.items()} for line in numbers]
    return Made("pointing", "Pointing game", lines, numbers, audit.notes(found))


def selection(material: Material) -> Made:
    """Tell what each criterion picks and what it is worth: 003 Tables 3 and 5, 004 Table S3."""
    _need(material.groups, "records of epochs ('sightline select --record')")
    numbers = [{**g.name, **line} for g in material.groups for line in selection_tables.picks(g)]
    lines = [{name: _text(value) for name, value in line.items()} for line in numbers]
    notes = ["configuration and epoch by validation; test at the best threshold of the test split"]
    notes += selection_tables.ledger(material.groups)
    return Made("selection", "Selection by each criterion", lines, numbers, notes)


def cells(material: Material) -> Made:
    """Give the four cells of each criterion: 004 Tables S4 and S5."""
    _need(material.groups, "records of epochs ('sightline select --record')")
    numbers = [line for group in material.groups for line in selection_tables.cells(group)]
    _need(numbers, "a test split recorded ('sightline select --record --test')")
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
    _need(material.groups, "records of epochs against noisy ground truths")
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
    _need(
        numbers, "records of epochs against noisy ground truths ('sightline noise', then --pseudo)"
    )
    lines = [{name: _text(value) for name, value in line.items()} for line in numbers]
    notes = ["each configuration's epoch chosen with the noisy labels; test at its best threshold"]
    notes += selection_tables.ledger(material.groups)
    return Made("noise", "Selection with labels made worse", lines, numbers, notes)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _need(there: Any, what: str) -> None:
    if not there:
        raise UsageError(f"the rows hold no {what}")


Layout = Callable[[Material], Made]
LAYOUTS: Mapping[str, Layout] = {
    "comparison": comparison,
    "classification": classification,
    "transfer": transfer,
    "spread": spreads,
    "reported": reported,
    "explainers": explainers,
    "pointing": pointing,
    "selection": selection,
    "cells": cells,
    "noise": erosion,
}
PUBLISHED: Mapping[str, str] = {  # a published table's layout
    "000-T3": "transfer",
    "000-T5": "reported",
    "000-T6": "comparison",
    "000-T7": "classification",
    "000-T8": "explainers",
    "001-T2": "comparison",
    "001-T4": "transfer",
    "001-T6": "classification",
    "001-T7": "reported",
    "001-T8": "comparison",
    "003-T1": "pointing",
    "003-T3": "selection",
    "003-T5": "selection",
    "004-S3": "selection",
    "004-S4": "cells",
    "004-S5": "cells",
    "004-S6": "noise",
}


def make(names: Sequence[str], material: Material) -> tuple[list[Made], list[str]]:
    """Make the tables asked for; without names all that the rows hold, and why not the others."""
    made, lacking = [], []
    for name in names or LAYOUTS:
        layout = PUBLISHED.get(name, name)
        if layout not in LAYOUTS:
            known = ", ".join([*LAYOUTS, *PUBLISHED])
            raise UsageError(f"there is no table '{name}'; there are {known}")
        try:
            found = LAYOUTS[layout](material)
        except UsageError as error:
            if names:
                raise
            lacking.append(f"{name}: {error}")
            continue
        made.append(_beside_print(found, name) if name in PUBLISHED else found)
    if not made:
        raise UsageError(f"no table can be made of these rows; {lacking[0]}")
    return made, lacking


def _beside_print(made: Made, name: str) -> Made:
    """Put the printed number beside each cell that was printed."""
    from sightline import published

    table = published.table(name)
    keys = [c for c in table.columns if c not in ("value", "printed", "reading")]
    known = [key for key in keys if made.numbers and key in made.numbers[0]]
    printed = {
        tuple(line[key] for key in known): line["printed"] for line in table.to_dict("records")
    }
    numbers = [
        line | {"printed": printed.get(tuple(str(line.get(key, "")) for key in known), "")}
        for line in made.numbers
    ]
    title = str(published.tables().set_index("name").loc[name, "title"])
    return Made(name, f"{name}: {title}", made.lines, numbers, made.notes)

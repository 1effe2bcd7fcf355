"""Selection as tables: what each criterion picks and costs, the four cells, the labels behind.

The long form has the key columns of the published Tables S4 and S5 (004-S4, 004-S5).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sightline.data import openings
from sightline.data.ledger import as_text
from sightline.protocol.criteria import (
    LABEL_FREE,
    METRICS,
    WINDOW,
    Criterion,
)
from sightline.protocol.epochs import TEST, TRUTH, EpochRecord
from sightline.protocol.selection import (
    Cost,
    Selected,
    ceiling,
    check,
    cost,
    on_test,
    pooled,
    select,
)

METHOD = ("method", "backbone", "dataset")
PRINTED = {"30": "0.3", "50": "0.5", "70": "0.7", "v2": "mean", "iou": "iou", "pxap": "pxap"}
DASH = "-"


@dataclass(frozen=True, slots=True)
class Group:
    """One method on one backbone and data set: its configurations, and what was selected."""

    name: Mapping[str, str]
    records: tuple[EpochRecord, ...]
    selected: tuple[Selected, ...]
    window: int = WINDOW

    @property
    def title(self) -> str:
        """Name it in a line."""
        return ", ".join(self.name.values())


def grouped(
    records: Iterable[EpochRecord], criteria: Sequence[Criterion], *, window: int = WINDOW
) -> list[Group]:
    """Select for each method, backbone and data set on its own."""
    found: dict[tuple[str, ...], list[EpochRecord]] = {}
    for record in records:
        found.setdefault(tuple(str(record.facts.get(k, "")) for k in METHOD), []).append(record)
    groups = []
    for key, members in sorted(found.items()):
        check(members)
        chosen = tuple(select(members, criterion, window=window) for criterion in criteria)
        groups.append(Group(dict(zip(METHOD, key, strict=True)), tuple(members), chosen, window))
    return groups


def picks(group: Group, *, metric: str = "") -> list[dict[str, Any]]:
    """Say what each criterion picks on validation, and what it costs on the test split."""
    metric = metric or ("pxap" if group.records[0].by_masks else "v2")
    reference = next((s for s in group.selected if s.criterion.source == TRUTH), None)
    lines = []
    for one in group.selected:
        line: dict[str, Any] = {
            "criterion": one.criterion.name,
            "configuration": _configuration(group.records[one.validation.record]),
            "epoch": one.validation.epoch,
            "validation": one.validation.criterion_value,
        }
        if "BV-TT" in one.cells:
            value = one.cells["BV-TT"].values[metric]
            line |= {"test": value, "below_best": value - ceiling(group.records, metric)}
            if reference and len(group.records) > 1:
                spent = _cost(group, one, reference, metric)
                line |= {
                    "against_ground_truth": spent.difference,
                    "low": spent.low,
                    "high": spent.high,
                }
        lines.append(line)
    return lines


def _cost(group: Group, one: Selected, other: Selected, metric: str) -> Cost:
    return cost(*(_worths(group, selected, metric) for selected in (one, other)))


def over_all(groups: Sequence[Group], metric: str) -> list[dict[str, Any]]:
    """Average over groups what each criterion's picks lose against those of the ground truth."""
    lines = []
    names = dict.fromkeys(s.criterion.name for group in groups for s in group.selected)
    for name in names if len(groups) > 1 else ():
        pairs = []
        for group in groups:
            known = {s.criterion.name: s for s in group.selected}
            truth = next((s for s in group.selected if s.criterion.source == TRUTH), None)
            if name in known and truth and "BV-TT" in known[name].cells:
                pairs.append(tuple(_worths(group, one, metric) for one in (known[name], truth)))
        if len(pairs) == len(groups):
            spent = pooled(pairs)  # type: ignore[arg-type]
            lines.append(
                {"criterion": name, "against_ground_truth": spent.difference}
                | {"low": spent.low, "high": spent.high}
            )
    return lines


def _worths(group: Group, one: Selected, metric: str) -> tuple[Any, Any]:
    """Give each configuration's value by a criterion, and its test value at the epoch chosen."""
    tests = [
        on_test(group.records[p.record], p.position, one.criterion, "TT")[metric]
        for p in one.epochs
    ]
    return np.array([p.criterion_value for p in one.epochs]), np.array(tests)


def _configuration(record: EpochRecord) -> str:
    return str(record.facts.get("configuration") or record.place)


def cells(group: Group) -> list[dict[str, Any]]:
    """Give the four cells in long form, a line a number, with what test labels decided in it."""
    lines = []
    for one in group.selected:
        for cell, found in one.cells.items():
            configuration, threshold = (_split(part) for part in cell.split("-"))
            for metric, value in found.values.items():
                lines.append(
                    {
                        **group.name,
                        "configuration": configuration,
                        "threshold": DASH if metric == "pxap" else threshold,
                        "criterion": one.criterion.name,
                        "iou": PRINTED[metric],
                        "value": value,
                        "picked": _configuration(group.records[found.pick.record]),
                        "epoch": found.pick.epoch,
                        "test_labels": decided_by_test(cell, masks=metric == "pxap"),
                    }
                )
    return lines


def _split(part: str) -> str:
    return "test" if part in ("BT", "TT") else "validation"


def decided_by_test(cell: str, *, masks: bool = False) -> str:
    """Say what the test labels decided in a cell, beside measuring it."""
    configuration, threshold = cell.split("-")
    decided = ["configuration"] if configuration == "BT" else []
    decided += ["threshold"] if threshold == "TT" and not masks else []
    return " and ".join(decided) or "nothing"


def long(group: Group) -> list[dict[str, str]]:
    """Set the cells out for a terminal: a line for each of them, columns by IoU."""
    metrics = _metrics(group)
    return [
        {
            "criterion": one.criterion.name,
            "select": cell,
            **{metric: f"{found.values[metric]:.2f}" for metric in metrics},
            "test labels chose": decided_by_test(cell, masks=metrics == ["pxap"]),
        }
        for one in group.selected
        for cell, found in one.cells.items()
    ]


def wide(group: Group) -> list[dict[str, str]]:
    """Set the cells out as in print: a line for each of the four, columns by criterion and IoU."""
    metrics = _metrics(group)
    lines = []
    for cell in ("BT-TT", "BT-VT", "BV-TT", "BV-VT"):
        line = {"select": cell}
        for one in group.selected:
            for metric in metrics:
                found = one.cells.get(cell)
                text = f"{found.values[metric]:.2f}" if found else DASH
                line[f"{one.criterion.name} {metric}"] = text
        line["test labels chose"] = decided_by_test(cell, masks=metrics == ["pxap"])
        lines.append(line)
    return [line for line in lines if any(_is_number(text) for text in line.values())]


def _metrics(group: Group) -> list[str]:
    found = {m for one in group.selected for cell in one.cells.values() for m in cell.values}
    return [metric for metric in METRICS if metric in found]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit()


def ledger(groups: Sequence[Group]) -> list[str]:
    """Say which labels each criterion rests on, so that no budgets are mixed unremarked."""
    lines = [
        f"{criterion.name}: {_rests_on(criterion, groups)}"
        for criterion in dict.fromkeys(s.criterion for group in groups for s in group.selected)
    ]
    entries = list(dict.fromkeys(e for g in groups for r in g.records for e in r.ledger))
    lines += [f"recorded with {line}" for line in as_text(entries)]
    for dataset, fingerprint in sorted(
        {(g.name["dataset"], r.test) for g in groups for r in g.records}
    ):
        if fingerprint:
            times = openings.count(fingerprint)
            lines.append(f"test labels of {dataset} were opened for {times} distinct results here")
    if any(entry.split == TEST for entry in entries):
        lines.append(
            "columns rest on different labels; only BV-VT could be had without test labels"
        )
    return lines


def _rests_on(criterion: Criterion, groups: Sequence[Group]) -> str:
    if criterion.source in LABEL_FREE:
        return "no localization labels"
    if criterion.source == TRUTH:
        return "manual localization labels of the validation split"
    marks = {
        str(r.facts.get("pseudo", {}).get(criterion.source, "")) for g in groups for r in g.records
    }
    said = ", ".join(sorted(filter(None, marks)))
    return f"pseudo ground truth of the validation split{f' ({said})' if said else ''}"


def versions(groups: Sequence[Group]) -> str:
    """Report records of several code versions, which may not compare."""
    found = sorted({r.version for g in groups for r in g.records if r.version})
    if len(found) < 2:
        return ""
    return f"recorded by several code versions ({', '.join(found)}): record again to compare"

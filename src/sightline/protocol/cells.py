"""Cells of a comparison, and the best of its columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sightline.protocol.results import Result

LEVEL = 0.05
MEAN, ALL = "mean", "all"  # the names of mean columns, as in the published tables
WSOL, FEW_SHOT, BLIND = "wsol", "few-shot", "baseline"
Column = tuple[str, str]  # data set and backbone


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell of a comparison."""

    method: str
    kind: str  # WSOL, FEW_SHOT or BLIND
    dataset: str
    backbone: str
    value: float
    difference: float | None = None  # to the reference
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted: float | None = None  # after Holm; None where nothing was tested

    @property
    def verdict(self) -> str:
        """Say in a word what the difference is worth."""
        if self.difference is None:
            return ""
        if self.adjusted is None:
            return "not tested"
        if self.adjusted > LEVEL:
            return "noise"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cells, and what they came from."""

    metric: str
    reference: str
    entries: tuple[Entry, ...]
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()

    def entry(self, method: str, dataset: str, backbone: str) -> Entry | None:
        """Find a cell."""
        wanted = (method, dataset, backbone)
        found = (e for e in self.entries if (e.method, e.dataset, e.backbone) == wanted)
        return next(found, None)

    @property
    def columns(self) -> list[Column]:
        """List data sets and backbones, the mean columns among them."""
        return list(dict.fromkeys((e.dataset, e.backbone) for e in self.entries))

    def methods(self, kind: str) -> list[str]:
        """List the methods of a kind."""
        return list(dict.fromkeys(e.method for e in self.entries if e.kind == kind))


def best_wsol(comparison: Comparison) -> list[dict[str, Any]]:
    """Give the best WSOL method of each column; of a mean column, both readings of the mean.

    The paper takes the best of the mean column; `mean_of_best` is the mean of the best of each.
    """
    lines = []
    wsol = [e for e in comparison.entries if e.kind == WSOL]
    for dataset, backbone in comparison.columns:
        here = [e for e in wsol if (e.dataset, e.backbone) == (dataset, backbone)]
        if not here:
            continue
        best = max(here, key=lambda e: e.value)
        line = {"dataset": dataset, "backbone": backbone, "value": best.value, "is": best.method}
        if backbone == MEAN:
            line["mean_of_best"] = _mean_of_best(wsol, dataset)
        lines.append(line)
    return lines


def _mean_of_best(entries: list[Entry], dataset: str) -> float:
    best: dict[str, dict[str, float]] = {}
    for e in entries:
        if e.backbone != MEAN and dataset in (ALL, e.dataset):
            column = best.setdefault(e.dataset, {})
            column[e.backbone] = max(column.get(e.backbone, -np.inf), e.value)
    return float(np.mean([np.mean(list(column.values())) for column in best.values()]))

"""Methods against the first of them, CAM: differences, intervals, and what noise explains.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Table 6.

Every difference is between results on the same images. Its interval resamples images and chooses
thresholds anew in each resample; its p-value exchanges the two maps of random images. Differences
to CAM in single columns are one family of tests, mean differences another; each is corrected after
Holm. Resamples are of images: how much another training would give is not in the interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sightline.errors import UsageError
from sightline.metrics.evidence_files import MeanEvidence
from sightline.metrics.statistics import (
    RESAMPLES,
    PairedDraws,
    holm,
    judged,
    mean_of,
    paired_draws,
)
from sightline.protocol.budgets import refuse_unequal
from sightline.protocol.results import ANY, Result, best_of

LEVEL = 0.05
MEAN, ALL = "mean", "all"  # the names of mean columns, as in the published tables
WSOL, FEW_SHOT, BLIND = "wsol", "few-shot", "baseline"
PER_TEST = 100  # resamples for each test of a family, so that the smallest p survives correction
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


def compare(
    results: Sequence[Result],
    *,
    metric: str = "localization",
    reference: str = "cam",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare results of one split each; metric is localization or classification."""
    classes = metric == "classification"
    usable = [one for one in results if not classes or class_accuracy(one) is not None]
    usable = _first_metric(usable) if classes else _by_metric(usable)
    if not usable:
        raise UsageError(f"no result has a {metric} to compare")
    _refuse_mixtures(usable)
    table = _cells(usable, reference)
    value_of: Callable[[Result], float] = class_accuracy_of if classes else _localization
    names = {one.metric for one in usable}
    tests = _Tests(table, reference, classes, seed, resamples)
    entries = tests.entries(value_of)
    return Comparison(
        metric="top-1 accuracy" if classes else " and ".join(sorted(names)),
        reference=reference,
        entries=tuple(entries),
        results=tuple(dict.fromkeys(table.values())),
        notes=tuple(tests.notes),
    )


def _localization(result: Result) -> float:
    return result.value


def class_accuracy(result: Result) -> float | None:
    """Give the top-1 accuracy, where it was measured."""
    found = result.row.result
    value = found.get("top1_classification", found.get("classification", {}).get("top1"))
    return None if value is None else float(value)


def class_accuracy_of(result: Result) -> float:
    """Give the top-1 accuracy of a result that has one."""
    value = class_accuracy(result)
    assert value is not None
    return value


def _by_metric(results: Sequence[Result]) -> list[Result]:
    """Where boxes and masks of one data set were measured, make two data sets of it."""
    metrics: dict[str, set[str]] = {}
    for one in results:
        metrics.setdefault(one.dataset, set()).add(one.metric)
    return [
        replace(one, dataset=f"{one.dataset} {one.metric}")
        if len(metrics[one.dataset]) > 1
        else one
        for one in results
    ]


def _first_metric(results: Sequence[Result]) -> list[Result]:
    """Class accuracy is the same however places are measured; keep one result of each."""
    order = sorted(results, key=lambda one: (one.metric == "PxAP", one.metric))
    first: dict[str, str] = {}
    for one in order:
        first.setdefault(one.dataset, one.metric)
    return [one for one in results if one.metric == first[one.dataset]]


def _refuse_mixtures(results: Sequence[Result]) -> None:
    """Refuse to set beside each other what was measured with different rulers."""
    for dataset in {one.dataset for one in results}:
        here = [one for one in results if one.dataset == dataset]
        refuse_unequal(one.run for one in here)
        for what, values in (
            ("splits", {one.split for one in here}),
            ("metrics", {one.metric for one in here}),
            ("protocols", {str(one.row.result["protocol"]["name"]) for one in here}),
            ("versions of its labels", {one.fingerprint for one in here}),
        ):
            if len(values) > 1:
                hint = "; measure all with the same --masks and --ignore-value" * ("labels" in what)
                raise UsageError(
                    f"{dataset}: results of several {what} ({', '.join(sorted(values))}) make no"
                    f" table; give those of one{hint}"
                )


def _cells(results: Sequence[Result], reference: str) -> dict[tuple[str, str, str], Result]:
    """Choose one result for each method and column; a baseline stands in every column."""
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for one in results:
        groups.setdefault((one.method, one.dataset, one.backbone), []).append(one)
    chosen = {key: best_of(members) for key, members in groups.items()}
    columns = {(d, b) for _, d, b in chosen if b != ANY} or {(d, b) for _, d, b in chosen}
    table = {}
    for (method, dataset, backbone), one in chosen.items():
        for d, b in sorted(columns):
            if d == dataset and backbone in (b, ANY):
                table[method, d, b] = one
    if not any(method == reference for method, _, _ in table):
        have = ", ".join(sorted({method for method, _, _ in table}))
        raise UsageError(f"no result of '{reference}' to compare with; there are {have}")
    return table


class _Tests:
    """All tests of a table, made once and corrected together."""

    def __init__(
        self,
        table: dict[tuple[str, str, str], Result],
        reference: str,
        classes: bool,
        seed: int,
        resamples: int,
    ) -> None:
        self.table, self.reference, self.classes, self.seed = table, reference, classes, seed
        self.methods = sorted({m for m, _, _ in table}, key=lambda m: (m != reference, m))
        self.columns = sorted({(d, b) for _, d, b in table})
        self.datasets = sorted({d for d, _ in self.columns})
        count = (len(self.methods) - 1) * len(self.columns)
        self.resamples = max(resamples, PER_TEST * count)
        self.notes: list[str] = []
        self.draws: dict[tuple[str, str, str], PairedDraws | None] = {}
        self.images: dict[str, int] = {}

    def entries(self, value_of: Callable[[Result], float]) -> list[Entry]:
        """Make all cells and mean cells."""
        for method in self.methods:
            for dataset, backbone in self.columns:
                key = (method, dataset, backbone)
                if method != self.reference and key in self.table:
                    self.draws[key] = self._draw(key)
        cells = [self._cell(key, value_of) for key in self._keys()]
        means = [e for m in self.methods for e in self._means(m, cells)]
        adjusted = _corrected(cells), _corrected(means)
        ordered: list[Entry] = []
        for method in self.methods:
            for dataset in self.datasets:
                for family in adjusted:
                    ordered += [e for e in family if (e.method, e.dataset) == (method, dataset)]
            ordered += [e for e in adjusted[1] if (e.method, e.dataset) == (method, ALL)]
        tested = sum(draw is not None for draw in self.draws.values())
        self.notes.append(
            f"intervals of 95 % and p-values from {self.resamples} resamples of images, seed"
            f" {self.seed}; Holm's correction over {tested} differences in columns, and over the"
            " means apart; another training of a network would vary too"
        )
        return ordered

    def _keys(self) -> list[tuple[str, str, str]]:
        return [(m, d, b) for m in self.methods for d, b in self.columns if (m, d, b) in self.table]

    def _draw(self, key: tuple[str, str, str]) -> PairedDraws | None:
        """Pair a result with the reference of its column."""
        _, dataset, backbone = key
        base = self.table.get((self.reference, dataset, backbone))
        mine = self.table[key]
        if base is None:
            self.notes.append(f"{self.reference} has no result on {dataset}, {backbone}")
            return None
        one, two = mine.evidence, base.evidence
        if one is None or two is None:
            lacking = mine if one is None else base
            self.notes.append(
                f"{lacking.file.name} of {lacking.method} keeps no evidence: its difference is not"
                " tested ('sightline evaluate --out' and 'train --final' keep it)"
            )
            return None
        one, two = one.common(two)
        seed = self.seed + self.datasets.index(dataset)
        self.images[dataset] = len(one.ids)
        if self.classes:
            first, second = MeanEvidence(one.found), MeanEvidence(two.found)
            if np.isnan(first.values).any() or np.isnan(second.values).any():
                return None
            return paired_draws(first, second, seed=seed, resamples=self.resamples)
        return paired_draws(one.evidence, two.evidence, seed=seed, resamples=self.resamples)

    def _cell(self, key: tuple[str, str, str], value_of: Callable[[Result], float]) -> Entry:
        method, dataset, backbone = key
        result = self.table[key]
        base = self.table.get((self.reference, dataset, backbone))
        value = value_of(result)
        same = method == self.reference or base is None
        difference = None if same or base is None else value - value_of(base)
        drawn = None if same else self.draws.get(key)
        return _entry((method, _kind(result), *key[1:]), value, difference, drawn)

    def _means(self, method: str, cells: Sequence[Entry]) -> list[Entry]:
        """Average over backbones, and over data sets, where a method has every column."""
        mine = [e for e in cells if e.method == method]
        found = []
        for dataset in self.datasets:
            here = [e for e in mine if e.dataset == dataset]
            wanted = [b for d, b in self.columns if d == dataset]
            if len(wanted) > 1 and len(here) == len(wanted):
                found.append(self._mean(here, dataset, MEAN))
        whole = len(mine) == len(self.columns)
        if whole and len(self.datasets) > 1:
            found.append(self._mean(mine, ALL, MEAN))
        return found

    def _mean(self, cells: Sequence[Entry], dataset: str, backbone: str) -> Entry:
        """Average by data set first, so that each of them counts alike."""
        groups = [[e for e in cells if e.dataset == d] for d in self.datasets]
        groups = [group for group in groups if group]
        first = cells[0]
        value = float(np.mean([np.mean([e.value for e in group]) for group in groups]))
        if first.difference is None:
            return _entry((first.method, first.kind, dataset, backbone), value, None, None)
        apart = [np.mean([float(e.difference or 0) for e in group]) for group in groups]
        keys = [[(e.method, e.dataset, e.backbone) for e in group] for group in groups]
        drawn = [[self.draws.get(key) for key in group] for group in keys]
        known = [[d for d in group if d is not None] for group in drawn]
        whole = all(len(a) == len(b) for a, b in zip(drawn, known, strict=True))
        both = mean_of([mean_of(group) for group in known]) if whole else None
        names = (first.method, first.kind, dataset, backbone)
        return _entry(names, value, float(np.mean(apart)), both)


def _kind(result: Result) -> str:
    if result.needs_no_image:
        return BLIND
    return FEW_SHOT if result.learns_places else WSOL


def _entry(
    names: Sequence[str], value: float, difference: float | None, drawn: PairedDraws | None
) -> Entry:
    method, kind, dataset, backbone = names
    if drawn is None:
        return Entry(method, kind, dataset, backbone, value, difference)
    test = judged(drawn, 0)
    return Entry(
        method, kind, dataset, backbone, value, difference, test.low, test.high, test.p_value
    )


def _corrected(entries: Sequence[Entry]) -> list[Entry]:
    """Adjust the p-values of one family."""
    tested = [i for i, e in enumerate(entries) if e.p_value is not None]
    adjusted = holm([float(entries[i].p_value or 0) for i in tested])
    found = list(entries)
    for i, value in zip(tested, adjusted, strict=True):
        found[i] = replace(entries[i], adjusted=value)
    return found


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


def _mean_of_best(entries: Sequence[Entry], dataset: str) -> float:
    best: dict[str, dict[str, float]] = {}
    for e in entries:
        if e.backbone != MEAN and dataset in (ALL, e.dataset):
            column = best.setdefault(e.dataset, {})
            column[e.backbone] = max(column.get(e.backbone, -np.inf), e.value)
    return float(np.mean([np.mean(list(column.values())) for column in best.values()]))

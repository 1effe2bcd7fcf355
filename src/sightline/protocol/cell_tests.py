"""The tests of a comparison: all differences to the reference, tested and corrected together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sightline.metrics.evidence_files import MeanEvidence
from sightline.metrics.statistics import PairedDraws, holm, judged, mean_of, paired_draws
from sightline.protocol.cells import ALL, BLIND, FEW_SHOT, MEAN, WSOL, Entry
from sightline.protocol.results import Result

PER_TEST = 100  # resamples for each test of a family, so that the smallest p survives correction
Key = tuple[str, str, str]  # method, data set and backbone


class Tests:
    """All tests of a table, made once and corrected together."""

    def __init__(
        self,
        table: Mapping[Key, Result],
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
        self.draws: dict[Key, PairedDraws | None] = {}
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

    def _keys(self) -> list[Key]:
        return [(m, d, b) for m in self.methods for d, b in self.columns if (m, d, b) in self.table]

    def _draw(self, key: Key) -> PairedDraws | None:
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

    def _cell(self, key: Key, value_of: Callable[[Result], float]) -> Entry:
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

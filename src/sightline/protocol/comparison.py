"""Methods against the first of them, CAM: differences, intervals, and what noise explains.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Table 6.

Every difference is between results on the same images. Its interval resamples images and chooses
thresholds anew in each resample; its p-value exchanges the two maps of random images. Differences
to CAM in single columns are one family of tests, mean differences another; each is corrected after
Holm. Resamples are of images: how much another training would give is not in the interval.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sightline.errors import UsageError
from sightline.metrics.statistics import RESAMPLES
from sightline.protocol.budgets import refuse_unequal
from sightline.protocol.cell_tests import Tests
from sightline.protocol.cells import Comparison
from sightline.protocol.results import ANY, Result, best_of


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
    tests = Tests(table, reference, classes, seed, resamples)
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

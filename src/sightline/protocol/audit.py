"""What every table says of its labels: what each result consumed, and how often test was opened."""

from collections.abc import Sequence

from sightline.data import openings
from sightline.data.ledger import TEST
from sightline.protocol.results import Result, budget, consumed


def notes(results: Sequence[Result]) -> list[str]:
    """Give the ledger of a table, its openings of test splits, and what does not compare."""
    by_budget: dict[tuple[str, ...], list[str]] = {}
    for one in results:
        by_budget.setdefault(budget(one), []).append(_name(one))
    lines = []
    for labels, names in sorted(by_budget.items()):
        said = "; ".join(labels) or "no localization labels"
        lines.append(f"{', '.join(dict.fromkeys(names))}: {said}")
    if len({consumed(one) for one in results if one.dataset}) > len({r.dataset for r in results}):
        lines.append("LABEL BUDGETS DIFFER between results of this table, as listed above")
    forced = sorted({_name(one) for one in results for e in one.ledger if e.forced})
    if forced:
        named = ", ".join(forced)
        lines.append(f"test labels were used against the rules, with --force, by {named}")
    return [*lines, *_opened(results), *_versions(results)]


def _name(one: Result) -> str:
    return one.method + (f" ({one.backbone})" if one.backbone else "")


def _opened(results: Sequence[Result]) -> list[str]:
    tests = {one.fingerprint: one.dataset for one in results if one.split == TEST}
    return [
        f"the test split of {dataset} was opened for {openings.count(fingerprint)} distinct results"
        " on this machine"
        for fingerprint, dataset in sorted(tests.items(), key=lambda pair: pair[1])
    ]


def _versions(results: Sequence[Result]) -> list[str]:
    found = sorted({one.version for one in results if one.version})
    return [f"made by several code versions: {', '.join(found)}"] if len(found) > 1 else []

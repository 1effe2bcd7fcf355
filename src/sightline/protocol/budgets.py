"""Methods are compared at one training budget: as many epochs, of as large batches."""

from collections.abc import Iterable, Mapping
from typing import Any

from sightline.errors import UsageError


def refuse_unequal(runs: Iterable[Mapping[str, Any]]) -> None:
    """Refuse to compare training runs of different budgets; what is not trained has none."""
    plans = [(run["plan"], str(run["method"])) for run in runs if run.get("plan")]
    trained = [(plan, method) for plan, method in plans if plan.get("epochs")]
    for name in ("epochs", "batch"):
        asked: dict[int, str] = {}
        for plan, method in trained:
            if name in plan:
                asked.setdefault(plan[name], method)
        if len(asked) > 1:
            said = " and ".join(f"{value} ({method})" for value, method in sorted(asked.items()))
            raise UsageError(
                f"methods are compared at the same --{name}, but there are {said}; train them alike"
            )

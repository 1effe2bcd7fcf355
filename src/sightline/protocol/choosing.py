"""Which trial is the best: a number of its row, of those that converged."""

from collections.abc import Sequence

from sightline.errors import UsageError
from sightline.execution import Failure
from sightline.types import ResultRow

CONVERGED, LOSS = "converged", "loss"
Outcomes = Sequence[ResultRow | Failure]


def value_of(row: ResultRow, criterion: str) -> float | None:
    """Give what a trial is chosen by, the higher the better; None if it did not converge."""
    if row.result["status"] != CONVERGED:
        return None
    known = {**row.result["metrics"], LOSS: row.result["loss"]}
    name = criterion or row.result["metric"]
    if name not in known:
        raise UsageError(f"--criterion: '{name}' was not recorded; there are {', '.join(known)}")
    value = known[name]
    if value is None:
        return None
    return -float(value) if name == LOSS else float(value)


def worth(outcome: ResultRow | Failure, criterion: str) -> float | None:
    """Give what a trial is chosen by, None if there is nothing to choose."""
    return None if isinstance(outcome, Failure) else value_of(outcome, criterion)


def choose(outcomes: Outcomes, criterion: str) -> int | None:
    """Give the number of the best trial, the first of equals."""
    found = [(number, worth(outcome, criterion)) for number, outcome in enumerate(outcomes)]
    known = [(value, -number) for number, value in found if value is not None]
    return -max(known)[1] if known else None


def criterion_of(outcomes: Outcomes, criterion: str) -> str:
    """Name what trials are chosen by."""
    made = (str(row.result["metric"]) for row in outcomes if isinstance(row, ResultRow))
    return criterion or next(made, "")

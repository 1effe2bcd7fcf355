"""What a search prints: its trials, the choice, and the labels that it consumed."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sightline.cli.output import table
from sightline.data.ledger import as_text as ledger_lines
from sightline.execution import Failure
from sightline.protocol.choosing import LOSS, value_of
from sightline.protocol.search import Searched

SHOWN = 60  # trials in a table; of more only the best


def as_json(found: Searched, method: str, backbone: str, final: Sequence[Any]) -> dict[str, Any]:
    """Give everything as plain data."""
    return {
        "method": method,
        "backbone": backbone,
        "criterion": found.criterion,
        "trials": [_trial(found, number) for number in range(len(found.draws))],
        "counts": found.counts(),
        "best": None if found.best is None else _trial(found, found.best),
        "run": found.chosen,
        "notes": list(found.notes),
        "ledger": {
            "entries": [asdict(entry) for entry in found.ledger],
            "labels": sum(entry.labels for entry in found.ledger),
        },
        "final": [row.result for row in final],
    }


def _trial(found: Searched, number: int) -> dict[str, Any]:
    outcome = found.outcomes[number]
    if isinstance(outcome, Failure):
        told = {"status": "failed", "cause": outcome.cause, "reason": outcome.reason}
        return {"trial": number, "draw": dict(found.draws[number]), **told}
    result = outcome.result
    return {
        "trial": number,
        "draw": dict(found.draws[number]),
        "status": result["status"],
        "loss": result["loss"],
        "value": _shown_value(found, number),
        "metrics": result["metrics"],
    }


def _shown_value(found: Searched, number: int) -> float | None:
    outcome = found.outcomes[number]
    if isinstance(outcome, Failure):
        return None
    value = value_of(outcome, found.criterion)
    return -value if value is not None and found.criterion == LOSS else value


def as_text(found: Searched, method: str, backbone: str, data: str, final: Sequence[Any]) -> str:
    """Say it for people."""
    from sightline.cli.evaluation_text import as_text as evaluation

    lines = [f"{method} on {backbone}", table(_lines(found)), ""]
    hidden = len(found.draws) - SHOWN
    lines += [f"({hidden} more are in {found.folder / 'trials'})"] if hidden > 0 else []
    lines += _verdict(found)
    counted = ", ".join(f"{count} {name}" for name, count in found.counts().items())
    lines.append(f"  trials     {len(found.draws)}: {counted}; draws in {found.folder}/trials.csv")
    lines += [f"  note       {note}" for note in found.notes]
    lines += [f"  labels     {line}" for line in ledger_lines(found.ledger)]
    for row in final:
        lines += ["final report, test labels opened:", evaluation(row)]
    if not final and found.chosen:
        lines.append(
            f"Next: sightline localize {found.chosen} --data {data} --split test --evaluate"
        )
    return "\n".join(lines)


def _verdict(found: Searched) -> list[str]:
    if found.best is None:
        return ["  best       none: no trial converged"]
    outcome = found.outcomes[found.best]
    assert not isinstance(outcome, Failure)
    split = (outcome.result.get("truth") or {}).get("split", "")
    value = _shown_value(found, found.best)
    lines = [f"  best       trial {found.best} by {found.criterion} on {split}: {value:.4g}"]
    if found.final:
        images = found.final.result["train"]["images"]
        lines.append(f"  in full    trained again on all {images} images")
    return [*lines, f"  run        {found.chosen}"]


def _lines(found: Searched) -> list[dict[str, str]]:
    numbers: Sequence[int] = range(len(found.draws))
    if len(numbers) > SHOWN:
        worth = {n: v for n in numbers if (v := _worth(found, n)) is not None}
        numbers = sorted(worth, key=lambda n: (-worth[n], n))[:SHOWN]
    return [_line(found, number) for number in numbers]


def _worth(found: Searched, number: int) -> float | None:
    outcome = found.outcomes[number]
    return None if isinstance(outcome, Failure) else value_of(outcome, found.criterion)


def _line(found: Searched, number: int) -> dict[str, str]:
    outcome = found.outcomes[number]
    shown = {"trial": f"{number}{' *' if number == found.best else ''}"}
    shown |= {name: _number(value) for name, value in found.draws[number].items()}
    if isinstance(outcome, Failure):
        return shown | {
            "status": f"failed ({outcome.cause}): {outcome.reason}",
            "loss": "",
            found.criterion or "value": "",
        }
    shown |= {"status": str(outcome.result["status"]), "loss": _number(outcome.result["loss"])}
    return shown | {found.criterion or "value": _number(_shown_value(found, number))}


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

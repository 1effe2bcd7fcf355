"""Thresholds that come from elsewhere: a number, or what another split's result chose."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.data.ledger import is_test
from sightline.errors import DataError, Problem, UsageError
from sightline.metrics.protocol import Protocol
from sightline.rows import ledger_entry
from sightline.types import LedgerEntry, ResultRow

Origin = str | Path | float | ResultRow


def transferred(protocol: Protocol, origin: Origin) -> Protocol:
    """Fix a protocol's thresholds to a number, or to those that another result found best."""
    number = _number(origin)
    if number is not None:
        return replace(
            protocol,
            name=f"{protocol.name} (threshold {number:g})",
            threshold_choice="fixed",
            thresholds=(number,),
        )
    result = _content(origin)["result"]
    return replace(
        protocol,
        name=f"{protocol.name} (threshold from another result)",
        threshold_choice="transferred",
        thresholds=_chosen(result, protocol, str(origin)),
    )


def labels_behind(origin: Origin | None, *, force: bool = False) -> list[LedgerEntry]:
    """List the labels that chose a transferred threshold, under the purpose that they now serve."""
    if origin is None or _number(origin) is not None:
        return []
    try:
        consumed = [ledger_entry(entry) for entry in _content(origin)["ledger"]]
    except (TypeError, KeyError) as error:
        raise _unusable(str(origin), f"its ledger is not readable ({error})") from error
    if any(is_test(entry.split) for entry in consumed) and not force:
        raise UsageError(
            f"{origin}: its threshold was chosen with test labels; take it from another split, or"
            " pass --force to have it recorded"
        )
    return [
        replace(entry, purpose="threshold", forced=entry.forced or is_test(entry.split))
        for entry in consumed
    ]


def _number(origin: Origin) -> float | None:
    if isinstance(origin, ResultRow):
        return None
    try:
        number = float(origin)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    if not 0 <= number <= 1:
        raise UsageError(f"threshold {number:g} is outside [0, 1]")
    return number


def _content(origin: Origin) -> dict[str, Any]:
    """Read a row file, or the object that `sightline evaluate --json` prints."""
    if isinstance(origin, ResultRow):
        from dataclasses import asdict

        return {"result": origin.result, "ledger": [asdict(entry) for entry in origin.ledger]}
    path = Path(str(origin))
    if not path.is_file():
        raise UsageError(f"{path}: no such result, and no number; pass a row file or a threshold")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if "result" in content:
            return {"result": content["result"], "ledger": content["ledger"]}
        return {"result": content, "ledger": content["ledger"]["entries"]}
    except (ValueError, KeyError, TypeError) as error:
        raise _unusable(str(path), f"not a result ({type(error).__name__}: {error})") from error


def _chosen(result: dict[str, Any], protocol: Protocol, place: str) -> tuple[float, ...]:
    found = result.get("threshold") if isinstance(result, Mapping) else None
    if not isinstance(found, Mapping):
        raise _unusable(place, "it holds no threshold")
    wanted = (
        ["mean_iou"]
        if protocol.ground_truth_kind == "masks"
        else [str(delta) for delta in protocol.iou_thresholds]
    )
    given = {name: value for name, value in found.items() if isinstance(value, int | float)}
    missing = [name for name in wanted if name not in given]
    if missing:
        has = ", ".join(given) or "none"
        raise _unusable(place, f"it holds no threshold for {missing[0]} (it has {has})")
    outside = [name for name in wanted if not 0 <= given[name] <= 1]
    if outside:
        raise _unusable(place, f"its threshold for {outside[0]}, {given[outside[0]]}, is no score")
    return tuple(float(given[name]) for name in wanted)


def _unusable(place: str, what: str) -> DataError:
    remedy = "pass a row of the same kind of metric"
    return DataError([Problem(f"cannot give a threshold: {what}", place, remedy=remedy)])

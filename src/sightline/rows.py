"""Result rows on disk: small JSON files, written whole or not at all, read back as a table."""

import hashlib
import html
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.errors import DataError, Problem
from sightline.types import Artifact, Job, LedgerEntry, ResultRow

if TYPE_CHECKING:
    import pandas as pd

SUFFIX = ".row.json"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def canonical(value: Any) -> str:
    """Write a value as JSON in the one form that is hashed: sorted, compact, NaN as null."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold: NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # a NumPy number or array
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def result_hash(row: ResultRow) -> str:
    """Hash a row's result: equal hashes are what "identical" means."""
    return hashlib.sha256(canonical(row.result).encode()).hexdigest()[:16]


def job_id(job: Job) -> str:
    """Hash whatever determines a job's result."""
    return hashlib.sha256(canonical(asdict(job)).encode()).hexdigest()[:16]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader, or a kill in the middle, never meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def save(row: ResultRow, path: Path) -> None:
    """Write a row atomically."""
    content = {
        "result": plain(row.result),
        "provenance": plain(row.provenance),
        "ledger": [asdict(entry) for entry in row.ledger],
        "artifacts": {name: asdict(artifact) for name, artifact in row.artifacts.items()},
    }
    write_whole(path, json.dumps(content, indent=1, allow_nan=False) + "\n")


def load(path: Path) -> ResultRow:
    """Read a row back."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return ResultRow(
            result=_mapping(content["result"]),
            provenance=_mapping(content["provenance"]),
            ledger=tuple(map(ledger_entry, content["ledger"])),
            artifacts={name: Artifact(**kept) for name, kept in content["artifacts"].items()},
        )
    except UNREADABLE as error:
        what = f"not a result row ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(path), remedy="delete it and run again")]) from error


def ledger_entry(stored: Mapping[str, Any]) -> LedgerEntry:
    """Read an entry of a ledger back."""
    pairs = {key: tuple(stored[key]) for key in ("per_class", "labels_per_class") if key in stored}
    return LedgerEntry(**{**stored, **pairs})


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no object")
    return value


def find(places: Iterable[Path]) -> Iterator[Path]:
    """List row files in files and folders, in the order of their names."""
    for place in places:
        yield from sorted(place.rglob(f"*{SUFFIX}"), key=str) if place.is_dir() else [place]


def table(places: Iterable[Path]) -> "pd.DataFrame":
    """Load rows as a table: nested results become columns such as `per_delta.50`."""
    import pandas as pd

    records = []
    for path in find(places):
        row = load(path)
        record = flat(row.result)
        record["labels"] = sum(entry.labels for entry in row.ledger)
        record["file"] = str(path)
        records.append(record)
    return pd.DataFrame(records)


def flat(
    value: Mapping[str, Any], into: dict[str, Any] | None = None, prefix: str = ""
) -> dict[str, Any]:
    """Put nested values side by side under dotted names."""
    found = {} if into is None else into
    for key, item in value.items():
        if isinstance(
            item, dict
        ):  # as JSON gives them; asking for any mapping takes ten times longer
            flat(item, found, f"{prefix}{key}.")
        else:
            found[prefix + key] = item
    return found


def file_hash(path: Path) -> str:
    """Hash a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def artifact(path: Path, row_folder: Path) -> Artifact:
    """Describe a file that belongs to a row."""
    return Artifact(Path(os.path.relpath(path, row_folder)).as_posix(), file_hash(path))


def as_html(row: ResultRow) -> str:
    """Show a row in a notebook: the number and what stands behind it, all else folded away."""
    result = row.result
    used = [
        f"{entry.labels} {entry.kind} of {entry.dataset}, split {entry.split}, for {entry.purpose}"
        for entry in row.ledger
    ]
    head = {
        str(result.get("metric", "value")): _headline(result),
        "protocol": result.get("protocol", {}).get("name"),
        "threshold": result.get("threshold_from"),
        "images": result.get("images"),
        "labels consumed": "; ".join(used) or "none",
    }
    rest = {key: _shown(value) for key, value in flat(plain(result)).items()}
    told = {key: _shown(value) for key, value in head.items() if value is not None}
    folded = f"<details><summary>all of it</summary>{_lines(rest)}</details>"
    return _lines(told) + folded


def _headline(result: Mapping[str, Any]) -> str | None:
    if result.get("value") is None:
        return None
    text = f"{result['value']:.2f}"
    if result.get("interval"):
        low, high = result["interval"]
        seed = result.get("interval_method", {}).get("seed")
        text += f" (95 % interval {low:.2f} to {high:.2f}, seed {seed})"
    return text


def _lines(cells: Mapping[str, str]) -> str:
    lines = "".join(
        f"<tr><th style='text-align:left'>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>"
        for key, value in cells.items()
    )
    return f"<table>{lines}</table>"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(_shown, value)) if isinstance(value, (list, tuple)) else str(value)

"""An append-only log of how often a test split was opened, by distinct result.

Deleting a row hides nothing: the log lies in the user's own data folder (SIGHTLINE_HOME, by default
~/.local/share/sightline), and counts results, so that repeating a command does not.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from sightline.data.splits import UNKNOWN, is_test
from sightline.rows import result_hash
from sightline.types import ResultRow, Split


def log_file() -> Path:
    """Tell where the log lies."""
    home = os.environ.get("SIGHTLINE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return (Path(home) if home else Path(data) / "sightline") / "openings.jsonl"


def record(split: Split, fingerprint: str, row: ResultRow) -> None:
    """Log that a result was computed on a test split, or on one that may be it."""
    protocol, moment = row.result["protocol"]["name"], row.provenance["time"]
    _append(split, fingerprint, result_hash(row), protocol, moment)


def looked(split: Split, fingerprint: str, ids: Sequence[str]) -> None:
    """Log that somebody looked at the labels of some images of a test split."""
    seen = hashlib.sha256("\n".join(("data show", *ids)).encode()).hexdigest()
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    _append(split, fingerprint, seen, "data show", moment)


def _append(split: Split, fingerprint: str, result: str, protocol: str, moment: str) -> None:
    may_be_test = is_test(split.name) or split.name == UNKNOWN
    if not may_be_test or not fingerprint or result in _results(fingerprint):
        return
    entry = {
        "truth": fingerprint,
        "dataset": split.dataset,
        "split": split.name,
        "result": result,
        "protocol": protocol,
        "time": moment,
    }
    try:
        file = log_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry) + "\n")
    except OSError:
        return  # a home that cannot be written to is no reason to withhold a score


def count(fingerprint: str) -> int:
    """Count the distinct results for which a ground truth was opened on this machine."""
    return len(_results(fingerprint))


def _results(fingerprint: str) -> set[str]:
    try:
        lines = log_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    found = set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # a line cut short by a crash
        if isinstance(entry, dict) and entry.get("truth") == fingerprint:
            found.add(str(entry.get("result")))
    return found

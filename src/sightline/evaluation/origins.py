"""Labels that were consumed to make score maps: a file beside the maps tells the evaluator."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sightline.errors import DataError, Problem
from sightline.rows import UNREADABLE, ledger_entry, write_whole
from sightline.types import LedgerEntry

FILE = "labels.json"


def keep(folder: Path, entries: Iterable[LedgerEntry]) -> None:
    """Write down which labels were consumed on the way to a folder of maps."""
    write_whole(folder / FILE, json.dumps([asdict(entry) for entry in entries], indent=1) + "\n")


def labels_behind(maps: Any) -> list[LedgerEntry]:
    """List the labels behind a folder of maps, as far as it tells."""
    if not isinstance(maps, (str, Path)) or not (file := Path(maps) / FILE).is_file():
        return []
    try:
        return [ledger_entry(stored) for stored in json.loads(file.read_text(encoding="utf-8"))]
    except UNREADABLE as error:
        what = f"does not tell which labels made the maps ({type(error).__name__}: {error})"
        raise DataError([Problem(what, str(file), remedy="make the maps again")]) from error

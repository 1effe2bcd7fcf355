"""The printed tables of the five papers, as data, so that results can be set beside them.

`tables()` is the index: one line a table, with its source, protocol and known slips in print.
`table("000-T6")` is one table in long form: key columns (text), `value` (a number; empty where
none is printed or the print is illegible) and `printed` (the characters of the cell).
Names are paper and label: `000-T6`, `004-S4`; supplements of 002 carry their letter: `002-E2`.
Datasets are named as in the data layer: what the papers call ImageNet is `ilsvrc`.
"""

from __future__ import annotations

import difflib
import io
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["table", "tables"]


def tables() -> pd.DataFrame:
    """Return the index: name, paper, printed_label, title, citation, unit, protocol, notes."""
    return _read("index.csv")


def table(name: str) -> pd.DataFrame:
    """Return one printed table in long form; an unknown name raises ValueError."""
    import pandas as pd

    names = [str(known) for known in tables()["name"]]
    if name not in names:
        raise ValueError(f"no published table {name!r}; close names: {_close(name, names)}")
    frame = _read(f"{name}.csv")
    frame["value"] = pd.to_numeric(frame["value"]).astype(float)
    return frame


def _read(file: str) -> pd.DataFrame:
    """Read one packaged CSV, every cell as text."""
    import pandas as pd

    text = resources.files(__name__).joinpath(file).read_text(encoding="utf-8")
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def _close(name: str, names: list[str]) -> str:
    """List the names nearest to a misspelt one, ignoring case."""
    found = difflib.get_close_matches(name.upper(), names, n=5, cutoff=0.5)
    return ", ".join(found or names[:5])

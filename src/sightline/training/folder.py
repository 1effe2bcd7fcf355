"""The folder of a run: one configuration, its state, metrics, checkpoints and rows."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.errors import SightlineError, UsageError

CONFIG, STATE, METRICS, CURVES = "config.json", "state.safetensors", "metrics.csv", "curves.png"
ROW = f"train{rows.SUFFIX}"


class RunFolder:
    """Where a run keeps what it makes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def row(self) -> Path:
        """Where the result is, once there is one."""
        return self.root / ROW

    @property
    def state(self) -> Path:
        """Where the state is while the run goes on."""
        return self.root / STATE

    def checkpoint(self, name: str) -> Path:
        """Where the weights of that name are: last, best:METRIC or epoch-NUMBER."""
        return self.root / f"{name.replace(':', '-').replace('/', '-')}.safetensors"

    def open(self, config: Mapping[str, Any]) -> None:
        """Begin a run, or make sure that the folder holds this very one."""
        file = self.root / CONFIG
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(f"{self.root}: is a file; name a folder with --out")
        begun = self.row.exists() or self.state.exists()
        if not (file.exists() and begun):
            rows.write_whole(file, json.dumps(rows.plain(config), indent=1) + "\n")
            return
        other = _flat(self.config())
        mine = _flat(json.loads(rows.canonical(config)))
        differing = sorted(name for name in {*mine, *other} if mine.get(name) != other.get(name))
        if differing:
            name = differing[0]
            raise UsageError(
                f"{self.root}: holds another run, with {name} {_shown(other.get(name))} where"
                f" {_shown(mine.get(name))} is asked for; name another folder with --out"
            )

    def config(self) -> dict[str, Any]:
        """Read the configuration."""
        file = self.root / CONFIG
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UsageError(f"{self.root}: holds no training run; there is no {CONFIG}") from None
        except (OSError, ValueError) as error:
            raise SightlineError(f"{file}: cannot be read ({error}); name another --out") from None
        if not isinstance(found, dict):
            raise SightlineError(f"{file}: is no configuration; name another --out")
        return found

    def write_metrics(self, table: Sequence[Mapping[str, Any]]) -> None:
        """Write one line an epoch; a column that an epoch lacks is empty there."""
        names = list(dict.fromkeys(name for line in table for name in line))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        rows.write_whole(self.root / METRICS, text.getvalue())


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {prefix: value}
    found: dict[str, Any] = {}
    for key, inner in value.items():
        found |= _flat(inner, f"{prefix} {key}".strip())
    return found


def _shown(value: Any) -> str:
    return json.dumps(value) if value not in (None, "") else "nothing"

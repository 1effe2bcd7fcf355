"""Rerun recipes and hold what comes out against what was printed and what was measured before.

    .venv/bin/python recipes/run.py --data ../shared/data [--keep] [NAME...]

A recipe is one TOML file: the paper, the command, what it costs, and for each value what it is
held against (`printed` in a paper, `recomputed` by others from public data, or `expected`, from one
value to another), with a tolerance, and what was `measured` when the recipe was written. A value
outside its tolerance fails the run, and so does one that is further from what it was than its
`drift`.

A case is a `command` of sightline's, or a `program` of recipes/programs with its `arguments`, whose
function `measure` gives a result row. Rows of programs are kept in recipes/rows with `--keep`.
A case that `needs` packages which are not installed is left out.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline import rows
from sightline.cli.main import main as sightline
from sightline.cli.output import table
from sightline.types import ResultRow

HERE = Path(__file__).parent
DATA = "{data}"
DRIFT = 1e-9  # between the machine that measured and this one, unless a value says otherwise
KINDS = ("printed", "recomputed", "expected")


def recipes(names: list[str]) -> list[Path]:
    """List the recipe files, or those named."""
    found = sorted(HERE.glob("*.toml"))
    return [file for file in found if not names or file.stem in names]


def run(file: Path, data: Path, *, keep: bool = False) -> list[dict[str, str]]:
    """Run a recipe's cases and give one line a value."""
    recipe = tomllib.loads(file.read_text(encoding="utf-8"))
    lines = []
    for case in recipe["case"]:
        lacking = [name for name in case.get("needs", ()) if not importlib.util.find_spec(name)]
        if lacking:
            print(f"{file.stem}: {case['name']} left out; pip install {' '.join(lacking)}")
            continue
        if "program" in case:
            row = _row(case, data)
            result = rows.plain(row.result)
            if keep:
                rows.save(row, row_file(case))
        else:
            result = _result([word.replace(DATA, str(data)) for word in case["command"]])
        lines += [_compared(case, name, wanted, result) for name, wanted in case["values"].items()]
    return lines


def row_file(case: Mapping[str, Any]) -> Path:
    """Tell where the row of a case is kept."""
    return HERE / "rows" / f"{case['row']}{rows.SUFFIX}"


def _row(case: Mapping[str, Any], data: Path) -> ResultRow:
    file = HERE / "programs" / f"{case['program']}.py"
    spec = importlib.util.spec_from_file_location(f"recipe_{file.stem}", file)
    if not spec or not spec.loader:
        raise SystemExit(f"{file}: no such program")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    row: ResultRow = module.measure(data, **case.get("arguments", {}))
    return row


def _result(words: list[str]) -> Mapping[str, Any]:
    captured = io.StringIO()
    with contextlib.redirect_stdout(captured):
        code = sightline([*words, "--json", "-"])
    if code:
        raise SystemExit(f"sightline {' '.join(words)}: exit code {code}")
    found: Mapping[str, Any] = json.loads(captured.getvalue())
    return found


def valued(result: Mapping[str, Any], name: str) -> Any:
    """Find a value by its dotted name."""
    value: Any = result
    for key in name.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _compared(
    case: Mapping[str, Any], name: str, wanted: Mapping[str, Any], result: Mapping[str, Any]
) -> dict[str, str]:
    value = valued(result, name)
    kind = next(kind for kind in KINDS if kind in wanted)
    low, high = wanted[kind] if kind == "expected" else (wanted[kind], wanted[kind])
    near = low - wanted["tolerance"] <= value <= high + wanted["tolerance"]
    as_before = abs(value - wanted["measured"]) <= wanted.get("drift", DRIFT)
    against = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return {
        "value": f"{case['name']}, {name}",
        "measured": f"{value:.4f}",
        "against": f"{against} {kind}",
        "tolerance": f"{wanted['tolerance']:g}",
        "verdict": "ok" if near and as_before else "OUTSIDE" if not near else "CHANGED",
    }


def main() -> int:
    """Run and print; the exit code is 1 if a value is outside its tolerance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the annotations")
    parser.add_argument("--keep", action="store_true", help="write the rows to recipes/rows")
    parser.add_argument("names", nargs="*", help="recipes to run, all if none")
    chosen = parser.parse_args()
    good = True
    for file in recipes(chosen.names):
        recipe = tomllib.loads(file.read_text(encoding="utf-8"))
        print(f"{file.stem}: {recipe['title']} ({recipe['paper']}; {recipe['cost']})")
        lines = run(file, chosen.data, keep=chosen.keep)
        print(table(lines))
        good &= all(line["verdict"] == "ok" for line in lines)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

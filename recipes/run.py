"""Rerun recipes and hold what comes out against what was printed and what was measured before.

    .venv/bin/python recipes/run.py --data ../shared/data [NAME...]

A recipe is one TOML file: the paper, the command, what it costs, and for each value what it is held
against (`printed` in a paper, or `recomputed` by others from public data), with a tolerance, and
what was `measured` when the recipe was written. A value outside its tolerance fails the run, and
so does one that is no longer what it was.
"""

import argparse
import contextlib
import io
import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.cli.main import main as sightline
from sightline.cli.output import table

HERE = Path(__file__).parent
DATA = "{data}"
DRIFT = 1e-9  # between the machine that measured and this one


def recipes(names: list[str]) -> list[Path]:
    """List the recipe files, or those named."""
    found = sorted(HERE.glob("*.toml"))
    return [file for file in found if not names or file.stem in names]


def run(file: Path, data: Path) -> list[dict[str, str]]:
    """Run a recipe's commands and give one line a value."""
    recipe = tomllib.loads(file.read_text(encoding="utf-8"))
    lines = []
    for case in recipe["case"]:
        result = _result([word.replace(DATA, str(data)) for word in case["command"]])
        lines += [_compared(case, name, wanted, result) for name, wanted in case["values"].items()]
    return lines


def _result(words: list[str]) -> Mapping[str, Any]:
    captured = io.StringIO()
    with contextlib.redirect_stdout(captured):
        code = sightline([*words, "--json", "-"])
    if code:
        raise SystemExit(f"sightline {' '.join(words)}: exit code {code}")
    found: Mapping[str, Any] = json.loads(captured.getvalue())
    return found


def _compared(
    case: Mapping[str, Any], name: str, wanted: Mapping[str, float], result: Mapping[str, Any]
) -> dict[str, str]:
    value: Any = result
    for key in name.split("."):
        value = value[key]
    kind = "printed" if "printed" in wanted else "recomputed"
    near = abs(value - wanted[kind]) <= wanted["tolerance"]
    as_before = abs(value - wanted["measured"]) <= DRIFT
    return {
        "value": f"{case['name']}, {name}",
        "measured": f"{value:.4f}",
        "against": f"{wanted[kind]:g} {kind}",
        "tolerance": f"{wanted['tolerance']:g}",
        "verdict": "ok" if near and as_before else "OUTSIDE" if not near else "CHANGED",
    }


def main() -> int:
    """Run and print; the exit code is 1 if a value is outside its tolerance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the annotations")
    parser.add_argument("names", nargs="*", help="recipes to run, all if none")
    chosen = parser.parse_args()
    good = True
    for file in recipes(chosen.names):
        recipe = tomllib.loads(file.read_text(encoding="utf-8"))
        print(f"{file.stem}: {recipe['title']} ({recipe['paper']}; {recipe['cost']})")
        lines = run(file, chosen.data)
        print(table(lines))
        good &= all(line["verdict"] == "ok" for line in lines)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

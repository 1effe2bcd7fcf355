"""Recipes reproduce what was printed and what was measured."""

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2] / "recipes"
SLOW = {"center-gaussian-choices"}
FILES = [
    pytest.param(file, id=file.stem, marks=pytest.mark.long if file.stem in SLOW else ())
    for file in sorted(ROOT.glob("*.toml"))
]


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recipe_runner", ROOT / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", FILES)
def test_a_recipe_gives_what_it_says(file: Path, runner: ModuleType, shared: Path) -> None:
    lines = runner.run(file, shared / "data")
    assert lines
    assert [line for line in lines if line["verdict"] != "ok"] == []


@pytest.mark.parametrize("file", FILES)
def test_a_recipe_is_whole(file: Path) -> None:
    recipe = tomllib.loads(file.read_text())
    assert {"title", "paper", "cost", "note", "case"} <= recipe.keys()
    for case in recipe["case"]:
        for wanted in case["values"].values():
            assert ("printed" in wanted) != ("recomputed" in wanted)
            assert {"tolerance", "measured"} <= wanted.keys()


def test_a_wrong_value_is_told(runner: ModuleType) -> None:
    case = {"name": "n"}
    wanted = {"printed": 50.0, "tolerance": 0.1, "measured": 50.02}
    verdicts = [
        runner._compared(case, "value", wanted, {"value": value})["verdict"]
        for value in (50.02, 50.05, 51.0)
    ]
    assert verdicts == ["ok", "CHANGED", "OUTSIDE"]

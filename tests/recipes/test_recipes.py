"""Recipes reproduce what was printed and what was measured."""

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from sightline import rows
from sightline.data.class_names import imagenet

ROOT = Path(__file__).resolve().parents[2] / "recipes"
SLOW = {
    *(
        "breeds",
        "center-gaussian-choices",
        "explainers",
        "illposed-trained",
        "parts",
        "pets",
        "pets-noise",
    ),
    *("pond", "pond-search", "pseudo-stages", "pseudo-selection"),
}
FILES = [pytest.param(file, id=file.stem) for file in sorted(ROOT.glob("*.toml"))]
RUNS = [
    pytest.param(*one.values, id=one.id, marks=pytest.mark.long if one.id in SLOW else ())
    for one in FILES
]


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recipe_runner", ROOT / "run.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", RUNS)
def test_a_recipe_gives_what_it_says(file: Path, runner: ModuleType, shared: Path) -> None:
    lines = runner.run(file, shared / "data")
    assert lines
    assert [line for line in lines if line["verdict"] != "ok"] == []


@pytest.mark.parametrize("file", FILES)
def test_a_recipe_is_whole(file: Path, runner: ModuleType) -> None:
    recipe = tomllib.loads(file.read_text())
    assert {"title", "paper", "cost", "note", "case"} <= recipe.keys()
    for case in recipe["case"]:
        assert ("command" in case) != ("program" in case)
        for wanted in case["values"].values():
            assert len(wanted.keys() & set(runner.KINDS)) == 1
            assert {"tolerance", "measured"} <= wanted.keys()


@pytest.mark.parametrize("file", FILES)
def test_the_rows_that_are_kept_hold_what_was_measured(file: Path, runner: ModuleType) -> None:
    for case in tomllib.loads(file.read_text())["case"]:
        if "program" in case:
            result = rows.load(runner.row_file(case)).result
            kept = {name: runner.valued(result, name) for name in case["values"]}
            assert kept == {name: wanted["measured"] for name, wanted in case["values"].items()}
            lines = [runner._compared(case, n, w, result) for n, w in case["values"].items()]
            assert {line["verdict"] for line in lines} == {"ok"}


def test_no_row_is_kept_without_a_recipe(runner: ModuleType) -> None:
    cases = [
        case for file in ROOT.glob("*.toml") for case in tomllib.loads(file.read_text())["case"]
    ]
    wanted = {runner.row_file(case) for case in cases if "program" in case}
    assert set(rows.find([ROOT / "rows"])) == wanted


def test_a_wrong_value_is_told(runner: ModuleType) -> None:
    case = {"name": "n"}
    wanted = {"printed": 50.0, "tolerance": 0.1, "measured": 50.02}
    verdicts = [
        runner._compared(case, "value", wanted, {"value": value})["verdict"]
        for value in (50.02, 50.05, 51.0)
    ]
    assert verdicts == ["ok", "CHANGED", "OUTSIDE"]


def test_a_range_and_a_drift_are_held_against(runner: ModuleType) -> None:
    wanted = {"expected": [50.0, 60.0], "tolerance": 0.5, "measured": 55.0, "drift": 2.0}
    verdicts = [
        runner._compared({"name": "n"}, "a.0", wanted, {"a": [value]})["verdict"]
        for value in (55.0, 56.9, 57.1, 60.4, 60.6, 49.4)
    ]
    assert verdicts == ["ok", "ok", "CHANGED", "CHANGED", "OUTSIDE", "OUTSIDE"]


def test_breeds_are_classes_of_imagenet_and_of_the_photographs(shared: Path) -> None:
    lines = (ROOT / "programs" / "breeds.csv").read_text().split()[1:]
    breeds, synsets = zip(*(line.split(",") for line in lines), strict=True)
    assert len(set(breeds)) == len(set(synsets)) == 25
    assert all(imagenet().synsets[imagenet().find(synset)] == synset for synset in synsets)
    assert set(breeds) < set((shared / "data" / "pets" / "class_names.txt").read_text().split())


@pytest.mark.parametrize("file", sorted((ROOT / "rows").glob("*.row.json")), ids=lambda f: f.stem)
def test_a_shipped_row_names_no_place_of_the_machine_that_made_it(file: Path) -> None:
    command = str(rows.load(file).provenance.get("command", ""))
    assert not [word for word in command.split() if Path(word).is_absolute()], command

"""`sightline select`: tables with their ledger, files, and refusals."""

import csv
from dataclasses import replace

import pytest

from sightline import rows
from sightline.types import ResultRow

from .recorded import record, written

A = {
    "val": [[20, 30, 10], [40, 60, 20]],
    "test": [[20, 30, 10], [50, 45, 20]],
    "pseudo": {"clip": [[70, 10, 10], [20, 30, 40]]},
    "top1": [90, 20],
    "test_top1": [80, 20],
    "series": {"weight-norm": [3, 4], "val/box-area": [1, 2]},
}
B = A | {"val": [[10, 10, 10], [20, 20, 55]], "top1": [70, 20]}


@pytest.fixture
def runs(tmp_path):
    for name, numbers in (("a", A), ("b", B)):
        written(record(name, **numbers), tmp_path / "runs" / name)
    return tmp_path / "runs"


def test_every_criterion_with_what_it_picks_and_costs(sightline, runs):
    found = sightline("select", runs, "--json", "-").json
    picks = {line["criterion"]: line for line in found["groups"][0]["picks"]}
    assert list(picks) == ["class-accuracy", "ground-truth:v2", "clip:v2", "weight-norm"]
    assert (picks["class-accuracy"]["configuration"], picks["class-accuracy"]["epoch"]) == ("a", 1)
    assert picks["class-accuracy"]["test"] == pytest.approx(30)
    assert picks["class-accuracy"]["against_ground_truth"] == pytest.approx(-20)
    assert picks["ground-truth:v2"]["test"] == pytest.approx(50)
    assert picks["clip:v2"]["below_best"] == pytest.approx(-20)


def test_cells_have_the_keys_of_the_published_table(sightline, runs):
    from sightline import published

    keys = set(published.table("004-S4").columns) - {"reading", "printed"}
    cells = sightline("select", runs, "--json", "-").json["groups"][0]["cells"]
    assert keys <= set(cells[0])
    chosen = [c for c in cells if c["criterion"] == "clip:v2" and c["iou"] == "mean"]
    assert {(c["configuration"], c["threshold"]): c["value"] for c in chosen} == pytest.approx(
        {("test", "test"): 30, ("test", "validation"): 20}
        | {("validation", "test"): 30, ("validation", "validation"): 20}
    )


def test_the_ledger_says_which_cells_rest_on_test_labels(sightline, runs):
    said = sightline("select", runs, "--criteria", "class-accuracy", "clip:50").out
    lines = [line.split() for line in said.splitlines()]
    chose = {tuple(line[:2]): " ".join(line[7:]) for line in lines if "BT-" in str(line[1:2])}
    assert chose["clip:50", "BT-TT"] == "configuration and threshold"
    assert chose["clip:50", "BT-VT"] == "configuration"
    assert "class-accuracy: no localization labels" in said
    assert "8 boxes of 8 images (2 images a class) of pets, split test, for study" in said
    assert "only BV-VT could be had without test labels" in said


def test_files_are_written(sightline, runs, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert sightline("select", runs, "--out", out).code == 0
    with (out / "cells.csv").open() as file:
        assert {"criterion", "value", "test_labels"} <= set(next(csv.DictReader(file)))
    with (out / "layout.csv").open() as file:
        assert [line["select"] for line in csv.DictReader(file)] == [
            "BT-TT",
            "BT-VT",
            "BV-TT",
            "BV-VT",
        ]
    assert (out / "cam-vgg-pets-curves.png").stat().st_size > 10_000


def test_noise_levels_have_their_table_and_panels(sightline, tmp_path):
    pytest.importorskip("matplotlib")
    noise = {"n5": "sightline noise boxes, 5 %; x", "n50": "sightline noise boxes, 50 %; x"}
    for name, numbers in (("a", A), ("b", B)):
        sources = {"n5": numbers["val"], "n50": [[90, 1, 1], [1, 1, 1]]}
        made = record(name, **numbers | {"pseudo": sources}, **{})
        made = replace(made, facts={**made.facts, "pseudo": noise})
        written(made, tmp_path / "runs" / name)
    assert sightline("select", tmp_path / "runs", "--out", tmp_path / "out").code == 0
    with (tmp_path / "out" / "noise.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["level"] for line in lines] == ["0", "5", "50"]
    assert [float(line["mean"]) for line in lines] == pytest.approx([50, 50, 30])
    assert (tmp_path / "out" / "cam-vgg-pets-noise.png").is_file()


def test_a_run_with_infinite_weights_is_left_out_and_named(sightline, monkeypatch, tmp_path):
    from sightline.errors import SightlineError
    from sightline.protocol import recording

    folders = {"a": tmp_path / "runs/a", "b": tmp_path / "runs/b"}
    for folder in folders.values():
        folder.mkdir(parents=True)
        row = ResultRow({"kind": "train", "status": "converged"}, {}, ())
        rows.save(row, folder / f"train{rows.SUFFIX}")

    def recorded(root, asked):
        if root == folders["b"]:
            raise SightlineError("epoch-0001.safetensors: holds NaN or infinite values")
        written(record("a", **A), root)

    monkeypatch.setattr(recording, "record", recorded)
    answer = sightline("select", tmp_path / "runs", "--record")
    assert answer.code == 0
    assert f"left out {folders['b']}: epoch-0001.safetensors: holds NaN" in answer.out
    assert "1 configuration" in answer.out


def test_records_of_several_code_versions_are_reported(sightline, tmp_path):
    for version in ("1.0", "2.0"):
        made = replace(record(version, **A), version=version)
        written(made, tmp_path / "runs" / version)
    assert "several code versions (1.0, 2.0)" in sightline("select", tmp_path / "runs").out


def test_without_a_test_split_it_says_so(sightline, tmp_path):
    written(record("a", val=A["val"]), tmp_path / "a")
    assert "the test split was not recorded" in sightline("select", tmp_path / "a").out


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--criteria", "rpn"], "'rpn:v2' was not recorded; there are ground-truth, clip"),
        (["--criteria", "clip:40"], "'40' is none of 30, 50"),
        (["--window", 1], "--window compares 2"),
        (["--test"], "pass --record too"),
        (["--record", "--pseudo", "clip"], "write NAME=FOLDER"),
        (["--record", "--pseudo", "ground-truth=x"], "is taken"),
        (["--record"], "holds no finished run"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(sightline, runs, flags, says):
    assert says in sightline("select", runs, *flags).refusal()


def test_nothing_recorded_and_nothing_there(sightline, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "holds no record of epochs" in sightline("select", tmp_path / "empty").refusal()
    assert "no such run" in sightline("select", tmp_path / "nowhere").refusal()

"""Layouts of published tables out of rows alone, with what must be said with them."""

import time
from pathlib import Path

import numpy as np
import pytest

from sightline import published, rows
from sightline.protocol import results
from sightline.protocol.figures import ranks
from sightline.protocol.layouts import LAYOUTS, PUBLISHED, Material, between, make
from sightline.types import ResultRow

from .made import LEARNED, REPORT, SEARCHED, final, trial
from .recorded import record, written


def hits(count):
    return np.repeat(np.arange(100)[:, None] < count, 3, axis=1)


@pytest.fixture
def folder(tmp_path):
    """Write rows of four methods on two backbones of CUB, with those of their training."""
    for backbone, base in (("resnet50", 60), ("vgg-gap", 50)):
        for method, count in (("cam", base), ("has", base + 1), ("few-shot", base + 30)):
            place = tmp_path / f"{backbone}-{method}"
            labels = (LEARNED,) if method == "few-shot" else (SEARCHED,)
            known = {"method": method, "backbone": backbone, "dataset": "cub"}
            trial(place, value=1, ledger=labels, **known)
            more = {"per_delta": {"50": count}, "classification": {"top1": 70.0}, "pointing": 90.0}
            final(place, hits=hits(count), result=more, found=np.ones(100), **known)
    blind = {"method": "center-gaussian", "backbone": "", "dataset": "cub"}
    final(tmp_path / "center", hits=hits(40), **blind)
    return tmp_path


def table(folder, name):
    (made,), _ = make([name], Material([folder]))
    return made


def test_table_6_has_the_rows_of_the_paper(folder):
    made = table(folder, "000-T6")
    assert [line["method"] for line in made.lines] == [
        "cam",
        "has",
        "best WSOL",
        "few-shot",
        "center-gaussian",
    ]
    line = made.lines[1]
    assert line["cub resnet50"].startswith("+1.0 [")
    assert line["cub resnet50"].endswith("] ~")
    assert made.lines[0]["cub mean"] == "55.0"
    assert made.lines[2]["cub mean"] == "56.0"
    assert made.lines[3]["cub vgg-gap"].startswith("80.0 (+30.0 [")
    assert made.lines[4]["cub mean"].startswith("40.0 (-15.0 [")
    assert any("LABEL BUDGETS DIFFER" in note for note in made.notes)
    assert any("noise explains" in note for note in made.notes)


def test_printed_numbers_stand_beside_ours(folder):
    numbers = {(n["method"], n["backbone"]): n for n in table(folder, "000-T6").numbers}
    assert numbers["cam", "resnet50"]["printed"] == "63.0"
    assert numbers["has", "vgg-gap"]["printed"] == "+0.0"
    assert numbers["best-wsol", "mean"]["printed"] == "61.1"


def test_classification_reported_and_pointing(folder):
    made = table(folder, "000-T7")
    assert made.lines[0]["cub vgg-gap"] == "70.0"
    assert {line["method"] for line in made.lines} == {"cam", "has", "few-shot"}
    known = {(n["method"], n["backbone"]): n for n in table(folder, "000-T5").numbers}
    assert known["cam", "resnet50"]["metric"] == "gt-known-localization"
    assert known["cam", "resnet50"]["value"] == 60
    peak = table(folder, "003-T1").numbers[0]
    assert (peak["value"], peak["inside"]) == (90, "boxes")


def test_transfer_in_the_layout_of_table_3(tmp_path):
    for number, (val, test) in enumerate([(1, 10), (2, 30), (3, 20)]):
        place = tmp_path / str(number)
        trial(place, value=val, backbone="vgg-gap", dataset="cub")
        final(place, value=test, backbone="vgg-gap", dataset="cub")
    made = table(tmp_path, "000-T3")
    assert made.numbers[0]["value"] == pytest.approx(1 / 3)
    assert made.numbers[0]["printed"] == "0.926"
    assert made.lines[0]["cub vgg-gap"].startswith("0.333 [")


def test_transfer_out_of_records_of_epochs(tmp_path):
    scores = {"a": ([10, 20], [5, 30]), "b": ([30, 10], [40, 10]), "c": ([0, 40], [0, 50])}
    for name, (val, test) in scores.items():
        place = tmp_path / name
        trial(place, value=val[-1], backbone="vgg-gap", dataset="cub")
        numbers = {"val": [[v, v] for v in val], "test": [[t, t] for t in test]}
        written(record(name, **numbers, top1=[1, 2]), place)
    made = table(tmp_path, "transfer")
    assert made.numbers[0]["trials"] == 3
    assert made.numbers[0]["value"] == 1  # 20, 10, 40 and 30, 10, 50: the last epochs
    final(tmp_path / "c", value=0, backbone="vgg-gap", dataset="cub")  # a row comes first
    assert table(tmp_path, "transfer").numbers[0]["value"] == pytest.approx(-1 / 3)


def annotated(folder, stage, value, annotator="selective-search", dataset="cub"):
    """Write the row of a step of an annotator."""
    result = {
        "kind": "pseudo-annotation",
        "annotator": annotator,
        "stage": stage,
        "truth": {"dataset": dataset, "split": "val", "fingerprint": "v"},
        "value": value,
        "interval": [value - 1, value + 1],
        "images": 10,
        "without_box": 1,
    }
    ledger = (REPORT,) if stage == "upper-bound" else ()
    rows.save(ResultRow(rows.plain(result), {}, ledger), folder / f"{stage}.row.json")


def test_stages_of_pseudo_boxes_and_the_pointing_game(tmp_path):
    for stage, value in (("upper-bound", 64.0), ("pointing-game", 32.0), ("peak", 98.0)):
        annotated(tmp_path / "ss", stage, value)
    annotated(tmp_path / "clip", "otsu", 50.0, "clip")
    made = table(tmp_path, "003-T2")
    assert [line["stage"] for line in made.lines] == ["otsu", "pointing-game", "upper-bound"]
    assert made.lines[1]["cub val, selective-search"] == "32.00 [31.00, 33.00]"
    assert made.lines[1]["cub val, clip"] == "-"
    printed = {n["stage"]: n["printed"] for n in made.numbers}
    assert printed == {"otsu": "68.80", "pointing-game": "32.21", "upper-bound": "64.07"}
    assert any("selective-search: " in note and "final-report" in note for note in made.notes)
    assert "clip: no localization label" in made.notes
    assert table(tmp_path, "004-S2").numbers == made.numbers
    (peak,) = table(tmp_path, "003-T1").numbers
    assert (peak["value"], peak["printed"]) == (98, "98.70")


RECIPES = Path(__file__).parents[2] / "recipes/rows"


def test_explainers_of_the_shipped_rows():
    made = table(RECIPES, "explainers")
    row = rows.load(RECIPES / "explainers-ig-vb.row.json").result
    shown = {line["method"]: line for line in made.lines}
    assert {"cam", "gb", "ig-vb", "sg-vb", "vb"} <= set(shown)
    test = row["against"]
    wanted = f"{row['value']:.1f} ({test['difference']:+.1f} [{test['low']:+.1f}, "
    (title,) = (name for name, text in shown["ig-vb"].items() if text.startswith(wanted))
    assert title.endswith("EfficientNet-Lite0 (ImageNet)")


def test_the_choice_of_a_search_trained_in_full_is_no_trial(tmp_path):
    for number in range(3):
        trial(tmp_path / f"search/trials/{number}", value=10.0 * number)
    made = trial(tmp_path / "final", value=1.0)  # a run that is only called so
    assert made.value == 1
    rows.save(made.row, tmp_path / "search/final/train.row.json")
    assert table(tmp_path / "search", "spread").numbers[0]["trials"] == 3
    assert len(results.trainings([tmp_path])) == 4


def test_rows_of_an_older_plan_are_the_same_configurations(tmp_path):
    for number, rate in enumerate((0.1, 0.2)):
        trial(tmp_path / f"old/{number}", value=number, lr=rate)
        made = trial(tmp_path / f"new/{number}", value=number, lr=rate)
        plan = {**made.row.result["plan"], "momentum": 0.9}  # which is its default
        result = {**made.row.result, "plan": plan}
        rows.save(ResultRow(result, {}, ()), made.file)
    (tau,) = between(Material([tmp_path / "old"]), Material([tmp_path / "new"])).numbers
    assert tau["trials"] == 2


def test_spread_is_drawn_with_what_diverged(tmp_path):
    for number in range(6):
        status = "diverged" if number == 5 else "converged"
        trial(tmp_path / str(number), value=10.0 * number, status=status)
    made = table(tmp_path, "spread")
    assert made.lines[0]["not_converged"] == "1"
    drawn = made.draw(tmp_path / "spread.png")
    assert drawn.stat().st_size > 5000


def test_cells_and_selection(tmp_path):
    numbers = {"val": [[20, 30], [40, 60]], "test": [[20, 30], [50, 45]], "top1": [90, 20]}
    written(record("a", **numbers), tmp_path / "a")
    made = table(tmp_path, "004-S4")
    keys = set(published.table("004-S4").columns) - {"reading", "printed"}
    assert keys <= set(made.numbers[0])
    assert [line["select"] for line in made.lines] == ["BT-TT", "BT-VT", "BV-TT", "BV-VT"]
    assert made.lines[2]["test labels chose"] == "threshold"
    assert table(tmp_path, "003-T3").numbers[0]["criterion"] == "class-accuracy"


def test_printed_cells_are_found_by_their_criterion_and_never_guessed(tmp_path):
    numbers = {"val": [[20, 30], [40, 60]], "test": [[20, 30], [50, 45]], "top1": [90, 20]}
    facts = {"backbone": "resnet50", "dataset": "cub"}
    written(record("a", **numbers, **facts), tmp_path / "a")
    found = {
        (n["criterion"], n["configuration"], n["threshold"], n["iou"]): n["printed"]
        for n in table(tmp_path, "004-S4").numbers
    }
    assert found["class-accuracy", "validation", "test", "0.5"] == "29.37"
    assert found["ground-truth:v2", "validation", "validation", "0.5"] == "69.20"
    assert found["ground-truth:v2", "test", "test", "iou"] == ""
    picks = {n["criterion"]: n["printed"] for n in table(tmp_path, "003-T3").numbers}
    assert picks == {"class-accuracy": "66.98", "ground-truth:v2": "70.40"}


def test_box_accuracy_and_raw_iou_stand_side_by_side(tmp_path):
    """Two methods on two data sets, a configuration that validation and test disagree on."""
    numbers = {"val": [[20, 30], [40, 60]], "test": [[20, 30], [50, 45]], "top1": [90, 20]}
    other = {"val": [[20, 30], [40, 55]], "test": [[20, 30], [50, 70]], "top1": [80, 20]}
    names = [("ts-cam", "deit-small", "cub"), ("ts-cam", "deit-small", "ilsvrc")]
    names += [("cam", "resnet50", "cub")]
    for place, (method, backbone, dataset) in enumerate(names):
        facts = {"method": method, "backbone": backbone, "dataset": dataset}
        for name, values in (("a", numbers), ("b", other)):
            pseudo = {"clip": values["val"]}
            made = record(name, **values, **facts, pseudo=pseudo)
            written(made, tmp_path / f"{place}{name}")
    made = table(tmp_path, "004-S3")
    keys = set(published.table("004-S3").columns) - {"printed"}
    assert keys <= set(made.numbers[0])
    shown = [(line["method"], line["configuration"]) for line in made.lines]
    assert shown == [(m, c) for m in ("cam", "ts-cam") for c in ("validation", "test")]
    validation, test = made.lines[2:]
    assert validation["cub max-box-acc ground-truth:50"] == "50.00"  # a, the best of validation
    assert test["cub max-box-acc ground-truth:50"] == "70.00"  # b
    assert validation["ilsvrc iou clip:50"] == "25.00"
    assert made.lines[0]["ilsvrc iou clip:50"] == "-"
    found = {
        (n["dataset"], n["metric"], n["criterion"]): n["printed"]
        for n in made.numbers
        if (n["method"], n["configuration"]) == ("ts-cam", "validation")
    }
    assert found["cub", "max-box-acc", "ground-truth:50"] == "90.19"
    assert found["cub", "iou", "clip:50"] == "69.95"
    assert found["ilsvrc", "iou", "class-accuracy"] == "53.67"


def test_every_published_name_is_one_and_has_a_layout():
    names = set(published.tables()["name"])
    assert set(PUBLISHED) <= names
    assert set(PUBLISHED.values()) <= set(LAYOUTS)


def test_without_names_what_can_be_made_is_and_the_rest_is_named(folder):
    made, lacking = make([], Material([folder]))
    assert {m.name for m in made} >= {"comparison", "classification", "reported", "pointing"}
    assert any(line.startswith("cells: the rows hold no records of epochs") for line in lacking)


def test_the_command_writes_a_page_csv_and_latex(sightline, folder, tmp_path):
    out = tmp_path / "out"
    said = sightline("report", folder, "--out", out, "--latex")
    assert said.code == 0
    assert "not made:" in said.out
    page = (out / "index.html").read_text()
    assert '<section id="comparison"' in page
    assert "LABEL BUDGETS DIFFER" in page
    assert r"\toprule" in (out / "comparison.tex").read_text()
    assert "$\\sim$" in (out / "comparison.tex").read_text()
    assert (out / "comparison.csv").read_text().startswith("method,dataset,backbone,kind,value")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--tables", "000-T99"], "there is no table '000-T99'"),
        (["--tables", "cells"], "hold no records of epochs"),
        (["--tables", "comparison", "--against", "spg"], "no result of 'spg'"),
        (["--latex"], "--latex needs --out"),
        (["--full", "nowhere"], "no such row"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(sightline, folder, flags, says):
    assert says in sightline("report", folder, *flags).refusal()


def test_proxy_against_full(sightline, tmp_path):
    for number, (proxy, full) in enumerate([(1, 10), (2, 20), (3, 30)]):
        trial(tmp_path / "proxy" / str(number), value=proxy, lr=number)
        trial(tmp_path / "full" / str(number), value=full, lr=number)
    words = ["report", tmp_path / "proxy", "--full", tmp_path / "full", "--json", "-"]
    assert sightline(*words).json["tables"]["proxy"]["numbers"][0]["value"] == 1


@pytest.mark.long
def test_ten_thousand_rows_load_and_tabulate_in_two_seconds(tmp_path):
    """On a machine that does nothing else; twice that passes, in time of the processor."""
    row = ResultRow(
        {
            "protocol": {"name": "p"},
            "truth": {"dataset": "d", "split": "val", "fingerprint": "f"},
            "metric": "m",
            "value": 1.0,
            "maps": "folder",
        }
    )
    rows.save(row, tmp_path / f"0{rows.SUFFIX}")
    text = (tmp_path / f"0{rows.SUFFIX}").read_text()
    for i in range(1, 10_000):
        (tmp_path / f"{i}{rows.SUFFIX}").write_text(text)
    begun = time.process_time()
    assert len(results.read([tmp_path])) == 10_000
    assert time.process_time() - begun < 4
    begun = time.process_time()
    assert len(rows.table([tmp_path])) == 10_000
    assert time.process_time() - begun < 4


def test_ranks_share_ties_and_figures_are_drawn(sightline, tmp_path):
    pytest.importorskip("matplotlib")
    assert ranks([3, 5, 3, 1]).tolist() == [2.5, 1, 2.5, 4]
    for number, (proxy, full) in enumerate([(1, 10), (2, 20), (3, 30)]):
        trial(tmp_path / "proxy" / str(number), value=proxy, lr=number)
        trial(tmp_path / "full" / str(number), value=full, lr=number)
    words = ["report", tmp_path / "proxy", "--full", tmp_path / "full", "--out", tmp_path / "out"]
    assert sightline(*words).code == 0
    assert (tmp_path / "out" / "proxy.png").stat().st_size > 3000
    assert 'src="proxy.png"' in (tmp_path / "out" / "index.html").read_text()

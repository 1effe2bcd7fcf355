"""`sightline demo`: from nothing to numbers."""

import re

import cv2
import pandas as pd
import pytest

from sightline import rows
from sightline.cli import demo_stages

SMALL = ("--images", "60", "--size", "48", "--epochs", "0")


def loaded(out, name, metric):
    results = [rows.load(file).result for file in rows.find([out / "rows" / name])]
    return next(result for result in results if result["metric"] == metric)


def test_pond_is_made_shown_scored_compared_and_drawn(sightline, tmp_path):
    out = tmp_path / "demo"
    answer = sightline("demo", "--out", out, *SMALL)
    assert (answer.code, answer.err) == (0, "")
    for text in ("MaxBoxAccV2", "PxAP", "center-gaussian", "seconds", "nothing of real images"):
        assert text in answer.out
    assert all(title in answer.out for title, _ in demo_stages.STAGES)
    table = rows.table([out / "rows"])
    assert len(table) == 6
    assert (table["images"] == 12).all()
    assert "center-gaussian" in (out / "report/index.html").read_text()
    for name in ("pond.png", "sheet.png"):
        assert cv2.imread(str(out / name)) is not None


def test_methods_are_trained_localized_and_compared(sightline, tmp_path):
    out = tmp_path / "demo"
    answer = sightline("demo", "--out", out, *SMALL[:-1], "1")
    assert "few-shot learned from 6 masks of 6 images" in answer.out
    assert "cam learned from classes alone" in answer.out
    assert len(rows.table([out / "rows"])) == 10 + 2 * 6 + 2
    for level in ("species", "groups"):  # cam knows species
        assert re.search(rf"{level} +CDS +0\.\d{{3}} ", answer.out), answer.out
    compared = loaded(out, "explainers", "PxAP")  # files come in order of their names
    assert compared["maps"] == "explainer:cam"
    page = (out / "report/index.html").read_text()
    assert "Explainers of the same networks against cam" in page
    assert page.count("ig-vb") > 1
    assert "CDS by content" in page
    against = loaded(out, "cam", "PxAP")["against"]
    assert against["maps"] == "baseline:center-gaussian"
    page = (out / "report/index.html").read_text()
    for name in (*demo_stages.TABLES, *demo_stages.SEARCHED):
        assert f"id='{name}'" in page or f'id="{name}"' in page, name
    trials = list((out / "search/trials").glob("*/train.row.json"))
    assert len(trials) == demo_stages.TRIALS
    chosen = pd.read_csv(out / "report/selection.csv")
    assert set(chosen["criterion"]) >= {"class-accuracy", "ground-truth:v2", "noisy-50:v2"}
    again = sightline("demo", "--out", out, *SMALL[:-1], "1")  # goes on from what was made
    assert again.out.partition("stage")[0] == answer.out.partition("stage")[0]


def test_maps_of_objects_beat_maps_of_telling_parts_and_the_baseline(sightline, tmp_path):
    sightline("demo", "--out", tmp_path / "demo", *SMALL)
    table = rows.table([tmp_path / "demo/rows"])
    for metric in ("MaxBoxAccV2", "PxAP"):
        values = table[table["metric"] == metric]["value"]
        assert values.idxmax() in table.index[table["file"].str.contains("object")]


def test_what_was_made_can_be_scored_by_the_other_commands(sightline, tmp_path):
    out = tmp_path / "demo"
    sightline("demo", "--out", out, *SMALL)
    places = out / "maps/object", out / "pond"
    result = sightline("evaluate", *places, "--split", "test", "--json", "-").json
    printed = loaded(out, "object", "MaxBoxAccV2")
    assert result["value"] == printed["value"]
    assert sightline("data", "check", out / "pond", "--split", "test").code == 0


def test_a_demo_is_the_same_for_the_same_seed(sightline, tmp_path):
    tables = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        sightline("demo", "--out", tmp_path / name, *SMALL, "--seed", seed)
        table = rows.table([tmp_path / name / "rows"]).drop(columns="file")
        tables.append(table.sort_values(["maps", "protocol.name"], ignore_index=True))
    pd.testing.assert_frame_equal(tables[0], tables[1], check_like=True)  # files are found by hash
    assert not tables[0]["truth.fingerprint"].equals(tables[2]["truth.fingerprint"])


def test_a_demo_that_is_stopped_says_how_to_go_on(sightline, tmp_path, monkeypatch):
    def stop(story):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_stages, "STAGES", (("stop", stop),))
    assert "the same command" in sightline("demo", "--out", tmp_path / "x").refusal()


@pytest.mark.parametrize(
    "flags", [("--images", "0"), ("--images", "15"), ("--seed", "-1"), ("--epochs", "-1")]
)
def test_a_demo_of_nothing_is_wrong_usage(flags, sightline, tmp_path):
    answer = sightline("demo", "--out", tmp_path / "x", *flags)
    answer.refusal()
    assert answer.code == 2

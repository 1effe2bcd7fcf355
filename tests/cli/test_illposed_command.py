"""`sightline illposed`: the laboratory's table, row and figure, and refusals."""

import cv2
import numpy as np
import pytest

from sightline import rows
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.truth import read_truth

SMALL = "pond:group=frog,size=48,images=40,scale=0.8"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_HOME", str(tmp_path / "home"))


def test_a_sweep_is_a_table_a_row_and_a_figure(sightline, tmp_path):
    out = tmp_path / "lab"
    found = sightline("illposed", SMALL, "--homes", 0.2, 0.95, "--remedies", "--out", out)
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].split()[:3] == ["p(home|class)", "alike", "ratio"]
    assert [line.split()[0] for line in lines[1:3]] == ["0.2", "0.95"]
    row = rows.load(out / "illposed.row.json")
    assert [point["home"] for point in row.result["points"]] == [0.2, 0.95]
    assert list(row.result["remedies"]) == [
        "rare cue",
        "more of it",
        "as it is",
        "background images",
    ]
    assert row.result["points"][0]["cam"] is None
    assert (out / "illposed.png").stat().st_size > 5000


def test_a_report_makes_its_table_and_figure_of_the_row(sightline, tmp_path):
    out = tmp_path / "lab"
    assert sightline("illposed", SMALL, "--homes", 0.5, 0.9, "--out", out).code == 0
    found = sightline("report", out, "--tables", "illposed", "--out", tmp_path / "report")
    assert found.code == 0, found.err
    assert "Posterior ratio and pixel accuracy" in found.out
    assert (tmp_path / "report" / "illposed.csv").is_file()


def test_maps_of_cues_beside_masks(sightline, scene, tmp_path):
    scene.add_masks()
    truth = read_truth(scene.truth, split="val", masks=scene.masks)
    masks, cues = truth.masks("study", Ledger()), tmp_path / "cues"
    for item, name in enumerate(truth.split.images):
        file = (cues / name).with_suffix(".png")
        file.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(file), 2 - (read_mask(masks, item, None) == 1).astype(np.uint8))
    (cues / "cues.csv").write_text("cue,value\nobject,1\nrest,2\n")
    words = ["illposed", scene.truth, "--split", "val", "--masks", scene.masks, "--cues", cues]
    found = sightline(*words, "--json", "-")
    assert found.code == 0, found.err
    assert found.json["strayed"] == 0
    assert found.json["classes"]
    for line in found.json["classes"]:
        assert (line["weakest"], line["strongest"]) == ("object", "rest")
        assert (line["px_acc"] == 100) == (line["ratio"] > 1)
    shown = sightline(*words)
    assert "0.0 % of pixels are not what most of their cue are" in shown.out
    assert "for study" in shown.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["photos"], "photos: is not Pond; name maps of its cues with --cues"),
        (["pond", "--train", 3], "--train keeps its runs; name a folder with --out"),
        (["pond", "--homes", 1.5], "--homes are probabilities, --train is a number of epochs"),
        (["pond:none=1"], "pond:none=1: pond has no 'none'"),
    ],
)
def test_what_is_refused(sightline, words, told):
    found = sightline("illposed", *words)
    assert found.code == 2
    assert told in found.err
    assert len(found.err.strip().splitlines()) == 1

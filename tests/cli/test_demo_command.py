"""`sightline demo`: from nothing to numbers."""

import cv2
import pandas as pd

from sightline import rows


def test_the_example_is_made_scored_compared_and_drawn(sightline, tmp_path):
    out = tmp_path / "example"
    answer = sightline("demo", "--out", out, "--images", "12")
    assert (answer.code, answer.err) == (0, "")
    for text in ("MaxBoxAccV2", "PxAP", "center-gaussian", "seconds", "nothing of real images"):
        assert text in answer.out
    table = rows.table([out / "rows"])
    assert len(table) == 6
    assert (table["images"] == 12).all()
    assert cv2.imread(str(out / "sheet.png")) is not None


def test_the_example_can_be_scored_by_the_other_commands(sightline, tmp_path):
    out = tmp_path / "example"
    sightline("demo", "--out", out, "--images", "8")
    places = out / "maps/object", out / "truth"
    result = sightline("evaluate", *places, "--split", "val", "--json", "-").json
    printed = rows.load(out / "rows/object-reference-v2.row.json").result
    assert result["value"] == printed["value"]
    assert sightline("data", "check", out / "truth", "--masks", out / "masks").code == 0


def test_the_example_is_the_same_for_the_same_seed(sightline, tmp_path):
    tables = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        sightline("demo", "--out", tmp_path / name, "--images", "8", "--seed", seed)
        tables.append(rows.table([tmp_path / name / "rows"]).drop(columns="file"))
    pd.testing.assert_frame_equal(tables[0], tables[1])
    assert not tables[0]["truth.fingerprint"].equals(tables[2]["truth.fingerprint"])


def test_a_demo_of_nothing_is_wrong_usage(sightline, tmp_path):
    for flags in (("--images", "0"), ("--images", "-3"), ("--seed", "-1")):
        answer = sightline("demo", "--out", tmp_path / "x", *flags)
        answer.refusal()
        assert answer.code == 2

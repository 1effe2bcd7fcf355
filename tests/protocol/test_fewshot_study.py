"""`sightline fewshot` on a tiny data set: the same draws for both, nothing done twice."""

import numpy as np
import pytest

from sightline import rows
from sightline.errors import UsageError
from sightline.protocol.fewshot_study import drawn


def test_draws_are_of_each_class_and_nested():
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    one, two = drawn(labels, 1, 0, 0), drawn(labels, 2, 0, 0)
    assert labels[two].tolist() == [0, 0, 1, 1]
    assert set(one) < set(two)
    assert any(drawn(labels, 1, 0, draw) != one for draw in range(1, 6))
    with pytest.raises(UsageError, match="class 1 has 3 images on validation, not 4"):
        drawn(labels, 4, 0, 0)


@pytest.fixture
def words(runs, photographs, tmp_path):
    found = ["fewshot", "--runs", runs, "--data", photographs, "--out", tmp_path / "out"]
    found += ["--per-class", 1, 2, "--draws", 2, "--epochs", 1, "--size", 32, "--batch", 4]
    return [*found, "--threads", 1]


def test_the_curve_has_both_methods_and_the_center(sightline, words, tmp_path):
    found = sightline(*words, "--json", "-").json
    lines = {(line["method"], line["per_class"]): line for line in found["curve"]}
    assert set(lines) == {(m, k) for m in ("cam", "few-shot") for k in (0, 1, 2)}
    assert lines["few-shot", 0]["mean"] == found["center"]
    assert lines["cam", 0]["draws"] == 2
    assert lines["few-shot", 2]["draws"] == 2
    tests = [rows.load(f) for f in sorted((tmp_path / "out/cam").rglob("test.row.json"))]
    values = [row.result["value"] for row in tests]
    assert lines["cam", 0]["mean"] == pytest.approx(np.mean(values))
    assert lines["cam", 1]["mean"] >= min(values) - 1e-9
    used = {(e["split"], e["purpose"]) for e in found["ledger"]}
    opened = {("val", "study"), ("val", "training"), ("test", "study")}
    assert used == opened | {("val", "hyperparameters")}  # of the runs: they were evaluated


def test_what_is_done_is_not_done_again(sightline, words, tmp_path):
    assert sightline(*words).code == 0
    kept = {f: f.stat().st_mtime_ns for f in (tmp_path / "out/few-shot").rglob("*.row.json")}
    first = rows.result_hash(rows.load(tmp_path / "out/fewshot.row.json"))
    assert sightline(*words).code == 0
    assert kept == {f: f.stat().st_mtime_ns for f in kept}
    assert rows.result_hash(rows.load(tmp_path / "out/fewshot.row.json")) == first


def test_another_protocol_is_measured_anew(sightline, words):
    boxes = sightline(*words, "--json", "-").json
    masks = sightline(*words, "--protocol", "pixels", "--json", "-").json
    assert (boxes["protocol"]["name"], masks["protocol"]["name"]) == ("reference-v2", "pixels")
    assert boxes["curve"][0]["mean"] != masks["curve"][0]["mean"]


def test_rates_are_chosen_on_a_part_of_the_labels(sightline, words, tmp_path):
    words = [*words, "--lr", 0.001, 0.1, "--per-class", 2, "--draws", 1]
    assert sightline(*words).code == 0
    root = tmp_path / "out/few-shot/002-0"
    tried = [rows.load(root / f"rate-{i}/train.row.json").result for i in (0, 1)]
    best = max(tried, key=lambda result: result["value"])
    assert rows.load(root / "run/train.row.json").result["plan"]["lr"] == best["plan"]["lr"]
    assert {r["train"]["images"] + r["truth"]["images"] for r in tried} == {
        rows.load(root / "run/train.row.json").result["train"]["images"]
    }


def test_no_trial_of_cam_is_said(sightline, words, tmp_path):
    (tmp_path / "none").mkdir()
    words[2] = tmp_path / "none"
    assert "none of 0 trials of cam converged" in sightline(*words).refusal()
    words[2] = tmp_path / "nowhere"
    assert "no such folder of trials" in sightline(*words).refusal()
    assert "are needed" in sightline("fewshot").refusal()

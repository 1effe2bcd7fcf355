"""Comparison by hand: differences, means, Holm, what noise explains, and what labels went in."""

import numpy as np
import pytest

from sightline.errors import UsageError
from sightline.metrics.statistics import holm, mean_of, paired_draws, paired_test
from sightline.protocol import audit
from sightline.protocol.cells import best_wsol
from sightline.protocol.comparison import class_accuracy, compare

from .made import LEARNED, REPORT, SEARCHED, evidence, final, trial

N = 100


def hits(count):
    """Let the first images hit at all three levels."""
    return np.repeat(np.arange(N)[:, None] < count, 3, axis=1)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []
    assert holm([0.02, 0.02]) == pytest.approx([0.04, 0.04])


def test_draws_are_those_of_the_paired_test_and_average_draw_by_draw():
    first, second, third = (evidence(hits(n))[1] for n in (60, 50, 40))
    one, two = paired_draws(first, second, seed=3), paired_draws(third, second, seed=3)
    assert paired_test(first, second, seed=3).difference == one.observed
    both = mean_of([one, two])
    assert both.observed == pytest.approx(0)
    assert both.spread == pytest.approx((one.spread + two.spread) / 2)
    assert both.exchanged == pytest.approx((one.exchanged + two.exchanged) / 2)


@pytest.fixture
def made(tmp_path):
    """CAM on two backbones, a better, an equal and a worse method, few-shot and center."""
    found = []
    for backbone, base in (("large", 60), ("small", 50)):
        for method, more in (("cam", 0), ("good", 15), ("same", 1), ("bad", -20), ("taught", 30)):
            folder = tmp_path / backbone / method
            labels = (LEARNED,) if method == "taught" else (SEARCHED,)
            trial(folder, value=1, method=method, backbone=backbone, ledger=labels)
            numbers = hits(base + more)
            found.append(final(folder, method=method, backbone=backbone, hits=numbers))
    blind = {"method": "center-gaussian", "backbone": "", "hits": hits(45)}
    found.append(final(tmp_path / "center", **blind))
    return found


def test_differences_to_cam_with_their_verdicts(made):
    table = compare(made)
    verdicts = {
        (e.method, e.backbone): e.verdict for e in table.entries if e.backbone in ("small", "large")
    }
    for backbone in ("small", "large"):
        assert verdicts["good", backbone] == "better"
        assert verdicts["bad", backbone] == "worse"
        assert verdicts["same", backbone] == "noise"
        assert verdicts["cam", backbone] == ""
    same = table.entry("same", "pets", "small")
    assert same.difference == pytest.approx(1)
    assert same.low <= 1 <= same.high
    assert same.adjusted >= same.p_value
    good = table.entry("good", "pets", "small")
    assert good.low > 0
    assert good.p_value <= good.adjusted < 0.05


def test_means_over_backbones(made):
    table = compare(made)
    assert table.entry("cam", "pets", "mean").value == 55
    mean = table.entry("good", "pets", "mean")
    assert (mean.value, mean.difference) == (pytest.approx(70), pytest.approx(15))
    assert mean.low < 15 < mean.high
    assert mean.verdict == "better"
    assert table.entry("center-gaussian", "pets", "mean").value == 45


def test_kinds_are_told_by_what_was_learned_from(made):
    table = compare(made)
    assert set(table.methods("wsol")) == {"cam", "good", "same", "bad"}
    assert table.methods("few-shot") == ["taught"]
    assert table.methods("baseline") == ["center-gaussian"]


def test_the_best_wsol_in_both_readings(tmp_path):
    values = {"cam": (60, 50), "odd": (50, 58), "even": (57, 55)}
    found = [
        final(tmp_path / method / b, method=method, backbone=b, hits=hits(n))
        for method, numbers in values.items()
        for b, n in zip(("a", "b"), numbers, strict=True)
    ]
    lines = {line["backbone"]: line for line in best_wsol(compare(found))}
    assert (lines["a"]["value"], lines["a"]["is"]) == (60, "cam")
    assert (round(lines["b"]["value"], 6), lines["b"]["is"]) == (58, "odd")
    assert (round(lines["mean"]["value"], 6), lines["mean"]["is"]) == (56, "even")
    assert lines["mean"]["mean_of_best"] == pytest.approx(59)


def test_the_mean_over_data_sets_weighs_each_alike(tmp_path):
    numbers = {("pets", "a"): 60, ("pets", "b"): 40, ("cub", "a"): 80}
    found = [
        final(tmp_path / f"{d}{b}{m}", method=m, dataset=d, backbone=b, hits=hits(n + more))
        for (d, b), n in numbers.items()
        for m, more in (("cam", 0), ("new", 10))
    ]
    table = compare(found)
    assert table.entry("cam", "all", "mean").value == pytest.approx((50 + 80) / 2)
    assert table.entry("new", "all", "mean").difference == pytest.approx(10)


def test_resamples_suffice_for_the_correction(made):
    note = compare(made, resamples=10).notes[0]
    assert "from 1000 resamples" in note  # 100 for each of 10 differences
    assert "over 10 differences" in note


def test_a_result_without_evidence_is_not_tested_and_named(tmp_path):
    found = [
        final(tmp_path / "cam", hits=hits(50)),
        final(tmp_path / "new", method="new", value=60.0),
    ]
    table = compare(found)
    entry = table.entry("new", "pets", "small")
    assert (entry.difference, entry.low, entry.verdict) == (10, None, "not tested")
    assert any("of new keeps no evidence" in note for note in table.notes)


def test_only_images_that_both_have_are_compared(tmp_path):
    short = hits(50)[:80]
    found = [
        final(tmp_path / "cam", hits=hits(50)),
        final(tmp_path / "new", method="new", hits=short),
    ]
    entry = compare(found).entry("new", "pets", "small")
    assert entry.low == 0 == entry.high
    assert entry.p_value == 1


def test_of_several_runs_the_best_on_validation_stands(tmp_path):
    found = []
    for name, val, test in (("a", 50, 70), ("b", 60, 40)):
        trial(tmp_path / name, value=val)
        found.append(final(tmp_path / name, hits=hits(test)))
    assert compare(found).entry("cam", "pets", "small").value == 40
    with pytest.raises(UsageError, match="no validation score to choose by"):
        compare([*found, final(tmp_path / "c", hits=hits(1))])


def test_classification_beside_it(tmp_path):
    found = []
    for method, count in (("cam", 50), ("new", 90)):
        right = (np.arange(N) < count).astype(float)
        more = {"hits": hits(50), "found": right, "result": {"top1_classification": float(count)}}
        found.append(final(tmp_path / method, method=method, **more))
    entry = compare(found, metric="classification").entry("new", "pets", "small")
    assert (entry.value, entry.difference, entry.verdict) == (90, 40, "better")
    assert class_accuracy(found[0]) == 50
    with pytest.raises(UsageError, match="no result has a classification"):
        compare([final(tmp_path / "x", hits=hits(1))], metric="classification")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"protocol": {"name": "exact"}}, "results of several protocols"),
        (
            {"result": {"truth": {"dataset": "pets", "split": "val", "fingerprint": "t-pets"}}},
            "splits",
        ),
    ],
)
def test_different_rulers_make_no_table(tmp_path, change, says):
    found = [
        final(tmp_path / "a", value=1.0),
        final(tmp_path / "b", value=1.0, method="b", **change),
    ]
    with pytest.raises(UsageError, match=says):
        compare(found)


def test_boxes_and_masks_of_one_data_set_stand_side_by_side(tmp_path):
    found = []
    for method, boxes, masks in (("cam", 50, 30), ("new", 60, 35)):
        found.append(final(tmp_path / method, method=method, hits=hits(boxes)))
        more = {"metric": "PxAP", "value": float(masks), "protocol": {"name": "pixels"}}
        found.append(final(tmp_path / method, method=method, name="final-pixels", **more))
    table = compare(found)
    assert {(e.method, e.dataset, e.value) for e in table.entries if e.backbone == "small"} == {
        ("cam", "pets MaxBoxAccV2", 50),
        ("cam", "pets PxAP", 30),
        ("new", "pets MaxBoxAccV2", 60),
        ("new", "pets PxAP", 35),
    }


def test_cam_must_be_there(tmp_path):
    with pytest.raises(UsageError, match="no result of 'cam' to compare with; there are new"):
        compare([final(tmp_path / "a", value=1.0, method="new")])


def test_the_ledger_tells_budgets_apart(made):
    lines = audit.notes(made)
    assert any("32 boxes of pets, val (1 to 2 images a class), training" in line for line in lines)
    assert any(line.startswith("center-gaussian: no localization labels") for line in lines)
    assert any("LABEL BUDGETS DIFFER" in line for line in lines)
    assert any("test split of pets was opened for 0 distinct" in line for line in lines)


def test_equal_budgets_pass_without_a_word(tmp_path):
    found = []
    for method in ("cam", "new"):
        trial(tmp_path / method, value=1, method=method)
        found.append(final(tmp_path / method, value=1.0, method=method))
    assert not any("DIFFER" in line for line in audit.notes(found))
    few = (LEARNED, SEARCHED.__class__("pets", "val", "hyperparameters", "boxes", 8, 8, (0, 1)))
    trial(tmp_path / "few", value=1, method="few", ledger=few)
    found.append(final(tmp_path / "few", value=1.0, method="few"))
    assert not any("DIFFER" in line for line in audit.notes(found))  # 32 learned from, 8 held out


def test_force_and_code_versions_are_told(tmp_path):
    forced = REPORT.__class__("pets", "test", "hyperparameters", "boxes", 9, 9, (1, 1), True)
    found = [
        final(tmp_path / "a", value=1.0, ledger=(forced,)),
        final(tmp_path / "b", value=1.0, method="b", version="2"),
    ]
    lines = audit.notes(found)
    assert any("with --force, by cam (small)" in line for line in lines)
    assert "made by several code versions: 1, 2" in lines

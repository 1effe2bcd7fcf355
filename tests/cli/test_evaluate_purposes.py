"""What labels are used for, and the log of opened test splits."""

import pytest


def test_test_labels_are_for_the_report_or_a_study_alone(scene, sightline):
    flags = ("evaluate", scene.maps, scene.truth, "--split", "test", "--purpose")
    for purpose in ("threshold", "hyperparameters", "model-selection", "training"):
        answer = sightline(*flags, purpose)
        assert answer.code == 2
        assert purpose in answer.refusal()
        assert "--force" in answer.err
    for purpose in ("final-report", "study"):
        entry = sightline(*flags, purpose, "--json", "-").json["ledger"]["entries"][0]
        assert (entry["purpose"], entry["forced"]) == (purpose, False)


def test_force_is_recorded(scene, sightline):
    flags = ("evaluate", scene.maps, scene.truth, "--split", "test", "--purpose", "threshold")
    result = sightline(*flags, "--force", "--json", "-").json
    assert result["ledger"]["entries"][0]["forced"] is True
    assert "(forced)" in sightline(*flags, "--force").out


def test_force_where_nothing_is_forbidden_changes_nothing(evaluate):
    entry = evaluate("--split", "val", "--purpose", "threshold", "--force")["ledger"]["entries"][0]
    assert entry["forced"] is False


def test_openings_of_a_test_split_are_counted_by_distinct_result(scene, sightline, openings_log):
    def opened(*flags):
        result = sightline(
            "evaluate", scene.maps, scene.truth, "--split", "test", *flags, "--json", "-"
        ).json
        return result["ledger"]["results_on_this_truth"]

    assert [opened(), opened(), opened("--protocol", "exact"), opened()] == [1, 1, 2, 2]
    assert len(openings_log.read_text().splitlines()) == 2


@pytest.mark.parametrize("damage", [b"\xff\xfe\n", b"{\n", b"5\n", b"[]\n", b'{"truth": '])
def test_a_damaged_log_of_openings_withholds_no_score(scene, evaluate, openings_log, damage):
    openings_log.parent.mkdir(parents=True, exist_ok=True)
    openings_log.write_bytes(damage)
    assert evaluate()["images"] == 6
    assert evaluate()["ledger"]["results_on_this_truth"] == 1


def test_a_log_that_cannot_be_written_withholds_no_score(evaluate, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_HOME", "/proc/nowhere/log")
    assert evaluate()["images"] == 6

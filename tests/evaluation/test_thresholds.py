"""Thresholds from elsewhere bring the labels that chose them along."""

import pytest

from sightline.errors import UsageError
from sightline.evaluation.thresholds import labels_behind
from sightline.types import LedgerEntry, ResultRow


def row(split: str, purpose: str = "final-report") -> ResultRow:
    entry = LedgerEntry("set", split, purpose, "boxes", 10, 12, (1, 3))
    return ResultRow({"threshold": {"50": 0.3}}, ledger=(entry,))


def test_labels_of_another_split_are_recorded_for_the_threshold() -> None:
    (entry,) = labels_behind(row("val"))
    assert (entry.purpose, entry.split, entry.labels, entry.forced) == (
        "threshold",
        "val",
        12,
        False,
    )


def test_a_threshold_chosen_on_the_test_split_is_refused() -> None:
    with pytest.raises(UsageError, match="chosen with test labels"):
        labels_behind(row("test"))


def test_forcing_is_recorded() -> None:
    (entry,) = labels_behind(row("test"), force=True)
    assert (entry.purpose, entry.forced) == ("threshold", True)


def test_a_number_brings_no_labels() -> None:
    assert labels_behind(0.3) == []
    assert labels_behind(None) == []

"""The ledger, and what splits are called."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from sightline import rows
from sightline.data.ledger import Ledger, as_text
from sightline.data.splits import asked, canonical, drawn, is_test
from sightline.data.truth import read_truth
from sightline.errors import UsageError
from sightline.types import ResultRow, Split


def split_of(name: str, labels: list[int]) -> Split:
    ids = tuple(f"{i}.jpg" for i in range(len(labels)))
    return Split("birds", name, ids, ids, np.array(labels), np.zeros((len(labels), 2), np.int64))


def folder(root: Path, name: str) -> Path:
    inner = root / name
    inner.mkdir(parents=True)
    (inner / "image_ids.txt").write_text("a.jpg\nb.jpg")
    (inner / "class_labels.txt").write_text("a.jpg,0\nb.jpg,1")
    (inner / "image_sizes.txt").write_text("a.jpg,40,30\nb.jpg,40,30")
    (inner / "localization.txt").write_text("a.jpg,1,2,3,4\na.jpg,5,5,9,9\nb.jpg,1,1,2,2")
    return root


@pytest.mark.parametrize("purpose", ["threshold", "hyperparameters", "model-selection", "training"])
@pytest.mark.parametrize("name", ["test", "test:5:0", "testing", "Test", "test-proxy"])
def test_test_labels_are_refused_unless_forced(purpose: str, name: str) -> None:
    ledger = Ledger()
    with pytest.raises(UsageError, match=f"test labels may not be used for '{purpose}'"):
        ledger.record(split_of(name, [0, 1]), purpose, "boxes", [1, 1])
    assert ledger.entries == []
    ledger.record(split_of(name, [0, 1]), purpose, "boxes", [1, 1], force=True)
    assert ledger.entries[0].forced
    assert as_text(ledger.entries)[0].endswith(f"split {name}, for {purpose} (forced)")


@pytest.mark.parametrize("purpose", ["final-report", "study"])
def test_reports_and_studies_may_look_at_test_labels(purpose: str) -> None:
    ledger = Ledger()
    ledger.record(split_of("test", [0, 1]), purpose, "boxes", [1, 1], force=True)
    assert not ledger.entries[0].forced  # nothing had to be forced


def test_an_unknown_purpose_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown purpose 'fun'"):
        Ledger().record(split_of("val", [0]), "fun", "boxes", [1])


def test_images_and_labels_of_each_class_are_counted() -> None:
    ledger = Ledger()
    ledger.record(split_of("val", [0, 0, 0, 7]), "threshold", "boxes", [1, 4, 0, 2])
    (entry,) = ledger.entries
    assert (entry.images, entry.labels) == (4, 7)
    assert entry.per_class == (1, 3)
    assert entry.labels_per_class == (2, 5)
    assert as_text([entry]) == [
        "7 boxes of 4 images (1 to 3 images a class, 2 to 5 boxes) of birds, split val,"
        " for threshold"
    ]


def test_entries_survive_being_written(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.record(split_of("val", [0, 1]), "threshold", "boxes", [1, 3])
    stored = json.loads(json.dumps(asdict(ledger.entries[0])))
    assert rows.ledger_entry(stored) == ledger.entries[0]
    del stored["labels_per_class"]  # as rows of an older version have it
    assert rows.ledger_entry(stored).labels_per_class == (0, 0)
    assert ResultRow({}, ledger=tuple(ledger.entries)).ledger == tuple(ledger.entries)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("train-weaksup", "train"),
        ("Train", "train"),
        ("train-fullsup", "val"),
        ("validation", "val"),
        ("testing", "test"),
        ("mine", "mine"),
        ("", ""),
    ],
)
def test_names_of_a_split(name: str, expected: str) -> None:
    assert canonical(name) == expected
    assert asked(name).label == (expected or "unknown")


def test_names_of_parts_of_splits() -> None:
    assert asked("train-fullsup:6").label == "val:6:0"
    assert asked("val:6:3").label == "val:6:3"
    assert asked("train-weaksup-proxy").label == "train-proxy"
    assert is_test("test:3:1")
    assert not is_test("val:3:1")
    for wrong in ("val:", "val:0", "val:x", "val:3:x", "val:3:4:5", "val:-1"):
        with pytest.raises(UsageError, match="is not NAME, NAME:IMAGES or NAME:IMAGES:SEED"):
            asked(wrong)


def test_one_folder_is_one_split_under_all_its_names(tmp_path: Path) -> None:
    for kept, other in (("train-fullsup", "val"), ("test", "testing")):
        root = folder(tmp_path / kept, kept)
        for name in (kept, other):
            truth = read_truth(root, split=name)
            assert truth.split.name == canonical(kept)
            assert truth.fingerprint == read_truth(root / kept).fingerprint


def test_a_bare_folder_is_an_unknown_split(tmp_path: Path) -> None:
    root = folder(tmp_path, "test")
    assert read_truth(root / "test").split.name == "unknown"


def test_a_few_test_labels_are_test_labels(tmp_path: Path) -> None:
    truth = read_truth(folder(tmp_path, "test"), split="test:1")
    assert truth.split.name == "test:1:0"
    with pytest.raises(UsageError, match="may not be used for 'threshold'"):
        truth.boxes("threshold", Ledger())
    ledger = Ledger()
    truth.boxes("study", ledger)
    assert (ledger.entries[0].images, ledger.entries[0].labels_per_class) == (2, (1, 2))


def test_draws_are_nested_and_follow_from_seed_and_names() -> None:
    split = split_of("val", [0] * 20 + [1] * 20 + [2] * 2)
    three, six = (set(drawn(split, count, 4)) for count in (3, 6))
    assert three < six
    assert len(three) == 3 + 3 + 2
    assert len(six) == 6 + 6 + 2
    assert drawn(split, 3, 4) == sorted(three)
    assert set(drawn(split, 3, 5)) != three

"""What is recorded of a run is what its training measured, and what each source says."""

import csv
import shutil

import numpy as np
import pytest
import torch

from sightline import rows
from sightline.data.truth import read_truth
from sightline.errors import DataError, UsageError
from sightline.protocol import epochs
from sightline.protocol.criteria import parse, series
from sightline.protocol.passes import otsu_area, weight_norm
from sightline.protocol.recording import Recording, record

QUIET = Recording(show_progress=False)


@pytest.fixture
def run(runs, tmp_path):
    return shutil.copytree(runs / "slow", tmp_path / "slow")


def metrics(run):
    with (run / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def test_it_is_what_training_measured(run):
    made = epochs.load(record(run, QUIET))
    table = metrics(run)
    assert made.epochs.tolist() == [1, 2]
    assert not made.has_test
    for name, column in (("v2", "MaxBoxAccV2"), ("50", "MaxBoxAccV2.50")):
        wanted = [float(line[column]) for line in table]
        assert series(made, parse(f"ground-truth:{name}")) == pytest.approx(wanted, abs=1e-4)
    assert series(made, parse("class-accuracy")) == pytest.approx(
        [float(line["top1"]) for line in table]
    )
    iou = [float(line["MaxBoxAccV2.mean_iou"]) for line in table]
    assert series(made, parse("ground-truth:iou")) == pytest.approx(iou, abs=1e-4)


def test_fewer_thresholds_may_be_kept(run):
    whole = epochs.load(record(run, QUIET))
    file = record(run, Recording(thresholds=100, show_progress=False))
    some = epochs.load(file)
    assert some.thresholds == pytest.approx(np.arange(100) / 100)
    for kind in ("accuracy", "overlap"):
        for where, values in getattr(whole, kind).items():
            assert (getattr(some, kind)[where] == values[..., ::10]).all()
    assert record(run, Recording(thresholds=100, show_progress=False)) == file
    with pytest.raises(UsageError, match="--thresholds: 300 does not divide 1000"):
        Recording(thresholds=300)


def test_masks_are_measured_if_asked(run):
    made = epochs.load(record(run, Recording(by="masks", show_progress=False)))
    wanted = [float(line["PxAP"]) for line in metrics(run)]
    assert made.by_masks
    assert series(made, parse("ground-truth", masks=True)) == pytest.approx(wanted, abs=1e-4)


def test_each_source_is_measured_on_its_own_and_marked(run, photographs, sightline, tmp_path):
    place = tmp_path / "noisy"
    words = ["noise", "boxes", photographs, "--out", place, "--levels", 0, 50, "--gallery", 0]
    assert sightline(*words).code == 0
    name = photographs.name
    pseudo = {f"n{level}": str(place / f"{name}-noisy-boxes-{level:02d}") for level in (0, 50)}
    made = epochs.load(record(run, Recording(pseudo=pseudo, show_progress=False)))
    truth = made.accuracy["val", "ground-truth"]
    assert (made.accuracy["val", "n0"] == truth).all()
    assert (made.accuracy["val", "n50"] != truth).any()
    assert made.facts["pseudo"]["n50"].startswith("sightline noise boxes, 50 %; manual boxes")
    assert [entry.dataset for entry in made.ledger][1:] == [
        f"{name}-noisy-boxes-00",
        f"{name}-noisy-boxes-50",
    ]


def test_the_test_split_is_opened_only_when_asked_and_logged(run, openings_log):
    made = epochs.load(record(run, QUIET))
    assert {entry.split for entry in made.ledger} == {"val"}
    assert not openings_log.exists()
    again = epochs.load(record(run, Recording(test=True, show_progress=False)))
    assert again.has_test
    assert {(e.split, e.purpose) for e in again.ledger} == {
        ("val", "model-selection"),
        ("test", "study"),
    }
    assert openings_log.read_text().count("\n") == 1
    assert (again.accuracy["val", "ground-truth"] == made.accuracy["val", "ground-truth"]).all()


def test_what_is_recorded_is_not_recorded_again_and_nothing_is_lost(run, photographs):
    file = record(run, Recording(pseudo={"same": str(photographs)}, show_progress=False))
    before = file.stat().st_mtime_ns
    assert record(run, QUIET) == file
    assert file.stat().st_mtime_ns == before
    made = epochs.load(record(run, Recording(test=True, show_progress=False)))
    assert made.sources() == ["ground-truth", "same"]


def test_another_ruler_or_other_labels_are_recorded_anew(run, photographs, tmp_path):
    boxes = epochs.load(record(run, QUIET))
    masks = epochs.load(record(run, Recording(by="masks", show_progress=False)))
    assert (boxes.by_masks, masks.by_masks) == (False, True)
    copy = shutil.copytree(photographs, tmp_path / "copy")
    asked = Recording(pseudo={"own": str(copy)}, show_progress=False)
    first = epochs.load(record(run, asked)).accuracy["val", "own"]
    lists = copy / "metadata" / "val" / "localization.txt"
    lines = [line.rsplit(",", 4)[0] + ",0,0,3,3" for line in lists.read_text().split("\n")]
    lists.write_text("\n".join(lines))
    assert (epochs.load(record(run, asked)).accuracy["val", "own"] != first).any()


def test_recording_twice_gives_the_same_result(run, photographs):
    first = rows.result_hash(rows.load(record(run, QUIET)))
    (run / "epochs.row.json").unlink()
    assert rows.result_hash(rows.load(record(run, QUIET))) == first


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda run: [f.unlink() for f in run.glob("epoch-*")], "keeps no checkpoint of every"),
        (lambda run: (run / "train.row.json").unlink(), "its training is not finished"),
    ],
)
def test_runs_that_cannot_be_recorded(run, spoil, says):
    spoil(run)
    with pytest.raises(UsageError, match=says):
        record(run, QUIET)


def test_a_missing_test_split_is_named(run, photographs, tmp_path):
    data = shutil.copytree(photographs, tmp_path / "data")
    shutil.rmtree(data / "metadata" / "test")
    config = (run / "config.json").read_text()
    (run / "config.json").write_text(config.replace(str(photographs), str(data)))
    with pytest.raises(UsageError, match="split 'test' cannot be read"):
        record(run, Recording(test=True, show_progress=False))


def test_a_record_that_was_changed_is_refused(run):
    file = record(run, QUIET)
    np.savez(run / "epochs.npz", epochs=np.array([1]))
    with pytest.raises(Exception, match="is not the file that its row describes"):
        epochs.load(file)


def test_the_norm_of_the_weights_and_the_area_of_the_box():
    layer = torch.nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight[:] = torch.tensor([[2.0, 3.0]])
        layer.bias[:] = 6.0
    assert weight_norm(layer) == pytest.approx(7)
    scores = np.zeros((10, 20))
    scores[2:6, 5:15] = 1
    scores[8, 0] = 1
    assert otsu_area(scores) == pytest.approx(40 / 200)
    assert otsu_area(np.zeros((4, 4))) == 0


def test_images_for_which_no_pseudo_box_was_found_are_left_out_of_its_mean(
    run, photographs, tmp_path
):
    place = shutil.copytree(photographs, tmp_path / "some")
    lists = place / "metadata" / "val" / "localization.txt"
    lost = read_truth(place, split="val").split.ids[0]
    for name in ("image_ids", "class_labels", "image_sizes", "localization"):
        file = lists.with_name(f"{name}.txt")
        lines = file.read_text().splitlines()
        file.write_text("\n".join(line for line in lines if not line.startswith(lost)))
    asked = Recording(pseudo={"some": str(place / "metadata")}, show_progress=False)
    with pytest.raises(DataError, match="has no place for 1 of the split's images"):
        record(run, asked)
    lists.with_name("no_box.txt").write_text(f"{lost},nothing under the peak\n")
    made = epochs.load(record(run, asked))
    assert np.isfinite(series(made, parse("some:v2"))).all()
    assert series(made, parse("some:iou")) != pytest.approx(
        series(made, parse("ground-truth:iou")), abs=1e-9
    )

"""Score maps of a run: on disk they score as in memory, and the classes are those asked for."""

import csv

import numpy as np
import pyarrow.parquet as pq
import pytest

from sightline import rows
from sightline.data import openings
from sightline.data.dataset import read_dataset
from sightline.errors import DataError, UsageError
from sightline.training import load_run, localize_run
from sightline.training.localizing import Localizing

SAID = {"show_progress": False, "workers": 0, "accelerator": "cpu"}


@pytest.fixture
def run(trained, tmp_path):
    trained(epochs=2)
    return tmp_path / "run"


@pytest.fixture
def localize(sightline, run, photographs):
    def call(*flags, split="val"):
        return sightline("localize", run, "--data", photographs, "--split", split, *flags)

    return call


def maps_in(folder):
    found = {}
    for file in sorted(folder.glob("*.parquet")):
        for row in pq.read_table(file).to_pylist():
            kind = np.dtype(row["dtype"])
            pixels = np.frombuffer(row["scores"], kind).reshape(row["height"], row["width"])
            found[row["id"]] = pixels
    return found


def test_in_memory_the_score_is_that_of_training(run, localize):
    results = localize("--evaluate", "--purpose", "study", "--json", "-").json["results"]
    metrics = rows.load(run / "train.row.json").result["metrics"]
    assert [one["metric"] for one in results] == ["MaxBoxAccV2", "PxAP"]
    for one in results:
        assert one["value"] == pytest.approx(metrics[one["metric"]], abs=1e-3)
        assert one["normalize"] == "min-max"
        assert one["run"]["sha256"] == rows.file_hash(run / "last.safetensors")
        assert one["ledger"]["entries"][0]["purpose"] == "study"
        assert one["images"] == 8


@pytest.mark.parametrize(
    ("numbers", "flags", "near"), [("float16", [], 0.2), ("uint8", ["--normalize", "max"], 1.0)]
)
def test_on_disk_the_score_is_nearly_that(
    localize, sightline, photographs, tmp_path, numbers, flags, near
):
    out = tmp_path / "maps"
    made = localize("--out", out, "--evaluate", "--numbers", numbers, "--json", "-").json
    assert (made["images"], made["maps"]) == (8, 8)
    wanted = made["results"][0]
    read = ["evaluate", out, photographs, "--split", "val", *flags, "--json", "-"]
    found = sightline(*read, "--predictions", out / "predictions.csv").json
    assert found["mean_iou"] == pytest.approx(wanted["mean_iou"], abs=near)
    assert found["top1_classification"] == wanted["top1_classification"]
    maps = maps_in(out)
    assert {pixels.dtype for pixels in maps.values()} == {np.dtype(numbers)}
    assert {pixels.shape for pixels in maps.values()} == {(64, 64)}


def test_the_next_step_that_is_printed_works(localize, sightline, tmp_path):
    answer = localize("--out", tmp_path / "maps", "--numbers", "uint8")
    last = answer.out.splitlines()[-1]
    assert last.startswith("Next: sightline evaluate")
    assert sightline(*last.removeprefix("Next: sightline ").split()).code == 0


def test_classes_are_those_asked_for(localize, run, photographs, tmp_path):
    for classes in ("gt-known", "top-1", "top-5"):
        localize("--out", tmp_path / classes, "--classes", classes)
    dataset = read_dataset(photographs, split="val")
    with (tmp_path / "top-1/predictions.csv").open(newline="") as file:
        ranked = {image: list(map(int, classes)) for image, *classes in csv.reader(file)}
    assert set(ranked) == set(dataset.split.images)
    assert all(sorted(classes) == [0, 1, 2, 3] for classes in ranked.values())
    known, first = maps_in(tmp_path / "gt-known"), maps_in(tmp_path / "top-1")
    several = maps_in(tmp_path / "top-5")
    assert len(several) == 4 * len(known)
    for image, label in zip(dataset.split.images, dataset.split.labels, strict=True):
        best, true = several[f"{image}/{ranked[image][0]}"], several[f"{image}/{label}"]
        assert np.allclose(best, first[image], atol=2e-3)
        assert np.allclose(true, known[image], atol=2e-3)
        assert not np.allclose(several[f"{image}/{ranked[image][3]}"], first[image], atol=2e-3)


def test_maps_remember_the_labels_of_their_training(
    localize, run, photographs, sightline, tmp_path
):
    localize("--out", tmp_path / "maps")
    flags = ("evaluate", tmp_path / "maps", photographs, "--split", "val")
    told = sightline(*flags, "--json", "-").json["ledger"]["entries"]
    trained = rows.load(run / "train.row.json").ledger
    assert [one["purpose"] for one in told] == ["final-report", *(e.purpose for e in trained)]
    (tmp_path / "maps/labels.json").write_text("[{}]")
    assert "labels.json: does not tell which labels made the maps" in sightline(*flags).refusal()


def test_a_folder_with_maps_is_not_written_over(localize, tmp_path):
    localize("--out", tmp_path / "maps")
    refusal = localize("--out", tmp_path / "maps").refusal()
    assert "holds maps already; name another folder" in refusal


def test_test_labels_are_opened_for_a_final_report_and_counted(
    localize, run, photographs, sightline
):
    flags = ["train", "cam", "--data", photographs, "--backbone", "small-plain", "--out", run]
    flags += ["--epochs", 2, "--batch", 4, "--accelerator", "cpu", "--final", "--json", "-"]
    final = sightline(*flags).json["final"]
    assert [one["truth"]["split"] for one in final] == ["test", "test"]
    row = rows.load(run / "final-pixels.row.json")
    trained = rows.load(run / "train.row.json").ledger
    assert [entry.purpose for entry in row.ledger[:1]] == ["final-report"]
    assert row.ledger[1:] == trained
    assert openings.count(row.result["truth"]["fingerprint"]) == 2
    assert sightline(*flags).json["final"] == final
    assert openings.count(row.result["truth"]["fingerprint"]) == 2
    refusal = localize("--evaluate", "--purpose", "threshold", split="test").refusal()
    assert "test labels may not be used for 'threshold'" in refusal


def test_checkpoints_are_chosen_by_name(trained, tmp_path, photographs):
    trained(epochs=2, keep=("every",))
    one, two, last = (
        load_run(tmp_path / "run", name) for name in ("epoch-0001", "epoch-0002", "last")
    )
    assert one.sha256 != two.sha256
    same = zip(two.network.parameters(), last.network.parameters(), strict=True)
    assert all((a == b).all() for a, b in same)
    with pytest.raises(UsageError, match="no checkpoint 'best:PxAP'; there is epoch-0001, epoch"):
        load_run(tmp_path / "run", "best:PxAP")
    with pytest.raises(UsageError, match="holds no training run"):
        load_run(tmp_path)


def test_data_of_other_classes_is_refused(run, data):
    file = data / "metadata/val/class_labels.txt"
    first, *others = file.read_text().split("\n")
    file.write_text("\n".join([first.rpartition(",")[0] + ",7", *others]))
    dataset = read_dataset(data, split="val")
    with pytest.raises(DataError, match="class 7, but the network has 4 classes"):
        localize_run(run, dataset, asked=Localizing(evaluate=True, **SAID))


def test_without_a_place_for_maps_there_is_nothing_to_do(localize):
    assert "nothing to do: name a folder with --out" in localize().refusal()


def test_many_maps_take_several_shards(localize, tmp_path, monkeypatch):
    from sightline.training import shards

    monkeypatch.setattr(shards, "IN_SHARD", 3)
    localize("--out", tmp_path / "maps")
    names = sorted(file.name for file in (tmp_path / "maps").iterdir())
    shards_made = [f"maps-0000{i}.parquet" for i in range(3)]
    assert names == ["labels.json", *shards_made, "predictions.csv"]
    assert len(maps_in(tmp_path / "maps")) == 8


def test_few_shot_and_untrained_runs_localize_too(trained, tmp_path, photographs):
    dataset = read_dataset(photographs, split="test")
    for method in ("few-shot", "random"):
        trained(method, out=tmp_path / method)
        asked = Localizing(evaluate=True, **SAID)
        found = localize_run(tmp_path / method, dataset, asked=asked)
        assert [row.result["metric"] for row in found.rows] == ["MaxBoxAccV2", "PxAP"]
        assert "top1_localization" not in found.rows[0].result

"""Pond on disk: `sightline data make pond`, and the place `pond`."""

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import pytest

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask, read_source
from sightline.data.pond import place, writing
from sightline.data.pond.canvas import Image
from sightline.data.pond.generate import split_counts
from sightline.data.pond.png import encode
from sightline.data.pond.world import world
from sightline.data.truth import read_truth

SPLITS = ("train-weaksup", "train-fullsup", "test")


@pytest.fixture
def make(sightline, tmp_path):
    def call(name: str, *flags: object):
        return sightline("data", "make", "pond", "--out", tmp_path / name, "--size", 48, *flags)

    return call


def tree(folder: Path) -> dict[str, bytes]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_one_and_two_processes_write_the_same_bytes(make, tmp_path):
    assert make("one", "--images", 200, "--workers", 1).code == 0
    assert make("two", "--images", 200, "--workers", 2).code == 0
    written = tree(tmp_path / "one")
    assert written == tree(tmp_path / "two")
    assert len(written) > 800
    assert not any(Path(name).name.startswith(".") for name in written)


@pytest.mark.parametrize("writes", [2, 4, 6, 9])
def test_what_was_stopped_is_finished_to_the_same_bytes(writes, make, tmp_path, monkeypatch):
    assert make("whole", "--images", 160, "--workers", 1).code == 0
    replace, left = Path.replace, [writes]

    def stopping(source: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stopping)
        assert "the same command" in make("out", "--images", 160, "--workers", 1).refusal()
    assert make("out", "--images", 160, "--workers", 1).code == 0
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")


def test_what_is_done_is_not_done_again(make, tmp_path, monkeypatch):
    make("out", "--images", 64)
    monkeypatch.setattr("sightline.data.pond.writing.paint", None)
    assert make("out", "--images", 64).code == 0


def test_splits_hold_what_was_asked_for(make, tmp_path):
    answer = make("out", "--images", 160, "--json", "-").json
    counts = split_counts(160)
    assert counts == {"train-weaksup": 112, "train-fullsup": 16, "test": 32}
    names = set()
    for split in SPLITS:
        data = read_dataset(tmp_path / "out", split=split)
        assert len(data.split.ids) == counts[split] == answer["summary"][f"images of {split}"]
        assert data.split.classes == world().classes("fine")
        assert set(np.bincount(data.split.labels)) == {counts[split] // 16}
        names |= set(data.split.ids)
    assert len(names) == 160
    assert sum(row["images"] for row in answer["tables"]["backgrounds"]) == 160


def test_a_larger_data_set_holds_the_smaller_one(make, tmp_path):
    make("small", "--images", 40)
    make("large", "--images", 80)
    small, large = tree(tmp_path / "small"), tree(tmp_path / "large")
    pictures = [name for name in small if name.endswith(".png")]
    assert len(pictures) == 160
    assert all(small[name] == large[name] for name in pictures)


def test_readers_find_everything(make, tmp_path):
    make("out", "--images", 96, "--several", 0.5)
    truth, ledger = read_truth(tmp_path / "out", split="test"), Ledger()
    masks = truth.masks("study", ledger)
    boxes = truth.boxes("study", ledger)
    parts = truth.parts("study", ledger)
    gazes = truth.fixations("study", ledger)
    named = {one.name: set(one.parts) for one in world().species}
    for item, label in enumerate(truth.split.labels.tolist()):
        mask = read_mask(masks, item, None)
        union = np.zeros_like(mask)
        for part in parts[item]:
            assert part.name in named[world().species[label].name]
            union |= read_source(part.source) if part.source is not None else 0
        assert (union == mask).all()
        own = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
        ys, xs = np.nonzero(mask)
        assert own[:, :2].min(axis=0).tolist() == [xs.min(), ys.min()]
        assert own[:, 2:].max(axis=0).tolist() == [xs.max() + 1, ys.max() + 1]
        assert {gaze.subject for gaze in gazes[item]} == {"s1", "s2", "s3"}
        assert all(0 <= gaze.x < 48 and 0 <= gaze.y < 48 for gaze in gazes[item])


def test_the_tables_tell_which_cue_went_with_the_class(make, tmp_path):
    make("out", "--images", 96, "--setting", "ill-posed")
    home = {row["species"]: row["home"] for row in rows(tmp_path / "out/classes.csv")}
    codes = {row["cue"]: int(row["value"]) for row in rows(tmp_path / "out/cues.csv")}
    at_home = 0
    for row in rows(tmp_path / "out/test/scenes.csv"):
        file = (tmp_path / "out/test/parts" / row["image"]).as_posix()
        values = cv2.imread(file, cv2.IMREAD_UNCHANGED)
        assert codes[row["background"]] in values
        assert (row["background"] == home[row["species"]]) == bool(int(row["at_home"]))
        assert row["label"] == row["told"]
        at_home += int(row["at_home"])
    assert at_home >= 14


def test_noise_is_in_the_training_labels_alone(make, tmp_path):
    make("out", "--images", 96, "--noise", 1)
    for split in SPLITS:
        wrong = [row["label"] != row["told"] for row in rows(tmp_path / f"out/{split}/scenes.csv")]
        assert set(wrong) == {split == "train-weaksup"}
        labels = read_dataset(tmp_path / "out", split=split).split.labels
        told = [int(row["told"]) for row in rows(tmp_path / f"out/{split}/scenes.csv")]
        assert labels.tolist() == told


def test_coarse_labels_are_the_groups(make, tmp_path):
    make("out", "--images", 48, "--labels", "coarse")
    data = read_dataset(tmp_path / "out", split="test")
    assert data.split.classes == world().groups
    groups = [row["group"] for row in rows(tmp_path / "out/test/scenes.csv")]
    assert [data.split.classes[label] for label in data.split.labels] == groups


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--images", 2), "three splits"),
        (("--size", 40), "size"),
        (("--home", 2), "home"),
        (("--labels", "medium"), "labels"),
        (("--setting", "posed"), "posed"),
        (("--clutter", "much"), "clutter"),
    ],
)
def test_bad_options_are_one_line(flags, said, make, tmp_path):
    assert said in make("out", *flags).refusal()
    assert not (tmp_path / "out").exists()


def test_another_call_does_not_mix_with_what_is_there(make):
    make("out", "--images", 16)
    assert "other options" in make("out", "--images", 16, "--home", 0.9).refusal()
    assert make("out", "--images", 16, "--home", 0.2).code == 0  # as the setting has it anyway


def test_the_place_is_generated_once(sightline, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, "IMAGES", 48)
    monkeypatch.setitem(place.WHOLE_NUMBERS, "images", 48)
    first = read_truth("pond", split="test")
    assert len(first.split.ids) == 10
    assert first.split.dataset == "pond"
    monkeypatch.setattr("sightline.data.pond.writing.paint", None)
    assert read_truth("pond", split="test").fingerprint == first.fingerprint
    for split, count in (("", 5), ("val", 5), ("train", 33)):
        assert len(read_truth("pond", split=split).split.ids) == count
    sheet = tmp_path / "sheet.png"
    assert sightline("data", "show", "pond", "--count", 3, "--out", sheet).code == 0
    assert cv2.imread(str(sheet)) is not None
    assert sightline("data", "check", "pond").code == 0
    assert "pond:ill-posed" in sightline("data", "list").out
    call = ("evaluate", "baseline:center-gaussian", "pond", "--split", "test", "--json", "-")
    assert sightline(*call).json["images"] == 10


def test_places_of_other_settings_lie_apart(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = ("pond:images=16,size=48", "pond:ill-posed,size=48,images=16", "pond:size=48,images=16")
    folders = [place.folder(name) for name in names]
    assert folders[0] == folders[2] != folders[1]
    assert len(read_truth(names[1], split="test").split.ids) == 3


def test_two_at_once_fill_a_place_one_after_the_other(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    drawn: list[object] = []
    draw = writing.draw_chunk
    monkeypatch.setattr(writing, "draw_chunk", lambda chunk: drawn.append(chunk) or draw(chunk))
    with ThreadPoolExecutor(2) as pool:
        folders = list(pool.map(place.folder, ["pond:images=64,size=48"] * 2))
    assert folders[0] == folders[1]
    assert len(drawn) == len(set(drawn)) == 4
    assert len(read_truth(folders[0], split="train").split.ids) == 45


def test_a_folder_of_that_name_that_was_made_comes_first(make, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    make("pond", "--images", 20)
    assert len(read_truth("pond", split="test").split.ids) == 4


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pond:posed", "well-posed, ill-posed"),
        ("pond:colour=3", "pond has no 'colour'"),
        ("pond:size=big", "'big' is no value of size"),
        ("pond:size=4", "size"),
        ("pond:images=2", "three splits need three at least"),
        ("pond:seed=-1", "seed starts at 0"),
    ],
)
def test_bad_places_are_one_line(name, said, sightline):
    assert said in sightline("data", "check", name).refusal()


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (1, 1), (64, 64, 3)])
def test_small_png_files_are_read_back(shape):
    pixels: Image = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    decoded = cv2.imdecode(np.frombuffer(encode(pixels), np.uint8), cv2.IMREAD_UNCHANGED)
    assert (decoded == (pixels[:, :, ::-1] if pixels.ndim == 3 else pixels)).all()

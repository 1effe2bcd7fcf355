"""The command on a small data set: what it writes, what it says, and bad input one by one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sightline.annotators import driver, selective_search
from sightline.annotators.contract import Item
from sightline.annotators.outcomes import Outcome, counted
from sightline.annotators.quality import stage_rows
from sightline.data.dataset import read_dataset
from sightline.data.predicted import read_predicted
from sightline.data.truth import read_truth
from sightline.protocol.noise_study import MARK


def files_of(folder):
    return {f.relative_to(folder): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def annotate(sightline, pictures, out, *more, source="center"):
    return sightline(
        "annotate", source, "--data", pictures.root, "--split", "val", "--out", out, *more
    )


def test_boxes_are_a_ground_truth_in_the_reference_format_and_in_coco(
    sightline, pictures, tmp_path
):
    said = annotate(sightline, pictures, tmp_path / "out", "--side", 0.5)
    assert said.code == 0, said.err
    assert "5 images, 5 boxes" in said.out
    assert "no localization label" in said.out
    folder = tmp_path / "out" / "val"
    truth = read_truth(tmp_path / "out", split="train-fullsup")
    assert truth.split.ids == tuple(pictures.ids)
    assert (folder / "localization.txt").read_text().splitlines()[0] == "p0.png,16,12,48,36"
    coco = read_truth(folder / "coco.json")
    assert len(coco.split.ids) == 5
    assert json.loads((folder / "coco.json").read_text())["annotations"][0]["bbox"] == [
        *(16, 12, 32, 24)
    ]
    mark = json.loads((folder / MARK).read_text())
    assert mark["made_by"] == "sightline annotate center"
    assert mark["from"]["labels"].endswith("no localization label")


def test_the_evaluator_and_data_show_take_them_unchanged(sightline, pictures, tmp_path):
    annotate(sightline, pictures, tmp_path / "out")
    boxes = f"boxes:{tmp_path / 'out' / 'val'}"
    row = sightline("evaluate", boxes, pictures.root, "--split", "val", "--json", "-").json
    assert row["images"] == 5
    shown = sightline(
        *("data", "show", tmp_path / "out", "--split", "val", "--images", pictures.images),
        *("--out", tmp_path / "sheet.png"),
    )
    assert shown.code == 0, shown.err
    assert (tmp_path / "sheet.png").stat().st_size > 1000


def test_a_box_around_the_whole_image_ends_before_its_far_edge(sightline, pictures, tmp_path):
    annotate(sightline, pictures, tmp_path / "out", "--side", 1)
    lines = (tmp_path / "out" / "val" / "localization.txt").read_text().splitlines()
    assert lines[0] == "p0.png,0,0,63,47"


def test_selective_search_gives_the_same_bytes_for_any_workers_and_order(pictures, tmp_path):
    data = read_dataset(pictures.root, split="val")
    some = {}
    for workers, items in ((1, range(5)), (2, range(5)), (1, (4, 2, 0, 1, 3))):
        chosen = data.chosen(list(items))
        folder = tmp_path / f"cache-{workers}-{items[0]}"
        asked = driver.answers("selective-search", chosen, cache=folder, workers=workers)
        found = {name: asked.store.get(asked.keys[i]) for i, name in enumerate(chosen.split.ids)}
        some[workers, items[0]] = found
    first, *others = some.values()
    assert all(other == first for other in others)


def test_the_seed_is_that_of_the_image_and_of_the_call(pictures, tmp_path):
    data = read_dataset(pictures.root, split="val")
    a, b = (driver.answers("selective-search", data, cache=tmp_path, seed=s) for s in (0, 1))
    assert not set(a.keys) & set(b.keys)
    source = selective_search.open(selective_search.Options(), data.split)
    image = np.random.default_rng(0).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    one, two = (source.propose(image, Item("x", seed=seed)) for seed in (1, 2))
    assert sorted(map(tuple, one.boxes)) == sorted(map(tuple, two.boxes))
    assert not np.array_equal(one.boxes, two.boxes)


def test_what_was_asked_is_never_asked_again(pictures, tmp_path, monkeypatch):
    data = read_dataset(pictures.root, split="val")
    driver.answers("selective-search", data, cache=tmp_path, workers=1)

    def never(*arguments):
        raise AssertionError("asked again")

    monkeypatch.setattr(selective_search, "_searched", never)
    again = driver.answers("selective-search", data, cache=tmp_path, workers=1)
    assert not again.failed
    (pictures.images / "p0.png").write_bytes((pictures.images / "p1.png").read_bytes())
    renamed = driver.answers("selective-search", data, cache=tmp_path, workers=1)
    assert renamed.keys[0] == renamed.keys[1]  # what counts is the content


def test_a_killed_run_goes_on(pictures, tmp_path):
    environment = os.environ | {"SIGHTLINE_HOME": str(tmp_path / "home")}
    command = [
        *(sys.executable, "-m", "sightline", "annotate", "selective-search", "--mode", "quality"),
        *("--data", str(pictures.root), "--split", "val", "--out", str(tmp_path / "out")),
        *("--classifier", str(tmp_path / "nowhere"), "--workers", "1"),
    ]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    kept = tmp_path / "home" / "annotations"
    deadline = time.monotonic() + 60
    while not list(kept.rglob("*.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode in (1, 2)
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()
    data = read_dataset(pictures.root, split="val")
    options = selective_search.Options(mode="quality")
    before = {f: f.stat().st_mtime_ns for f in kept.rglob("*.npz")}
    assert before
    driver.answers("selective-search", data, options, cache=kept, workers=1)
    assert all(f.stat().st_mtime_ns == when for f, when in before.items())
    assert len(list(kept.rglob("*.npz"))) == 5


def test_no_process_is_left_behind_by_one_that_was_killed(pictures, tmp_path):
    code = (
        "import sys, time\n"
        "from functools import partial\n"
        "from pathlib import Path\n"
        "from sightline.annotators import working\n"
        "from sightline.annotators.store import Store\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import sleeping\n"
        "if __name__ == '__main__':\n"
        "    orders = [working.Order(str(n), str(n), sys.argv[1]) for n in range(4)]\n"
        "    working.finish(orders, sleeping.opened, Store(Path(sys.argv[1])), workers=2)\n"
    )
    (tmp_path / "driver.py").write_text(code)
    (tmp_path / "sleeping.py").write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "def opened():\n"
        "    def work(folder):\n"
        "        Path(folder, f'{os.getpid()}.pid').touch()\n"
        "        time.sleep(600)\n"
        "    return work\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    running = subprocess.Popen(
        [sys.executable, str(tmp_path / "driver.py"), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": path},
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = [int(file.stem) for file in tmp_path.glob("*.pid")]
    assert len(workers) == 2
    running.kill()
    running.wait()
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, workers))


def alive(process):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


# bad input


def test_an_image_that_is_damaged_stops_or_is_listed(sightline, pictures, tmp_path):
    file = pictures.images / "p2.png"
    file.write_bytes(file.read_bytes()[:200])
    refusal = annotate(sightline, pictures, tmp_path / "out").refusal()
    assert "p2.png" in refusal
    assert "--on-error skip" in refusal
    said = annotate(sightline, pictures, tmp_path / "out", "--on-error", "skip")
    assert said.code == 0, said.err
    assert "error    p2.png" in said.out
    folder = tmp_path / "out" / "val"
    assert "p2.png,error," in (folder / "outcomes.csv").read_text()
    assert (folder / "no_box.txt").read_text().startswith("p2.png,")
    assert "p2.png" not in (folder / "localization.txt").read_text()
    assert len(read_truth(folder).split.ids) == 4


class Scripted:
    """An annotator whose answers are written down."""

    origin, ledger = {}, ()

    def __init__(self, answers):
        self.answers = answers

    def propose(self, image, item):
        return self.answers[item.name]


@pytest.fixture
def scripted(monkeypatch):
    """Have selective search give what a test says."""

    def make(answers):
        monkeypatch.setattr(selective_search, "open", lambda options, split: Scripted(answers))
        monkeypatch.setattr(selective_search, "GIVES", "proposals")

    return make


def test_images_without_a_box_are_recorded_as_none_and_count_as_misses(
    pictures, tmp_path, scripted
):
    from sightline.annotators.contract import Nothing, Proposals
    from sightline.annotators.writing import write

    inside, outside = [[10, 8, 30, 28]], [[90, 90, 99, 99]]
    answers = {
        "p0.png": Proposals(np.empty((0, 4)), np.empty(0)),
        "p1.png": Proposals(np.array(outside, float), np.ones(1)),
        "p2.png": Nothing("too dark, said it"),
        "p3.png": Proposals(np.array(inside + outside, float), np.ones(2)),
        "p4.png": Proposals(np.array(inside, float), np.ones(1)),
    }
    scripted(answers)
    data = read_dataset(pictures.root, split="val")
    asked = driver.answers("selective-search", data, cache=tmp_path / "cache", workers=1)
    outcomes = driver.chosen_boxes(data, asked, driver.first)
    assert [o.reason for o in outcomes[:3]] == [
        "no proposal",
        "no proposal lies in the image",
        "too dark, said it",
    ]
    assert (outcomes[3].dropped, outcomes[3].proposals) == (1, 1)
    assert counted(outcomes)["none"] == 3
    write(tmp_path / "out", data, outcomes, asked.about, ())
    text = (tmp_path / "out" / "localization.txt").read_text()
    assert text == "p3.png,10,8,30,28\np4.png,10,8,30,28"
    assert "0,0,0,0" not in text
    boxes, problems = read_predicted(tmp_path / "out", data.split)
    assert not problems
    assert [any(boxes[name]) for name in pictures.ids] == [False, False, False, True, True]


def test_no_box_at_all_is_said(sightline, pictures, tmp_path, scripted, monkeypatch):
    from sightline.annotators import center
    from sightline.annotators.contract import Nothing

    nothing = dict.fromkeys(pictures.ids, Nothing("too dark"))
    monkeypatch.setattr(center, "open", lambda options, split: Scripted(nothing))
    said = annotate(sightline, pictures, tmp_path / "out", "--workers", 1)
    assert "no image of" in said.refusal()


def test_a_folder_of_something_else_is_not_overwritten(sightline, pictures, tmp_path):
    annotate(sightline, pictures, tmp_path / "out")
    before = files_of(tmp_path / "out")
    said = annotate(sightline, pictures, tmp_path / "out", source="selective-search")
    if said.code:  # the classifier's weights may be absent
        assert "choose another --out" in said.refusal()
    assert files_of(tmp_path / "out") == before
    again = annotate(sightline, pictures, tmp_path / "out")
    assert again.code == 0
    assert files_of(tmp_path / "out") == before
    (tmp_path / "other" / "val").mkdir(parents=True)
    (tmp_path / "other" / "val" / "mine.txt").touch()
    assert "is not empty" in annotate(sightline, pictures, tmp_path / "other").refusal()


def test_stages_need_true_boxes_and_record_their_use(pictures, tmp_path):
    data = read_dataset(pictures.root, split="val")
    asked = driver.answers("center", data, cache=tmp_path, workers=1)
    (row,) = stage_rows(driver.annotate(data, asked), resamples=10)
    assert row.result["stage"] == "chosen"
    assert row.result["images"] == 5
    assert [(e.purpose, e.labels) for e in row.ledger] == [("study", 5)]
    (pictures.root / "val" / "localization.txt").unlink()
    bare = read_dataset(pictures.root, split="val")
    found = driver.annotate(bare, driver.answers("center", bare, cache=tmp_path, workers=1))
    from sightline.errors import UsageError

    with pytest.raises(UsageError, match="--stages compares with true boxes"):
        stage_rows(found)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--workers", "-1"), "--workers"),
        (("--side", "1.5"), "--side"),
        (("--fraction", "2"), "--fraction"),
        (("--split", "vall"), "vall"),
        (("--gallery", "-1"), "--gallery"),
    ],
)
def test_wrong_flags_are_refused_in_a_line(sightline, pictures, tmp_path, flags, said):
    assert said in annotate(sightline, pictures, tmp_path / "out", *flags).refusal()


def test_without_a_name_or_data_it_says_what_there_is(sightline):
    assert "selective-search" in sightline("annotate").refusal()
    assert "--data is missing" in sightline("annotate", "center").refusal()
    assert "unknown annotator" in sightline("annotate", "oracle", "--data", "x").refusal()


def test_outcomes_have_a_kind():
    box = Outcome("a", (4, 4), (0.0, 0.0, 2.0, 2.0))
    assert box.kind == "box"
    assert Outcome("a", (4, 4), None, "x").kind == "none"
    assert Outcome("a", (4, 4), None, "x", failed=True).kind == "error"

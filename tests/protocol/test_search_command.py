"""`sightline search` with the trainer itself, on a tiny data set."""

import importlib.util
import json
import random
import signal
import subprocess
import sys
import time

import pytest

from sightline import rows
from sightline.protocol import trials

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
USUAL = ("--backbone", "small-plain", "--epochs", 1, "--batch", 4, "--size", 32)
HERE = ("--accelerator", "cpu", "--weights", "none")


@pytest.fixture
def search(sightline, photographs, tmp_path):
    def call(method, *flags, out="search", data=photographs, usual=USUAL):
        place = ("--data", data, "--out", tmp_path / out)
        return sightline("search", method, *place, *usual, *HERE, *flags)

    return call


def test_a_small_search_is_what_it_says(search, tmp_path):
    told = search("cam", "--trials", 2, "--json", "-").json
    assert [one["trial"] for one in told["trials"]] == [0, 1]
    assert told["trials"][0]["draw"] == trials.read(tmp_path / "search")[0]
    assert told["criterion"] == "MaxBoxAccV2"
    assert told["best"]["value"] == max(one["value"] for one in told["trials"])
    assert {entry["purpose"] for entry in told["ledger"]["entries"]} == {"hyperparameters"}
    assert {entry["split"] for entry in told["ledger"]["entries"]} == {"val"}
    assert len(list(rows.find([tmp_path / "search"]))) == 2
    again = search("cam", "--trials", 2)
    lines = again.out.splitlines()
    assert lines[1].split() == ["trial", "lr", "resolution", "status", "loss", "MaxBoxAccV2"]
    assert f"best       trial {told['best']['trial']} by MaxBoxAccV2 on val" in again.out
    assert "8 boxes of 8 images" in again.out
    assert "for hyperparameters" in again.out


def test_proxy_and_few_shot_end_in_full_and_the_final_report_opens_the_test(search):
    told = search("cam", "--trials", 1, "--proxy", 0.5, "--final", "--json", "-").json
    assert told["run"].endswith("/final")
    assert [one["truth"]["split"] for one in told["final"]] == ["test", "test"]


@pytest.mark.long
def test_few_shot_learns_from_all_labels_in_the_end(search, tmp_path):
    told = search("few-shot", "--trials", 2, "--json", "-").json
    images = {(entry["purpose"], entry["images"]) for entry in told["ledger"]["entries"]}
    assert images == {("hyperparameters", 2), ("training", 6), ("training", 8)}
    row = rows.load(tmp_path / "search/final/train.row.json")
    assert row.result["train"]["images"] == 8


POND = ("--train-split", "train-weaksup", "--val-split", "train-fullsup")


@pytest.fixture(scope="session")
def pond(tmp_path_factory):
    """Generate a small Pond."""
    from sightline.cli.main import main

    place = tmp_path_factory.mktemp("pond") / "pond"
    given = ("--out", str(place), "--images", "160", "--size", "48", "--seed", "0")
    assert main(["data", "make", "pond", *given, "--json", str(place.parent / "made.json")]) == 0
    return place


@pytest.mark.parametrize(
    ("methods", "backbones", "count"),
    [
        ("cam,has", "small-plain", 2),
        pytest.param("cam,has,acol", "small-plain,small-resnet", 8, marks=pytest.mark.long),
    ],
)
def test_a_grid_on_pond_shares_a_budget(search, pond, tmp_path, methods, backbones, count):
    flags = (*POND, "--epochs", 1, "--batch", 16, "--backbone", backbones, "--trials", count)
    answer = search(methods, *flags, "--json", "-", data=pond, usual=())
    pairs = [(m, b) for m in methods.split(",") for b in backbones.split(",")]
    told = json.loads(answer.out)
    assert [(one["method"], one["backbone"]) for one in told] == pairs
    assert all(sum(one["counts"].values()) == count for one in told)
    assert all("failed" not in one["counts"] for one in told)
    for method, backbone in pairs:
        folder = tmp_path / "search" / f"{method}-{backbone}"
        assert len(list(rows.find([folder]))) == len(trials.read(folder)) == count
    drawn = {tuple(trial["draw"]["lr"] for trial in one["trials"]) for one in told}
    assert len(drawn) == 1  # learning rates, alike for all


@pytest.fixture
def started(photographs, tmp_path):
    """Start searches in processes of their own; none outlives the test."""
    processes = []

    def start(*flags):
        place = ("--data", photographs, "--out", tmp_path / "search")
        command = ["-m", "sightline", "search", "cam", *place, *USUAL, *HERE, *flags]
        processes.append(
            subprocess.Popen(
                [sys.executable, *map(str, command)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def wait_for(process, file):
    while not file.exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def test_ctrl_c_ends_with_one_line_that_says_how_to_go_on(started, tmp_path):
    process = started("--trials", 2, "--jobs", 1, "--epochs", 500)
    wait_for(process, tmp_path / "search/trials/0000/metrics.csv")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    lines = [line for line in err.splitlines() if line and not line.startswith("trials: ")]
    assert (process.returncode, out) == (1, "")
    assert lines == [
        "sightline: stopped; what is done is kept, and the same command goes on from there"
    ]
    assert (tmp_path / "search/trials/0000/state.safetensors").is_file()
    assert not list((tmp_path / "search").rglob("*.failed.json"))


@pytest.mark.long
def test_a_search_killed_in_mid_training_ends_in_the_same_rows(search, started, tmp_path):
    flags = ("--trials", 3, "--epochs", 4)
    search("cam", *flags, out="alone")
    draw = random.Random(0)
    for number in range(3):
        process = started(*flags)
        wait_for(process, tmp_path / f"search/trials/000{number}/metrics.csv")
        time.sleep(draw.uniform(0, 1))
        process.kill()
        process.wait()
    search("cam", *flags)
    alone, killed = (
        [json.loads(path.read_text())["result"] for path in rows.find([tmp_path / name])]
        for name in ("alone", "search")
    )
    assert len(alone) == 3
    assert killed == alone


@pytest.mark.long
def test_a_trial_over_its_time_is_ended_and_told(search):
    answer = search("cam", "--trials", 1, "--trial-hours", 1e-5)
    assert answer.code == 1
    assert "failed (time): took longer than 0.036 seconds" in answer.out
    assert "best       none: no trial converged" in answer.out


@pytest.mark.long
@pytest.mark.skipif(
    not importlib.util.find_spec("ray"), reason="needs Ray: pip install 'sightline[ray]'"
)
@pytest.mark.filterwarnings("ignore")
def test_both_engines_train_the_same_bits(search, tmp_path):
    search("spg", "--trials", 3, out="local")
    search("spg", "--trials", 3, "--engine", "ray", "--jobs", 2, out="ray")
    local, ray = (
        [json.loads(path.read_text())["result"] for path in rows.find([tmp_path / name])]
        for name in ("local", "ray")
    )
    assert len(local) == 3
    assert local == ray


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--trials", 0), "--trials: 0 is not from 1 on"),
        (("--proxy", 2), "--proxy: 2 is not above 0 and at most 1"),
        (("--jobs", -1), "--jobs starts at 0"),
        (("--address", "auto"), "go with --engine ray"),
        (("--val-split", "absent"), "absent"),
        (("--evaluate-every", 0), "a search chooses by evaluations"),
        (("--engine", "ray", "--address", "127.0.0.1:1"), "Ray"),
        (("--sampler", "tpe", "--space", "realistic"), "goes with --sampler random alone"),
    ],
)
def test_what_cannot_be_is_one_line_before_any_trial(search, tmp_path, flags, said):
    refusal = search("cam", *flags).refusal()
    assert said in refusal
    assert not list(tmp_path.rglob(f"*{rows.SUFFIX}"))


def test_what_is_missing_is_named(sightline, photographs, tmp_path):
    assert (
        sightline("search", "cam", "--data", photographs).refusal().startswith("--out is missing")
    )
    assert sightline("search", "cam", "--out", tmp_path).refusal().startswith("--data is missing")


def test_a_method_that_is_none(search):
    assert "unknown method 'camm'; did you mean cam" in search("camm").refusal()

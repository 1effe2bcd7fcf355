"""A run that was killed or stopped goes on as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sightline import registry, rows
from sightline.errors import SightlineError, UsageError
from sightline.training import loop

KILLED = Path(__file__).parent / "killed.py"


def test_every_method_killed_at_a_random_step_ends_in_the_same_bytes(photographs, tmp_path):
    seed = random.SystemRandom().randrange(10**6)  # said by what is printed if it fails
    done = subprocess.run(
        [sys.executable, "-W", "ignore", KILLED, photographs, tmp_path / "runs", str(seed)],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert (done.returncode, done.stdout) == (0, ""), f"seed {seed}: {done.stderr}"
    runs = {path.name for path in (tmp_path / "runs").iterdir()}
    trained = {n for n in registry.names("method") if registry.load("method", n).Method.trained}
    assert {f"{name}-dead" for name in trained} <= runs


def test_a_run_that_is_done_is_not_done_again(trained, tmp_path, monkeypatch):
    first = trained()
    monkeypatch.setattr(loop.Loop, "run", lambda self: pytest.fail("trained again"))
    assert rows.result_hash(trained()) == rows.result_hash(first)
    assert not (tmp_path / "run/state.safetensors").exists()


def test_another_configuration_is_refused_in_the_same_folder(trained):
    trained()
    with pytest.raises(UsageError, match=r"plan lr 0\.002 where 0\.5 is asked for; name another"):
        trained(lr=0.5)
    with pytest.raises(UsageError, match="holds another run, with method"):
        trained("has")


def test_other_conduct_is_the_same_run(trained):
    first = trained()
    assert trained(save_steps=2, workers=1, show_progress=True) == first


def test_a_folder_in_which_nothing_was_begun_takes_another_configuration(trained, tmp_path):
    with pytest.raises(UsageError, match="nothing is called 'PxAp' here"):
        trained(keep=("best:PxAp",))
    trained(keep=("best:PxAP",))
    assert (tmp_path / "run/best-PxAP.safetensors").exists()


def test_a_state_that_is_damaged_is_named(trained, tmp_path, monkeypatch):
    monkeypatch.setattr(loop.Loop, "_finish_epoch", lambda self: self._stop())
    with pytest.raises(SightlineError, match="stopped after epoch 0, step 3; the same command"):
        trained()
    state = tmp_path / "run/state.safetensors"
    state.write_bytes(state.read_bytes()[:1000])
    monkeypatch.undo()
    with pytest.raises(SightlineError, match=r"state\.safetensors: is no whole safetensors file"):
        trained()


def test_a_full_disk_leaves_the_state_that_was_there(trained, tmp_path, monkeypatch):
    import safetensors.torch

    write, count = safetensors.torch.save_file, [0]

    def full(tensors, file, metadata):
        count[0] += 1
        if count[0] == 3:
            Path(file).write_bytes(b"half")
            raise OSError(28, "No space left on device")
        return write(tensors, file, metadata)

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(SightlineError) as refused:
        trained(save_steps=1)
    assert "No space left on device); what was saved before is whole" in str(refused.value)
    assert not list((tmp_path / "run").glob(".*"))
    state = tmp_path / "run/state.safetensors"
    assert loop.checkpoints.read(state)[1]["step"] == 2
    resumed = trained()
    whole = trained(out=tmp_path / "whole")
    assert resumed.result["checkpoints"] == whole.result["checkpoints"]


INTERRUPTED = """
import sys
from sightline.training import loop
step = loop.Loop._step
def told(self, pictures, total):
    print("step", flush=True)
    return step(self, pictures, total)
loop.Loop._step = told
from sightline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_saves_the_state_and_says_how_to_go_on(photographs, tmp_path, sightline):
    run = tmp_path / "run"
    flags = ["train", "cam", "--data", photographs, "--backbone", "small-plain", "--out", run]
    flags += ["--epochs", "200", "--batch", "4", "--accelerator", "cpu", "--evaluate-every", "0"]
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, *map(str, flags)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    for _ in range(5):
        assert started.stdout.readline() == "step\n"
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=60)
    assert started.returncode == 1
    last = err.splitlines()[-1]
    assert last.startswith("sightline: stopped after epoch ")
    assert "the same command goes on from there" in last
    assert "Traceback" not in err
    facts = loop.checkpoints.read(run / "state.safetensors")[1]
    assert 5 <= 3 * facts["epoch"] + facts["step"] < 600
    refusal = sightline("localize", run, "--data", photographs, "--evaluate").refusal()
    assert "no checkpoint 'last'; there is none; the run is not finished" in refusal
    assert time.time() - (run / "state.safetensors").stat().st_mtime < 60

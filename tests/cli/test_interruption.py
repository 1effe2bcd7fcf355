"""Ctrl-C, and what is said meanwhile."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sightline import progress

PATIENCE = progress.PATIENCE  # before the tests take it away

# Tells when the first map is read, so that the test knows when to interrupt.
TELLING = """
import sys
from numpy.lib import format
read, first = format.read_array, iter(["reading\\n"])  # of the threads one gets it

def read_array(*given, **named):
    sys.stderr.write(next(first, ""))
    sys.stderr.flush()
    return read(*given, **named)

format.read_array = read_array
from sightline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def crowd(tmp_path):
    """List many images, and give them all one noisy map under as many names."""

    def make(images, side):
        truth, maps = tmp_path / "truth", tmp_path / "maps"
        truth.mkdir()
        maps.mkdir()
        ids = [f"{i}" for i in range(images)]
        size = f"{side},{side}"
        lists = {
            "image_ids": ids,
            "class_labels": [f"{name},0" for name in ids],
            "image_sizes": [f"{name},{size}" for name in ids],
            "localization": [f"{name},3,3,30,30" for name in ids],
        }
        for name, lines in lists.items():
            (truth / f"{name}.txt").write_text("\n".join(lines))
        scores = np.random.default_rng(0).random((side, side)).astype(np.float32)
        np.save(tmp_path / "noise.npy", scores)
        for name in ids:
            os.link(tmp_path / "noise.npy", maps / f"{name}.npy")
        return maps, truth

    return make


@pytest.mark.parametrize(("images", "side"), [(4000, 224), (100, 1000)])
def test_ctrl_c_ends_with_one_line(crowd, images, side):
    arguments = ["evaluate", *map(str, crowd(images, side)), "--json", "-", "--threads", "2"]
    started = subprocess.Popen(
        [sys.executable, "-c", TELLING, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert started.stderr.readline().rstrip() == "reading"
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    lines = [line for line in err.splitlines() if line and "/s, " not in line]
    assert (started.returncode, out) == (1, "")
    assert len(lines) == 1, err
    assert lines[0].startswith("sightline: stopped")


def test_progress_goes_to_standard_error_alone(scene, sightline, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(progress, "LINE_EVERY", 0)
    answer = sightline("evaluate", scene.maps, scene.truth, "--json", "-")
    assert answer.json["images"] == 6
    lines = answer.err.splitlines()
    assert lines
    assert {line.partition(":")[0] for line in lines} == {"evaluate", "resample"}
    assert all("/s, " in line for line in lines)
    assert "left" in lines[0]


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.9, ""), (2.1, "work: 1/2 (50 %), 0/s, 0:02 left\n")]
)
def test_short_work_says_nothing(monkeypatch, capfd, seconds, said):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(progress, "PATIENCE", PATIENCE)
    monkeypatch.setattr(progress, "LINE_EVERY", 0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: clock.now))
    with progress.shown("work", 2) as step:
        clock.now += seconds
        step(1)
    assert capfd.readouterr().err == said


def test_a_line_of_progress_tells_how_far_how_fast_and_how_long_still():
    assert progress.line("evaluate", 250, 1000, 10) == "evaluate: 250/1000 (25 %), 25/s, 0:30 left"
    assert progress.line("evaluate", 1, 36001, 1).endswith("10:00:00 left")
    assert "0/0" in progress.line("evaluate", 0, 0, 0)

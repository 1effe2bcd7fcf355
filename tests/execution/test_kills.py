"""Stops at any moment: the driver, a worker, everything at once. Then the same call goes on."""

import contextlib
import os
import random
import signal
import time
from pathlib import Path

import fake_jobs
import pytest

from sightline import execution, rows
from sightline.execution.keeping import LOCK

COUNT, PAUSE = 6, 0.05  # jobs of 5 pauses each
LENGTH = 2.0  # seconds that a search of them takes here, about


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    jobs = fake_jobs.jobs(COUNT, pause=PAUSE)
    return [row.result for row in execution.run(jobs, fake_jobs.steps, folder)]


def await_end_of(pid: int) -> None:
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} is still there")


def workers_of(folder: Path) -> set[int]:
    return {int(line.split()[2]) for line in fake_jobs.diary(folder)}


def stop(process, folder: Path, whom: str, moment: float) -> None:
    time.sleep(moment)
    workers = workers_of(folder)
    if whom == "worker" and workers:
        for pid in sorted(workers)[-1:]:
            kill(pid)
        process.wait(60)
        return
    if whom == "everything":
        for pid in workers:
            kill(pid)
    process.send_signal(signal.SIGINT if whom == "ctrl-c" else signal.SIGKILL)
    process.wait(30)
    for pid in workers_of(folder):
        await_end_of(pid)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def check_whole(folder: Path, undisturbed: list[object]) -> None:
    """Go on, and compare with what an undisturbed search gives."""
    kept = {path: path.read_bytes() for path in rows.find([folder])}
    for path in kept:
        rows.load(path)  # none is half written
    before = len(fake_jobs.diary(folder))
    with execution.claimed(folder):
        found = execution.finish(
            fake_jobs.jobs(COUNT, pause=PAUSE), fake_jobs.steps, folder, execution.Local(2)
        )
    assert [row.result for row in found.rows] == undisturbed
    assert found.before == len(kept)
    assert len(list(rows.find([folder]))) == COUNT
    assert {path: path.read_bytes() for path in kept} == kept
    later = [line.split() for line in fake_jobs.diary(folder)[before:]]
    begun = {number for what, number, _ in later if what == "begin"}
    assert len(begun) == COUNT - len(kept)
    assert not [line for line in fake_jobs.diary(folder) if line.startswith("again")]


def moments(count: int, seed: int) -> list[tuple[str, float]]:
    draw = random.Random(seed)
    kinds = ("driver", "worker", "everything", "ctrl-c")
    return [(kinds[i % len(kinds)], round(draw.uniform(0, LENGTH), 2)) for i in range(count)]


@pytest.mark.parametrize(("whom", "moment"), moments(4, seed=1))
def test_a_search_that_was_stopped_goes_on(tmp_path, drive, undisturbed, whom, moment):
    check_kill(tmp_path, drive, undisturbed, whom, moment)


@pytest.mark.long
@pytest.mark.parametrize(("whom", "moment"), moments(20, seed=2))
def test_a_search_that_was_stopped_at_any_moment_goes_on(
    tmp_path, drive, undisturbed, whom, moment
):
    check_kill(tmp_path, drive, undisturbed, whom, moment)


def check_kill(tmp_path, drive, undisturbed, whom, moment):
    folder = tmp_path / "rows"
    process = drive(folder, COUNT, PAUSE)
    while not (folder / LOCK).exists():
        time.sleep(0.01)
    stop(process, folder, whom, moment)
    check_whole(folder, undisturbed)


def test_a_search_that_is_stopped_again_and_again_gets_done(tmp_path, drive, undisturbed):
    folder = tmp_path / "rows"
    draw = random.Random(3)
    for _ in range(4):
        process = drive(folder, COUNT, PAUSE)
        stop(process, folder, "everything", draw.uniform(0.3, 1.2))
    check_whole(folder, undisturbed)


def test_a_worker_that_is_killed_stops_nothing(tmp_path, drive, undisturbed):
    folder = tmp_path / "rows"
    process = drive(folder, COUNT, PAUSE)
    while not fake_jobs.diary(folder):
        time.sleep(0.01)
    kill(min(workers_of(folder)))
    assert process.wait(60) == 0
    found = [rows.load(path).result for path in rows.find([folder])]
    assert sorted(found, key=lambda result: result["number"]) == undisturbed


def test_ctrl_c_lets_jobs_save_their_state_and_ends_all_processes(tmp_path, drive):
    folder = tmp_path / "rows"
    process = drive(folder, COUNT, 0.5)
    while len(fake_jobs.diary(folder)) < 2:
        time.sleep(0.01)
    started = time.monotonic()
    stop(process, folder, "ctrl-c", 0)
    assert time.monotonic() - started < 5
    assert process.returncode != 0
    assert not list(rows.find([folder]))

"""Jobs in processes of their own: limits, failures with their reason, threads, logs."""

import time

import fake_jobs
import pytest

from sightline import execution, rows
from sightline.errors import SightlineError, UsageError
from sightline.execution import finishing, keeping, worker
from sightline.execution.keeping import failure_path, log_path
from sightline.types import Job


def finish(folder, how=None, count=4, workers=2, work=fake_jobs.misbehaving, **limits):
    jobs = fake_jobs.jobs(count, pause=0.01, **({"how": how} if how else {}))
    engine = execution.Local(workers)
    return execution.finish(jobs, work, folder, engine, limits=execution.Limits(**limits))


def test_rows_come_in_the_order_of_the_jobs_and_are_those_of_one_process(folder, tmp_path):
    found = finish(folder)
    assert [row.result["number"] for row in found.rows] == [0, 1, 2, 3]
    alone = tmp_path / "alone"
    alone.mkdir()
    expected = list(execution.run(fake_jobs.jobs(4, pause=0.01), fake_jobs.steps, alone))
    assert [row.result for row in found.rows] == [row.result for row in expected]
    assert {path.name for path in rows.find([folder])} == {path.name for path in rows.find([alone])}


def test_both_workers_work_and_are_used_again(folder):
    found = finish(folder, count=6)
    assert len({row.provenance["process"] for row in found.rows}) == 2


def test_what_is_done_is_not_done_again(folder):
    finish(folder)
    before = fake_jobs.diary(folder)
    again = finish(folder)
    assert again.before == 4
    assert fake_jobs.diary(folder) == before


@pytest.mark.parametrize(
    ("how", "cause", "reason"),
    [
        ("raise", "error", "ValueError: three lines of it, fake_jobs.py:"),
        ("refuse", "error", "no such file; look elsewhere"),
        ("exit", "crash", "its process ended by itself"),
        ("segfault", "crash", "its process was ended by SIGSEGV"),
        ("kill", "crash", "its process was ended by SIGKILL; the machine may have run out"),
        ("memory", "memory", "ran out of memory"),
    ],
)
def test_a_failure_is_recorded_with_its_reason_and_stops_nothing_else(folder, how, cause, reason):
    found = finish(folder, {"1": how})
    assert [row.result["number"] for row in found.rows] == [0, 2, 3]
    (failure,) = found.failures
    assert failure.cause == cause
    assert failure.reason.startswith(reason)
    kept = failure_path(
        execution.row_path(fake_jobs.jobs(4, pause=0.01, how={"1": how})[1], folder)
    )
    assert kept.is_file()
    assert reason[:20] in kept.read_text()
    assert len(list(rows.find([folder]))) == 3


def test_a_job_that_hangs_is_ended_at_its_limit(folder):
    started = time.monotonic()
    found = finish(folder, {"0": "hang"}, seconds=2)
    assert time.monotonic() - started < 30
    assert [row.result["number"] for row in found.rows] == [1, 2, 3]
    assert found.failures == [execution.Failure("time", "took longer than 2 seconds")]


def test_a_job_that_eats_memory_is_ended_at_its_limit(folder):
    found = finish(folder, {"2": "eat"}, gigabytes=0.25)
    assert [row.result["number"] for row in found.rows] == [0, 1, 3]
    assert found.failures == [execution.Failure("memory", "used more than 0.25 GB of memory")]


@pytest.mark.parametrize("how", ["kill once", "segfault once", "exit once"])
def test_a_job_whose_process_died_is_tried_again(folder, how):
    found = finish(folder, {"1": how})
    assert [row.result["number"] for row in found.rows] == [0, 1, 2, 3]
    assert not list(folder.glob("*.failed.json"))


def test_a_job_that_refused_is_not_tried_again_until_the_next_call(folder):
    assert len(finish(folder, {"1": "refuse once"}).failures) == 1
    assert len(list(folder.glob("*.failed.json"))) == 1
    assert finish(folder, {"1": "refuse once"}).failures == []
    assert not list(folder.glob("*.failed.json"))


def test_no_retries_if_none_are_wanted(folder):
    assert len(finish(folder, {"1": "kill once"}, retries=0).failures) == 1


def test_what_a_job_says_is_in_its_log(folder):
    how = {"1": "talk", "2": "raise"}
    finish(folder, how)
    logs = [
        log_path(execution.row_path(job, folder)) for job in fake_jobs.jobs(4, pause=0.01, how=how)
    ]
    assert [log.is_file() for log in logs] == [False, True, True, False]
    assert set(logs[1].read_text().splitlines()) == {"to standard error", "to standard output"}
    assert "Traceback" in logs[2].read_text()


def test_threads_are_those_of_the_job(folder):
    jobs = [
        Job("fake", {"number": number}, threads=threads) for number, threads in enumerate((1, 2, 1))
    ]
    found = execution.finish(jobs, fake_jobs.environment, folder, execution.Local(1))
    assert [row.result["threads"] for row in found.rows] == ["1", "2", "1"]


def test_work_that_cannot_be_imported_is_a_failure(folder, monkeypatch):
    def absent(job, folder):
        raise AssertionError

    absent.__module__ = fake_jobs.__name__
    absent.__qualname__ = "absent"
    monkeypatch.setattr(fake_jobs, "absent", absent, raising=False)
    found = finish(folder, work=absent, count=1)
    assert "cannot be imported here" in found.failures[0].reason


def test_two_searches_in_one_folder_are_refused(folder, python):
    code = f"""
from pathlib import Path
from sightline import execution
from sightline.errors import SightlineError
try:
    with execution.claimed(Path({str(folder)!r})):
        print("entered")
except SightlineError as error:
    print(error)
"""
    said = python("-c", code).out
    assert "is at work here; wait for it" in said
    assert f"{folder}: process " in said


def test_a_folder_is_free_again_afterwards(tmp_path):
    for _ in range(2):
        with execution.claimed(tmp_path / "rows"):
            pass


def test_a_job_that_another_process_is_at_is_waited_for(folder, python):
    (job,) = fake_jobs.jobs(1)
    code = f"""
from pathlib import Path
from sightline.errors import SightlineError
from sightline.execution import keeping
from sightline.types import Job
for number in (0, 1):
    try:
        with keeping.alone(Job("fake", {{"number": number}}), Path({str(folder)!r}), 0.3):
            print("entered", number)
    except SightlineError as error:
        print(error)
"""
    with keeping.alone(job, folder):
        said = python("-c", code).out.splitlines()
    assert said[0].startswith("another process is still at work on this very job")
    assert said[1] == "entered 1"
    assert "entered 0" in python("-c", code).out


def test_two_jobs_may_not_share_a_row(folder):
    with pytest.raises(ValueError, match="same place"):
        execution.finish(fake_jobs.jobs(1) * 2, fake_jobs.steps, folder, execution.Local(1))


@pytest.mark.parametrize("limits", [{"seconds": -1}, {"gigabytes": -1}, {"retries": -1}])
def test_limits_that_mean_nothing(limits):
    with pytest.raises(UsageError):
        execution.Limits(**limits)


def test_progress_tells_how_far_the_best_and_how_long_still(folder, capfd, monkeypatch):
    from sightline import progress

    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(progress, "LINE_EVERY", 0)
    execution.finish(
        fake_jobs.jobs(3, pause=0.05),
        fake_jobs.steps,
        folder,
        execution.Local(1),
        title="trials",
        score=lambda row: 10.0 * row.result["number"],
        show_progress=True,
    )
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "trials: 0/3"
    assert any(line.startswith("trials: 2/3, best 10.00, 0:0") for line in lines)
    assert lines[-1] == "trials: 3/3, best 20.00, 0:00 left"


def test_failures_are_part_of_the_line():
    count = finishing._Count("trials", 4, None)
    count.begin()
    count.add(execution.Failure("crash", "gone"))
    assert count.line().startswith("trials: 1/4, 1 failed, ")


def test_the_memory_of_a_process_that_is_gone_is_none():
    assert worker.resident(2**22 + 1) == 0


def test_a_row_that_cannot_be_read_is_said_to_be_one(folder):
    (job,) = fake_jobs.jobs(1)
    execution.row_path(job, folder).write_text("{")
    with pytest.raises(SightlineError, match="not a result row"):
        execution.finish([job], fake_jobs.steps, folder, execution.Local(1))


def test_a_row_may_have_a_place_of_its_own(folder):
    found = execution.finish(
        fake_jobs.jobs(2), fake_jobs.steps, folder, execution.Local(1), place=fake_jobs.by_number
    )
    assert len(found.rows) == 2
    assert (folder / "1" / f"row{rows.SUFFIX}").is_file()

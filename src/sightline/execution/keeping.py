"""What is kept in a folder of rows: who works there, what is done, and what failed and why."""

import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline import rows
from sightline.errors import SightlineError
from sightline.execution.contract import Failure, Task
from sightline.types import Job

LOCK, JOB_LOCKS = ".lock", ".jobs.lock"
PATIENCE = 120.0  # seconds until a job that somebody else seems to work on is given up


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep a folder to this process; the system lets go of it however the process ends."""
    if os.name != "posix":
        raise SightlineError("jobs in processes of their own need Linux or macOS")
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            owner = file.read().strip() or "another process"
            raise SightlineError(
                f"{folder}: {owner} is at work here; wait for it, or name another folder"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}")
        file.flush()
        yield
        file.truncate(0)


@contextmanager
def alone(job: Job, folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Keep a job to this process: one whose driver was killed may still be at it for a moment."""
    import fcntl

    with (folder / JOB_LOCKS).open("a+b") as file:
        offset = int(rows.job_id(job), 16) >> 2
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise SightlineError(
                        "another process is still at work on this very job; end it, and give the"
                        " same command again"
                    ) from None
                time.sleep(0.1)
        yield


def perform(task: Task, job: Job) -> None:
    """Do a job unless it is done.

    The row is written last and whole, so that its presence means that everything else is there.
    """
    path = task.place(job, task.folder)
    with alone(job, task.folder):
        if not path.is_file():
            row = task.work(job, task.folder)
            if not path.is_file():  # the work may have kept its row itself
                rows.save(row, path)
        failure_path(path).unlink(missing_ok=True)


def failure_path(row: Path) -> Path:
    """Tell where it is kept why there is no row."""
    return _beside(row, ".failed.json")


def log_path(row: Path) -> Path:
    """Tell where a job's own words are kept."""
    return _beside(row, ".log")


def _beside(row: Path, suffix: str) -> Path:
    return row.with_name(row.name.removesuffix(rows.SUFFIX) + suffix)


def keep_failure(job: Job, failure: Failure, row: Path) -> None:
    """Record why a job has no row."""
    content = {
        "cause": failure.cause,
        "reason": failure.reason,
        "kind": job.kind,
        "options": rows.plain(job.options),
        "seed": job.seed,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    rows.write_whole(failure_path(row), json.dumps(content, indent=1) + "\n")

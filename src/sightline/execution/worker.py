"""A worker process seen from outside: given a job, watched, and replaced when it does not obey."""

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from sightline.execution.contract import Failure, Limits, Task
from sightline.execution.keeping import log_path
from sightline.types import Job

GRACE = 10.0  # seconds to save a state in, once asked to stop
THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
PROGRAM = "import sys; sys.path[:] = {paths}; from sightline.execution.child import main; main()"


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task and a job for a process in which the work can be imported, which here it need not."""

    message: bytes
    threads: int
    limits: Limits
    paths: tuple[str, ...]
    log: Path


def assigned(task: Task, job: Job) -> Assignment:
    """Pack a job."""
    log = log_path(task.place(job, task.folder))
    return Assignment(pickle.dumps((task, job)), job.threads, task.limits, task.paths, log)


class Worker:
    """One process that does one job after another, with as many threads as a job says."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.at: Assignment | None = None
        self._environment: dict[str, str] = {}

    @property
    def connection(self) -> Connection:
        """What becomes readable when the job is over."""
        return self._connection

    def give(self, assignment: Assignment) -> None:
        """Begin a job."""
        environment = os.environ | dict.fromkeys(THREAD_COUNTS, str(assignment.threads))
        alive = self.process is not None and self.process.poll() is None
        if not alive or environment != self._environment:
            self.kill()
            self._start(environment, assignment.paths)
        self.at, self._since = assignment, time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `ended` finds it dead
            self._connection.send_bytes(assignment.message)

    def _start(self, environment: dict[str, str], paths: Sequence[str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    PROGRAM.format(paths=list(paths or sys.path)),
                    str(theirs.fileno()),
                ],
                stdin=subprocess.PIPE,  # closed when this process ends, however it does
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=environment,
            )
        self._connection = Connection(ours.detach())
        self._environment = environment

    def ended(self) -> tuple[Failure | None] | None:
        """Tell whether the job is over, and if it failed why."""
        assert self.process
        at = self.at
        assert at
        # Whether it has died is asked first: what it said before comes through all the same.
        code = self.process.poll()
        with contextlib.suppress(EOFError, ConnectionResetError):
            if self._connection.poll():
                cause, reason = self._connection.recv()
                self.at = None
                if cause:
                    self.kill()  # what failed may have left anything behind
                return (Failure(cause, reason),) if cause else (None,)
        failure = _death(code) if code is not None else self._excess(at.limits)
        if failure is None:
            return None
        self.kill()
        with contextlib.suppress(OSError), at.log.open("a", encoding="utf-8") as file:
            file.write(f"{failure.reason}\n")  # which it could not write itself
        self.at = None
        return (failure,)

    def _excess(self, limits: Limits) -> Failure | None:
        """Compare what the job uses with what it may use."""
        assert self.process
        if limits.seconds and time.monotonic() - self._since > limits.seconds:
            return Failure("time", f"took longer than {limits.seconds:g} seconds")
        if limits.gigabytes and resident(self.process.pid) > limits.gigabytes * 2**30:
            return Failure("memory", f"used more than {limits.gigabytes:g} GB of memory")
        return None

    def ask_to_stop(self) -> None:
        """Pass Ctrl-C on, so that a job may save its state."""
        if self.process and self.at and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End the process at once."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        self._connection.close()
        self.process = None

    def stop(self, deadline: float) -> None:
        """Let an asked process finish until then, and end it."""
        if self.process and self.at:
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                while time.monotonic() < deadline and not self._connection.poll(0.05):
                    if self.process.poll() is not None:
                        break
        self.kill()


def stop_all(workers: Sequence[Worker]) -> None:
    """Let all save their states, at the same time, and end them."""
    for worker in workers:
        worker.ask_to_stop()
    deadline = time.monotonic() + GRACE
    for worker in workers:
        worker.stop(deadline)


def resident(process: int) -> int:
    """Measure the memory of a process, in bytes; 0 where the system does not tell."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _death(code: int) -> Failure:
    if code >= 0:
        return Failure("crash", f"its process ended by itself, with exit code {code}")
    name = signal.Signals(-code).name
    hint = "; the machine may have run out of memory" if -code == signal.SIGKILL else ""
    return Failure("crash", f"its process was ended by {name}{hint}")

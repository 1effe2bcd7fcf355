"""What engines agree upon: the task, its limits, and what is told when a job could not be done."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from sightline import rows
from sightline.errors import UsageError
from sightline.types import Job, ResultRow

Work = Callable[[Job, Path], ResultRow]
Place = Callable[[Job, Path], Path]
Cause = Literal["error", "crash", "time", "memory"]


def row_path(job: Job, folder: Path) -> Path:
    """Tell where a job's row is kept: under the hash of all that determines it."""
    return folder / f"{job.kind}-{rows.job_id(job)}{rows.SUFFIX}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    seconds: float = 0.0  # 0: as long as it takes
    gigabytes: float = 0.0  # of resident memory; 0: as much as there is
    retries: int = 1  # of a job whose process died

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if min(self.seconds, self.gigabytes, self.retries) < 0:
            raise UsageError("limits of time, memory and retries start at 0")


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with each job, as plain data that goes to other processes.

    `work` and `place` are functions of a module, or partial applications of such, so that another
    process finds them by name.
    """

    work: Work
    folder: Path
    place: Place = row_path
    limits: Limits = Limits()
    paths: tuple[str, ...] = ()  # where modules are found


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job has no row."""

    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that is over: its row is on disk, or there is a reason why not."""

    position: int  # among the jobs that the engine was given
    failure: Failure | None = None


class Engine(Protocol):
    """Runs jobs, wherever that is."""

    def run(self, jobs: Sequence[Job], task: Task) -> Iterator[Ended | None]:
        """Run jobs and tell of each when it is over; between, give None a few times a second.

        Closing the iterator stops whatever runs.
        """

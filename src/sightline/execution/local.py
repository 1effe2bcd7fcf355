"""Jobs one after another in this process; what is done is not done again."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sightline import rows
from sightline.types import Job, ResultRow

Work = Callable[[Job, Path], ResultRow]


def row_path(job: Job, folder: Path) -> Path:
    """Tell where a job's row is kept: under the hash of all that determines it."""
    return folder / f"{job.kind}-{rows.job_id(job)}{rows.SUFFIX}"


def run(jobs: Iterable[Job], work: Work, folder: Path) -> Iterator[ResultRow]:
    """Give each job's row, from disk if it is there, else by doing the work.

    `work` gets the job and the folder for its artifacts. A row is written last and whole, so that
    its presence means that everything else is there.
    """
    for job in jobs:
        path = row_path(job, folder)
        if not path.is_file():
            rows.save(work(job, folder), path)
        yield rows.load(path)

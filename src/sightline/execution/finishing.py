"""Does what is left of some jobs with an engine, and tells how far it is."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sightline import progress, rows
from sightline.execution.contract import Engine, Failure, Limits, Place, Task, Work, row_path
from sightline.execution.keeping import keep_failure
from sightline.types import Job, ResultRow

Score = Callable[[ResultRow], float | None]


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of some jobs, in their order: a row each, or the reason why there is none."""

    outcomes: tuple[ResultRow | Failure, ...]
    before: int = 0  # how many rows were there already

    @property
    def rows(self) -> list[ResultRow]:
        """List the rows there are."""
        return [one for one in self.outcomes if isinstance(one, ResultRow)]

    @property
    def failures(self) -> list[Failure]:
        """List why the others have none."""
        return [one for one in self.outcomes if isinstance(one, Failure)]


def finish(
    jobs: Sequence[Job],
    work: Work,
    folder: Path,
    engine: Engine,
    *,
    place: Place = row_path,
    limits: Limits | None = None,
    title: str = "jobs",
    score: Score | None = None,
    show_progress: bool = False,
) -> Finished:
    """Do the jobs that have no row yet.

    A job that failed before is tried again. Whatever stops this, the same call goes on from there.

    Args:
        jobs: what there is to do, each a different job.
        work: does a job; gets it and the folder.
        folder: where rows are kept; the caller has claimed it.
        engine: where jobs run.
        place: tells where a job's row is.
        limits: what one job may use.
        title: what the jobs are called in the line of progress.
        score: gives the number of a row whose best is shown.
        show_progress: tell on standard error how far it is.
    """
    folder = folder.resolve()
    paths = [place(job, folder) for job in jobs]
    if len({*paths}) < len(paths):
        raise ValueError("two of the jobs have their row in the same place")
    left = [i for i, path in enumerate(paths) if not path.is_file()]
    task = Task(work, folder, place, limits or Limits(), tuple(sys.path))
    count = _Count(title, len(jobs), score)
    outcomes: dict[int, ResultRow | Failure] = {}

    def note(position: int, failure: Failure | None) -> None:
        outcomes[position] = failure or rows.load(paths[position])
        count.add(outcomes[position])
        if failure:
            keep_failure(jobs[position], failure, paths[position])

    for position in sorted({*range(len(jobs))} - {*left}):
        note(position, None)
    count.begin()
    if left:
        running = engine.run([jobs[i] for i in left], task)
        with _painting(show_progress) as paint, closing(running):  # type: ignore[type-var]
            for ended in running:
                if ended:
                    note(left[ended.position], ended.failure)
                paint(count.line)
    return Finished(tuple(outcomes[i] for i in range(len(jobs))), len(jobs) - len(left))


@contextmanager
def _painting(wanted: bool) -> Iterator[progress.Paint]:
    if not wanted:
        yield lambda text: None
        return
    with progress.painted() as paint:
        yield paint


class _Count:
    """How far some jobs are."""

    def __init__(self, title: str, total: int, score: Score | None) -> None:
        self.title, self.total, self.score = title, total, score
        self.done = self.failed = self.before = 0
        self.best: float | None = None

    def begin(self) -> None:
        """From here on time counts."""
        self.before, self.started = self.done, time.monotonic()

    def add(self, outcome: ResultRow | Failure) -> None:
        self.done += 1
        if isinstance(outcome, Failure):
            self.failed += 1
            return
        value = self.score(outcome) if self.score else None
        if value is not None and (self.best is None or value > self.best):
            self.best = value

    def line(self) -> str:
        """Say how far, the best so far, and how long still."""
        parts = [f"{self.title}: {self.done}/{self.total}"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.best is not None:
            parts.append(f"best {self.best:.2f}")
        fresh = self.done - self.before
        if fresh:
            seconds = (time.monotonic() - self.started) / fresh * (self.total - self.done)
            parts.append(f"{progress.span(seconds)} left")
        return ", ".join(parts)

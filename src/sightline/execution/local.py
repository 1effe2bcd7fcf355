"""Jobs in this process, one after another, or in processes of their own, several at a time."""

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from sightline import rows
from sightline.execution.contract import Ended, Task, Work, row_path
from sightline.execution.worker import Worker, assigned, stop_all
from sightline.types import Job, ResultRow

TICK = 0.1  # seconds between two looks at what jobs use


def run(jobs: Iterable[Job], work: Work, folder: Path) -> Iterator[ResultRow]:
    """Give each job's row, from disk if it is there, else by doing the work here and now.

    `work` gets the job and the folder for its artifacts. A row is written last and whole, so that
    its presence means that everything else is there.
    """
    for job in jobs:
        path = row_path(job, folder)
        if not path.is_file():
            rows.save(work(job, folder), path)
        yield rows.load(path)


@dataclass(frozen=True, slots=True)
class Local:
    """Processes on this machine."""

    workers: int = 0  # 0: one for each processor

    def run(self, jobs: Sequence[Job], task: Task) -> Iterator[Ended | None]:
        """Run jobs, in their order as far as workers are free."""
        count = min(len(jobs), self.workers or os.cpu_count() or 1)
        idle, busy = [Worker() for _ in range(count)], dict[Worker, int]()
        waiting, tries = deque(range(len(jobs))), Counter[int]()
        try:
            while waiting or busy:
                while waiting and idle:
                    worker, position = idle.pop(), waiting.popleft()
                    worker.give(assigned(task, jobs[position]))
                    busy[worker] = position
                wait([worker.connection for worker in busy], TICK)
                for worker, position in list(busy.items()):
                    over = worker.ended()
                    if not over:
                        continue
                    idle.append(worker)
                    del busy[worker]
                    tries[position] += 1
                    (failure,) = over
                    died = failure is not None and failure.cause == "crash"
                    if died and tries[position] <= task.limits.retries:
                        waiting.appendleft(position)
                    else:
                        yield Ended(position, failure)
                yield None
        finally:
            stop_all([*busy, *idle])

"""Jobs on a Ray cluster: the same processes as `local` starts, where Ray has room for them.

Ray decides where and when, and begins again what a lost machine had been doing. A job itself runs
in a guarded process beside the one of Ray, so that limits, logs and reasons are as anywhere.
"""

import contextlib
import importlib
import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.errors import SightlineError, UsageError
from sightline.execution.contract import Ended, Failure, Task
from sightline.execution.worker import GRACE, Assignment, Worker, assigned
from sightline.types import Job

TICK = 0.2  # seconds between two looks
REACHABLE = 5.0  # seconds to answer in
OWN = ""  # no address: a Ray of this machine alone, for the time being


@dataclass(frozen=True, slots=True)
class Ray:
    """A cluster, and what a job asks of it."""

    address: str = OWN  # host:port, ray://host:port, auto for one that runs on this machine
    cpus: float = 1.0  # of a job
    gpus: float = 0.0
    workers: int = 0  # jobs at a time; 0: as many as there is room for

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        if self.cpus <= 0 or self.gpus < 0:
            raise UsageError("a job needs more than 0 CPUs, and not less than 0 GPUs")

    def run(self, jobs: Sequence[Job], task: Task) -> Iterator[Ended | None]:
        """Run jobs where there is room."""
        ray = _ray()
        begun = _connect(ray, self)
        try:
            _make_sure_that_it_fits(ray, self)
            remote = ray.remote(
                num_cpus=self.cpus, num_gpus=self.gpus, max_retries=task.limits.retries
            )(guarded)
            yield from self._run(ray, remote, jobs, task)
        finally:
            if begun:
                ray.shutdown()

    def _run(
        self, ray: Any, remote: Any, jobs: Sequence[Job], task: Task
    ) -> Iterator[Ended | None]:
        waiting, running = list(range(len(jobs)))[::-1], dict[Any, int]()
        home = str(Path.cwd())
        try:
            while waiting or running:
                while waiting and (not self.workers or len(running) < self.workers):
                    position = waiting.pop()
                    running[remote.remote(assigned(task, jobs[position]), home)] = position
                over, _ = ray.wait([*running], num_returns=1, timeout=TICK)
                for reference in over:
                    yield Ended(running.pop(reference), _outcome(ray, reference))
                yield None
        finally:
            for reference in running:
                ray.cancel(reference)  # as Ctrl-C, so that states are saved
            if running:
                ray.wait([*running], num_returns=len(running), timeout=GRACE)


def guarded(assignment: Assignment, home: str) -> Failure | None:
    """Do a job in a process of its own beside this one of Ray's."""
    with contextlib.suppress(OSError):
        os.chdir(home)
    worker = _companion()
    for _ in range(assignment.limits.retries + 1):
        worker.give(assignment)
        try:
            over = worker.ended()
            while not over:
                worker.connection.poll(TICK / 2)
                over = worker.ended()
        except BaseException:  # Ctrl-C from the driver
            worker.ask_to_stop()
            worker.stop(time.monotonic() + GRACE)
            raise
        (failure,) = over
        if failure is None or failure.cause != "crash":
            break
    return failure


_COMPANIONS: list[Worker] = []


def _companion() -> Worker:
    """Give the process that goes with this one, so that its imports are done once."""
    if not _COMPANIONS:
        _COMPANIONS.append(Worker())
    return _COMPANIONS[0]


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise UsageError(
            "Ray is not installed; pip install 'sightline[ray]', or use --engine local"
        ) from None


def _connect(ray: Any, engine: Ray) -> bool:
    """Join the cluster; tell whether that is to be undone."""
    if ray.is_initialized():
        return False
    address = engine.address
    remedy = "start one with 'ray start --head', or name another address"
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and not _answers(host, port):
        raise SightlineError(f"no Ray cluster answers at {address}; {remedy}")
    options: dict[str, Any] = {"address": address} if address else {"address": "local"}
    if not address:
        options |= {"num_cpus": engine.workers or os.cpu_count(), "include_dashboard": False}
    try:
        ray.init(
            **options, log_to_driver=False, logging_level=logging.ERROR, configure_logging=True
        )
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise SightlineError(f"Ray cannot be reached ({reason}); {remedy}") from None
    return True


def _answers(host: str, port: str) -> bool:
    try:
        with socket.create_connection((host.strip("[]"), int(port)), REACHABLE):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def _make_sure_that_it_fits(ray: Any, engine: Ray) -> None:
    """Refuse what no machine of the cluster has, which would wait for ever."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    wanted = {"CPU": engine.cpus, "GPU": engine.gpus}
    if not any(all(node.get(k, 0) >= v for k, v in wanted.items()) for node in nodes):
        raise SightlineError(
            f"no machine of the cluster has {engine.cpus:g} CPUs and {engine.gpus:g} GPUs for a"
            " trial; ask for less"
        )


def _outcome(ray: Any, reference: Any) -> Failure | None:
    try:
        failure: Failure | None = ray.get(reference)
    except ray.exceptions.OutOfMemoryError:
        return Failure("memory", "Ray ended it, for its machine ran out of memory")
    except ray.exceptions.RayTaskError as error:
        return Failure("error", " ".join(str(error).strip().splitlines()[-1:]))
    except ray.exceptions.RayError as error:
        name = type(error).__name__
        return Failure("crash", f"its process or machine was lost, again and again ({name})")
    return failure

"""A worker process: takes jobs from the one that started it until that one is gone.

It imports next to nothing by itself. What it says goes to the log of the job it is at.
"""

import contextlib
import faulthandler
import os
import pickle
import select
import sys
import threading
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from sightline.errors import SightlineError
from sightline.execution.contract import Cause, Task
from sightline.execution.keeping import LOCK, log_path, perform
from sightline.types import Job

Answer = tuple[Cause | None, str]


def main() -> None:
    """Answer each job with nothing, or with a cause and a reason."""
    os.setsid()  # Ctrl-C in a terminal is for the driver, which passes it on
    threading.Thread(target=_end_with_the_driver, daemon=True).start()
    connection = Connection(int(sys.argv[1]))
    try:
        while True:
            message = connection.recv_bytes()
            if select.select([0], [], [], 0)[0]:  # the driver is gone already
                break
            connection.send(_answer(message))
    except (EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        pass
    finally:  # nothing is left to tidy up, and threads of libraries must not keep it alive
        os._exit(0)


def _end_with_the_driver() -> None:
    """Wait for the end of the pipe that the driver holds open as long as it lives."""
    while os.read(0, 1):
        pass
    os._exit(1)


def _answer(message: bytes) -> Answer:
    try:
        task, job = pickle.loads(message)  # from the process that started this one, not from a file
    except Exception as error:
        return "error", f"the work cannot be imported here ({_in_words(error)})"
    if not (task.folder / LOCK).is_file():
        return "error", f"{task.folder} is not seen from here; choose a folder that all nodes share"
    with _speaking_to(log_path(task.place(job, task.folder))):
        return _done(task, job)


def _done(task: Task, job: Job) -> Answer:
    try:
        perform(task, job)
    except SightlineError as error:
        return "error", str(error)
    except MemoryError as error:
        traceback.print_exc()
        return "memory", f"ran out of memory ({error})" if str(error) else "ran out of memory"
    except Exception as error:
        traceback.print_exc()
        return "error", _in_words(error)
    return None, ""


def _in_words(error: Exception) -> str:
    """Say what went wrong and where, in a line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f", {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}{where}".split())


@contextlib.contextmanager
def _speaking_to(log: Path) -> Iterator[None]:
    """Send standard output and error, those of compiled code too, to a file; drop it if empty."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    faulthandler.enable()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        if not log.stat().st_size:
            log.unlink()

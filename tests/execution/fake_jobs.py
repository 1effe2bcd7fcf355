"""Work for tests: does nothing of use, slowly, and misbehaves on demand. Workers import it."""

import ctypes
import hashlib
import os
import signal
import sys
import time
from pathlib import Path

from sightline import execution, rows
from sightline.errors import SightlineError
from sightline.types import Job, ResultRow


def jobs(count: int, **options: object) -> list[Job]:
    return [Job("fake", {"number": number, **options}) for number in range(count)]


def by_number(job: Job, folder: Path) -> Path:
    return folder / f"{job.options['number']}" / f"row{rows.SUFFIX}"


def diary(folder: Path) -> list[str]:
    """Read who began or ended which job, in the order of time."""
    file = folder / "diary"
    return file.read_text().splitlines() if file.exists() else []


def note(folder: Path, what: str, job: Job) -> None:
    with (folder / "diary").open("a") as file:
        file.write(f"{what} {job.options['number']} {os.getpid()}\n")


def steps(job: Job, folder: Path) -> ResultRow:
    """Take steps whose result hangs on all before; the state is kept after each of them."""
    if execution.row_path(job, folder).exists():
        note(folder, "again", job)
    note(folder, "begin", job)
    state = folder / "states" / f"{job.options['number']}"
    text = state.read_text() if state.exists() else "0 start"
    done, value = text.split()
    for step in range(int(done), int(job.options.get("steps", 5))):
        time.sleep(float(job.options.get("pause", 0.02)))
        value = hashlib.sha256(f"{value} {job.options['number']} {step}".encode()).hexdigest()
        rows.write_whole(state, f"{step + 1} {value}")
    note(folder, "end", job)
    return ResultRow({"number": job.options["number"], "value": value}, {"process": os.getpid()})


def misbehaving(job: Job, folder: Path) -> ResultRow:
    """Do what the job's number is named for, once or every time."""
    how = job.options.get("how", {}).get(str(job.options["number"]), "")
    tried = folder / f"tried-{job.options['number']}"
    first = not tried.exists()
    tried.touch()
    if how.endswith("once") and not first:
        how = ""
    match how.removesuffix(" once"):
        case "raise":
            raise ValueError("three\nlines\nof it")
        case "refuse":
            raise SightlineError("no such file; look elsewhere")
        case "exit":
            sys.exit(3)
        case "segfault":
            ctypes.string_at(0)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(600)
        case "eat":
            held = []
            while True:
                held.append(bytearray(os.urandom(1) * (20 * 2**20)))
                time.sleep(0.02)
        case "memory":
            raise MemoryError
        case "talk":
            print("to standard output")
            os.write(2, b"to standard error\n")
    return steps(job, folder)


def environment(job: Job, folder: Path) -> ResultRow:
    return ResultRow({"threads": os.environ["OMP_NUM_THREADS"], "process": os.getpid()})

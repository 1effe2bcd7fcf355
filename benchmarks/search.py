"""Trials per hour of two workers beside one, and what Ray adds to local processes.

    .venv/bin/python benchmarks/search.py [--trials 8] [--epochs 15] [--turns 1] [--seconds 30]

Part one searches CAM on a small Pond, with one worker of one thread and with two, by turns; the
rows are compared as well. A worker is started once and then does one trial after another; what it
takes until its first trial begins (Python, PyTorch, the compiled kernels) is told apart, and is in
the rates, as in a search of that length. Part two is a job that only waits, as long as a trial of
`--seconds` takes, four of them on two workers: what is more than twice that time is the engine's
own. Ray runs before the time is taken, as a cluster does; how long it took to start is told.
The part is left out where Ray is absent.
"""

import argparse
import contextlib
import importlib.util
import io
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that workers find `waiting`

from sightline import execution, rows
from sightline.cli.main import main as sightline
from sightline.execution.ray import Ray
from sightline.protocol.search import search
from sightline.protocol.search_folder import run_folder
from sightline.protocol.search_plan import SearchPlan, Subject
from sightline.types import Job, ResultRow

WAITING = 4


def waiting(job: Job, folder: Path) -> ResultRow:
    """Take as long as a trial."""
    time.sleep(job.options["seconds"])
    return ResultRow({"number": job.options["number"]})


def searched(
    data: Path, out: Path, workers: int, trials: int, epochs: int
) -> tuple[float, list[str]]:
    """Search, and give the time and the hashes of the rows."""
    subject = Subject(
        method="cam",
        backbone="small-plain",
        data=str(data),
        plan={"epochs": epochs, "lr": 0.01},
        places={"train_split": "train-weaksup", "val_split": "train-fullsup"},
    )
    started = time.perf_counter()
    found = search(subject, out, SearchPlan(trials=trials), engine=execution.Local(workers))
    seconds = time.perf_counter() - started
    return seconds, [rows.result_hash(row) for row in found.outcomes if isinstance(row, ResultRow)]


def compare_workers(folder: Path, trials: int, epochs: int, turns: int) -> None:
    """Search with one worker and with two, by turns."""
    data = folder / "pond"
    with contextlib.redirect_stdout(io.StringIO()):
        sightline(["data", "make", "pond", "--out", str(data), "--images", "800"])
    searched(data, folder / "warm", 1, 1, 1)  # fills caches of pictures and of compiled code
    times: dict[int, list[float]] = {1: [], 2: []}
    hashes = []
    for turn in range(turns):
        for workers, taken in times.items():
            out = folder / f"{workers}-{turn}"
            seconds, found = searched(data, out, workers, trials, epochs)
            taken.append(seconds)
            hashes.append(found)
    assert all(found == hashes[0] for found in hashes), "rows differ"
    rates = {workers: trials * 3600 / statistics.median(t) for workers, t in times.items()}
    for workers, rate in rates.items():
        taken = ", ".join(f"{seconds:.1f}" for seconds in times[workers])
        print(f"{workers} worker(s): {rate:7.0f} trials an hour ({trials} trials in {taken} s)")
    one, two = (_own_seconds(folder / f"{workers}-0", trials) for workers in times)
    begun = times[1][0] - sum(one)
    print(
        f"a trial takes {sum(one) / trials:.1f} s alone, {sum(two) / trials:.1f} s beside another"
    )
    print(f"all else, start included, takes {begun:.1f} s of the search with one worker")
    print(f"two workers: {rates[2] / rates[1]:.2f} times one (wanted: 1.8); the same rows")


def _own_seconds(out: Path, trials: int) -> list[float]:
    """List how long the training of each trial took."""
    files = [run_folder(out, number) / f"train{rows.SUFFIX}" for number in range(trials)]
    return [float(rows.load(file).provenance["seconds"]) for file in files]


def compare_engines(folder: Path, seconds: float) -> None:
    """Wait on both engines."""
    import ray
    import search as this  # by the name that workers find it by

    started = time.perf_counter()
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    print(f"a Ray of this machine takes {time.perf_counter() - started:.1f} s to start")
    engines = {"local": execution.Local(2), "ray": Ray(workers=2)}
    taken = {}
    for name, engine in engines.items():
        jobs = [Job("wait", {"seconds": seconds, "number": i}) for i in range(WAITING)]
        started = time.perf_counter()
        with execution.claimed(folder / name):
            found = execution.finish(jobs, this.waiting, folder / name, engine)
        taken[name] = time.perf_counter() - started
        assert len(found.rows) == WAITING, found.failures
        own = taken[name] - seconds * WAITING / 2
        told = f"{WAITING} trials of {seconds:g} s in {taken[name]:.1f} s"
        print(f"{name:>5}: {told}, {own:.1f} its own")
    print(f"Ray adds {100 * (taken['ray'] / taken['local'] - 1):.1f} % (wanted: below 5)")


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.trials:
            compare_workers(Path(folder), asked.trials, asked.epochs, asked.turns)
        if not importlib.util.find_spec("ray"):
            print("Ray is not installed: its part is left out")
        elif asked.seconds:
            compare_engines(Path(folder), asked.seconds)


if __name__ == "__main__":
    main()

"""Speed of generating Pond, beside its own single process and beside writing the same files.

    .venv/bin/python benchmarks/pond.py [--images 2000] [--size 64] [--workers 2] [--repeats 3]

The peer draws nothing: it encodes the same pixels with OpenCV and writes them, in as many
processes. No generator that writes files through OpenCV could be faster. All take turns; a line
gives the median and the range over the repeats. Everything is written: pictures, masks, parts,
amodal masks, lists and tables. Processor time tells what to expect of a machine that others use.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sightline.data.pond.dials import Dials
from sightline.data.pond.generate import generate, split_counts
from sightline.data.pond.writing import PLANES

Planes = list[tuple[str, np.ndarray[Any, Any]]]


def read(folder: Path) -> Planes:
    """Read every picture and mask of a data set back into memory."""
    files = sorted(file for kind in PLANES for file in folder.glob(f"*/{kind}/**/*.png"))
    return [
        (str(file.relative_to(folder)), cv2.imread(str(file), cv2.IMREAD_UNCHANGED))
        for file in files
    ]


def write(planes: Planes, folder: Path) -> None:
    """Write them once more, as one would."""
    for name, pixels in planes:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(file), pixels)


def write_all(planes: Planes, folder: Path, workers: int) -> None:
    """Write with several processes, which have the pixels already."""
    context = multiprocessing.get_context("fork")
    jobs = [
        context.Process(target=write, args=(planes[i::workers], folder)) for i in range(workers)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()


def measured(work: Callable[[Path], object], images: int) -> tuple[float, float]:
    """Do the work in an empty folder: images a second, and processor time an image in ms."""
    with tempfile.TemporaryDirectory() as folder:
        before, started = os.times(), time.perf_counter()
        work(Path(folder))
        seconds, after = time.perf_counter() - started, os.times()
    used = sum(after[:4]) - sum(before[:4])  # of this process and of those that it waited for
    return images / seconds, 1000 * used / images


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    dials, counts = Dials(size=options.size), split_counts(options.images)

    def made(folder: Path, workers: int) -> None:
        generate(folder, dials, 0, counts, workers)

    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder), options.workers)
        planes = read(Path(folder))
    several = options.workers
    kinds: dict[str, Callable[[Path], object]] = {
        f"Pond, {several} processes": lambda folder: made(folder, several),
        "Pond, one process": lambda folder: made(folder, 1),
        f"the same files written by OpenCV, {several} processes": lambda folder: write_all(
            planes, folder, several
        ),
    }
    turns = [
        {name: measured(work, options.images) for name, work in kinds.items()}
        for _ in range(options.repeats)
    ]
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    print(
        f"{options.images} images of {options.size} x {options.size}, everything written; {busy}\n"
    )
    print("| | images a second | range | processor time an image |\n|---|---|---|---|")
    for name in kinds:
        rates, times = zip(*(turn[name] for turn in turns), strict=True)
        span = f"{min(rates):.0f} to {max(rates):.0f}"
        middle, cost = statistics.median(rates), statistics.median(times)
        print(f"| {name} | {middle:.0f} | {span} | {cost:.2f} ms |")


if __name__ == "__main__":
    main()

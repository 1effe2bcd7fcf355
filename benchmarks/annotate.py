"""Selective search by the annotator beside a plain loop over OpenCV, and two workers beside one.

    .venv/bin/python benchmarks/annotate.py IMAGES [--images 40] [--mode fast] [--turns 2]

IMAGES is a folder of photographs. The plain loop reads, searches and forgets; the annotator draws
anew for each image, ranks, clips and keeps what it found. All take the same photographs, by turns,
with an empty folder of answers each time. Two workers are to take 1.7 times less than one; starting
them, half a second, is part of the time, so that few images show less.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from sightline.annotators import driver, selective_search
from sightline.data.annotations import PICTURES, AnnotationBuilder, Request
from sightline.data.dataset import Dataset
from sightline.data.truth import guarded

WANTED = 1.7


def dataset_of(files: list[Path]) -> Dataset:
    """Make a split of files of which nothing is known."""
    builder = AnnotationBuilder(Request("photographs", "val", localization=False))
    for file in files:
        builder.item(file.name, file=str(file))
    truth = guarded(builder.build())
    return Dataset(truth.split, tuple(files), truth)


def plain(files: list[Path], mode: str) -> int:
    """Do what a script does."""
    cv2.setNumThreads(1)
    found = 0
    for file in files:
        search = cv2.ximgproc.segmentation.createSelectiveSearchSegmentation()
        search.setBaseImage(cv2.imread(str(file)))
        switch = (
            "switchToSelectiveSearchFast" if mode == "fast" else "switchToSelectiveSearchQuality"
        )
        getattr(search, switch)()
        found += len(search.process())
    return found


def annotated(data: Dataset, mode: str, workers: int) -> list[bytes]:
    """Ask the annotator, and give its answers."""
    options = selective_search.Options(mode=mode, smallest=0)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as cache:
        asked = driver.answers(
            "selective-search",
            data,
            options,
            cache=Path(cache),
            workers=workers,
            show_progress=False,
        )
        return [asked.store.get(key) for key in asked.keys]


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Run and take the time."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def main() -> None:
    """Compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="IMAGES")
    parser.add_argument("--images", type=int, default=40)
    parser.add_argument("--mode", choices=("fast", "quality"), default="fast")
    parser.add_argument("--turns", type=int, default=2)
    asked = parser.parse_args()
    files = sorted(f for f in asked.folder.iterdir() if f.suffix.lower().lstrip(".") in PICTURES)
    files = [files[k * len(files) // asked.images] for k in range(asked.images)]
    data = dataset_of(files)
    ways: dict[str, Callable[[], object]] = {
        "plain loop": lambda: plain(files, asked.mode),
        "one worker": lambda: annotated(data, asked.mode, 1),
        "two workers": lambda: annotated(data, asked.mode, 2),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    answers = []
    for _ in range(asked.turns):
        for name, work in ways.items():
            seconds, found = timed(work)
            times[name].append(seconds)
            answers += [found] if name != "plain loop" else []
    assert all(found == answers[0] for found in answers), "answers differ"
    middle = {name: statistics.median(taken) for name, taken in times.items()}
    for name, seconds in middle.items():
        each = ", ".join(f"{taken:.1f}" for taken in times[name])
        print(f"{name:<12} {1000 * seconds / len(files):6.0f} ms an image ({each} s)")
    beside = middle["plain loop"] / middle["one worker"]
    print(f"one worker: {beside:.2f} times a plain loop; the same answers in every turn")
    ratio = middle["one worker"] / middle["two workers"]
    print(f"two workers: {ratio:.2f} times one (wanted: {WANTED})")
    print(f"numpy {np.__version__}, OpenCV {cv2.__version__}, {len(files)} images, {asked.mode}")


if __name__ == "__main__":
    main()

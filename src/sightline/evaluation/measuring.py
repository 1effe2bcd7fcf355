"""Measures every map of a split against its ground truth, reading ahead with several threads."""

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sightline.data.masks import read_mask
from sightline.errors import DataError, Problem
from sightline.evaluation.sources import ScoreSource
from sightline.metrics.box import BoxMeasurement, map_boxes, measure
from sightline.metrics.geometry import to_frame
from sightline.metrics.mask import MaskMeasurement, measure_mask
from sightline.metrics.protocol import Protocol
from sightline.metrics.score_maps import (
    Interpolation,
    Normalization,
    as_scores,
    check_range,
    prepare,
)
from sightline.types import Boxes, Masks, Split

Floats = NDArray[np.float64]
M = TypeVar("M", BoxMeasurement, MaskMeasurement)

CHUNK = 32  # images a task
PAPER_SIZE = (224, 224)


@dataclass(frozen=True, slots=True)
class Measured(Generic[M]):
    """One item's measurement, or the problem in its place, with what is worth a warning."""

    item: int
    measurement: M | None
    problem: Problem | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is done to a map before it is scored."""

    normalize: Normalization = "none"
    interpolation: Interpolation = "cubic"


@dataclass(frozen=True, slots=True)
class Tally:
    """What was left out, and what was scored but is worth a look."""

    problems: list[Problem] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)

    @property
    def left_out(self) -> int:
        """Count what was left out, each once however much is wrong with it."""
        return len({problem.subject for problem in self.problems})


def measure_boxes(
    source: ScoreSource, split: Split, boxes: Boxes, protocol: Protocol, preparation: Preparation
) -> Callable[[int], Measured[BoxMeasurement]]:
    """Make the function that measures one item against its boxes."""
    found = None
    if source.constant:
        shared, _ = source.read(0)
        found = map_boxes(prepared(shared, protocol, preparation), protocol)

    def measure_item(item: int) -> Measured[BoxMeasurement]:
        scores, warnings = _scores(source, split, item, protocol, preparation)
        corners = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
        frame = (scores.shape[1], scores.shape[0])
        width, height = split.sizes[item] if split.sizes[item].all() else frame
        if (corners[:, :2] >= (width, height)).any():  # only where no image size was known before
            what = f"a box lies outside its map of {width} x {height}"
            raise DataError([Problem(what, image=split.ids[item], remedy="give map coordinates")])
        truth = to_frame(corners, (int(width), int(height)), frame, protocol.box_ends)
        return Measured(item, measure(scores, truth, protocol, found=found), None, warnings)

    return measure_item


def measure_masks(
    source: ScoreSource, split: Split, masks: Masks, protocol: Protocol, preparation: Preparation
) -> Callable[[int], Measured[MaskMeasurement]]:
    """Make the function that measures one item against its masks."""

    def measure_item(item: int) -> Measured[MaskMeasurement]:
        scores, warnings = _scores(source, split, item, protocol, preparation)
        codes = read_mask(masks, item, (scores.shape[1], scores.shape[0]))
        if not (codes == 1).any():
            warnings = (*warnings, "masks_without_foreground")
        return Measured(item, measure_mask(scores, codes, protocol), None, warnings)

    return measure_item


def _scores(
    source: ScoreSource, split: Split, item: int, protocol: Protocol, preparation: Preparation
) -> tuple[Floats, tuple[str, ...]]:
    """Read and prepare a map, refusing what cannot be scored."""
    raw, place = source.read(item)
    try:
        scores = prepared(raw, protocol, preparation)
        constant = check_range(scores)
    except DataError as error:
        problem = error.problems[0]
        image = split.ids[item]
        raise DataError([Problem(problem.what, place, 0, image, problem.remedy)]) from error
    names = (constant, "constant_maps"), (scores.shape != PAPER_SIZE, "maps_not_224x224")
    return scores, tuple(name for present, name in names if present)


def prepared(raw: NDArray[np.generic], protocol: Protocol, preparation: Preparation) -> Floats:
    """Do to a map what comes before scoring."""
    if protocol.evaluation_size is None and preparation.normalize == "none":
        return as_scores(raw)
    return prepare(
        raw,
        size=protocol.evaluation_size,
        interpolation=preparation.interpolation,
        normalize=preparation.normalize,
    )


def measured(
    measure_item: Callable[[int], Measured[M]],
    items: Sequence[int],
    *,
    threads: int = 0,
) -> Iterator[Measured[M]]:
    """Measure items in their order, a bounded number of chunks ahead.

    A bad item comes as its problem. Leaving the iterator early stops the threads.
    """
    workers = threads or os.cpu_count() or 1

    stopped = threading.Event()

    def chunk(part: Sequence[int]) -> list[Measured[M]]:
        return [_safely(measure_item, item) for item in part if not stopped.is_set()]

    parts = (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))
    with ThreadPoolExecutor(workers, thread_name_prefix="measure") as pool:
        waiting: deque[Future[list[Measured[M]]]] = deque()
        try:
            for part in parts:
                waiting.append(pool.submit(chunk, part))
                if len(waiting) > 2 * workers:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _safely(measure_item: Callable[[int], Measured[M]], item: int) -> Measured[M]:
    try:
        return measure_item(item)
    except DataError as error:
        return Measured(item, None, error.problems[0])

"""From measurements to one accumulator: order, progress, problems and warnings in one place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress
from sightline.data.ledger import Ledger
from sightline.data.truth import GroundTruth
from sightline.errors import DataError, Problem
from sightline.evaluation.measuring import (
    Preparation,
    Tally,
    measure_boxes,
    measure_masks,
    measured,
)
from sightline.evaluation.predictions import UNKNOWN, Ranks
from sightline.evaluation.sources import ScoreSource
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import Protocol

Accumulator = BoxAccumulator | MaskAccumulator


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a run behaves, as opposed to what it computes."""

    skip_problems: bool = False
    threads: int = 0  # 0: one for each processor
    show_progress: bool = False
    keep_overlaps: bool = False  # the best IoU at every threshold of every image


@dataclass(frozen=True, slots=True)
class Scored:
    """All that one pass over the maps gives."""

    accumulator: Accumulator
    tally: Tally
    overlaps: Mapping[str, NDArray[np.float32]]  # by id, if kept


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels that a run has opened, once for all sets of maps that it scores."""

    truth: GroundTruth
    protocol: Protocol
    boxes: Any
    masks: Any


def open_labels(
    truth: GroundTruth, protocol: Protocol, purpose: str, ledger: Ledger, *, force: bool
) -> Labels:
    """Take the labels that a protocol needs out of the ledger's hands."""
    if protocol.ground_truth_kind == "masks":
        return Labels(truth, protocol, None, truth.masks(purpose, ledger, force=force))
    return Labels(truth, protocol, truth.boxes(purpose, ledger, force=force), None)


def score(
    source: ScoreSource,
    labels: Labels,
    preparation: Preparation,
    ranks: Mapping[str, Ranks] | None,
    conduct: Conduct,
    share: tuple[int, int] = (0, 1),
) -> Scored:
    """Score all maps of a source. In the first problem this stops, unless it is told to skip.

    `share` asks for one of so many equal parts of the images, in their order; the first one tells
    what is wrong with the whole.
    """
    split, protocol = labels.truth.split, labels.protocol
    tally, (number, of) = Tally(), share
    tally.warnings.update(labels.truth.warnings)
    refused = {problem.image for problem in labels.truth.problems}
    refused.update(labels.truth.unannotated)
    tally.problems.extend(source.match(split, refused))
    if tally.problems and not conduct.skip_problems:
        raise DataError(tally.problems, "--on-error skip")
    left_out = {problem.image for problem in tally.problems}
    usable = [i for i, name in enumerate(split.ids) if name not in left_out]
    if ranks is not None:
        usable = [i for i in usable if split.ids[i] in ranks]
    if not usable:
        raise DataError(tally.problems or [Problem("no image is left to score", source.name)])
    usable = usable[number * len(usable) // of : (number + 1) * len(usable) // of]
    if number:
        tally = Tally()
    if protocol.ground_truth_kind == "masks":
        masks = MaskAccumulator(protocol)
        work = measure_masks(source, split, labels.masks, protocol, preparation)
        scored = _collect(work, usable, split.ids, masks, tally, ranks or {}, conduct)
    else:
        boxes = BoxAccumulator(protocol)
        measure = measure_boxes(source, split, labels.boxes, protocol, preparation)
        scored = _collect(measure, usable, split.ids, boxes, tally, ranks or {}, conduct)
    if of == 1:
        refuse_empty(scored)
    return scored


def refuse_empty(scored: Scored) -> None:
    """Refuse a whole in which nothing was scored, or nothing could be found."""
    records, tally = scored.accumulator.records, scored.tally
    if not len(records):
        raise DataError(tally.problems)
    masks = isinstance(scored.accumulator, MaskAccumulator)
    if masks and tally.warnings["masks_without_foreground"] == len(records):
        what = "no mask has any foreground, so that recall means nothing"
        remedy = "foreground is 1 in arrays, and above 0 in files unless it is to be ignored"
        raise DataError([Problem(what, remedy=remedy)])


def _collect(
    measure_item: Callable[[int], Any],
    items: Sequence[int],
    ids: Sequence[str],
    accumulator: Any,
    tally: Tally,
    ranks: Mapping[str, Ranks],
    conduct: Conduct,
) -> Scored:
    overlaps: dict[str, NDArray[np.float32]] = {}
    with progress.shown("evaluate", len(items)) as step:
        report = step if conduct.show_progress else progress.silent
        for done, one in enumerate(measured(measure_item, items, threads=conduct.threads)):
            report(done)
            image = ids[one.item]
            if one.measurement is None:
                assert one.problem is not None
                problem = replace(one.problem, image=one.problem.image or image)
                if not conduct.skip_problems:
                    raise DataError([problem])
                tally.problems.append(problem)
                continue
            tally.warnings.update(one.warnings)
            if isinstance(accumulator, BoxAccumulator):
                accumulator.add(one.measurement, image=image, ranks=ranks.get(image, UNKNOWN))
                if conduct.keep_overlaps:
                    overlaps[image] = one.measurement.overlaps.astype(np.float32)
            else:
                accumulator.add(one.measurement, image=image)
    return Scored(accumulator, tally, overlaps)

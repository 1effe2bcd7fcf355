"""Evaluation in one pass: classes and maps of a batch, measured while the next one is computed.

Threads bring each map to size and range and measure it under every protocol; the accumulators take
the measurements in the order of the images. No map is kept.
"""

import math
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Batch, Loader
from sightline.errors import DataError, Problem
from sightline.evaluation.measuring import (
    Measured,
    Preparation,
    Tally,
    measure_boxes,
    measure_masks,
)
from sightline.evaluation.predictions import UNKNOWN, Ranks
from sightline.evaluation.scoring import Accumulator
from sightline.methods.contract import Localized, Method, given
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import Protocol, preset
from sightline.metrics.score_maps import prepare
from sightline.training.sharing import Sharing

Maps = NDArray[np.float32]
Forward = Callable[[Batch, NDArray[np.int64]], Localized]
Purposes = Mapping[str, Sequence[str]]  # by kind of label
TOP = 5  # classes that count as found, in top-5 metrics


@dataclass(frozen=True, slots=True)
class Answer:
    """What a network says of some items: their maps, and their likeliest classes, best first."""

    items: NDArray[np.int64]
    maps: Maps  # (B, K, h, w)
    top: NDArray[np.int64]  # (B, up to 5)


@dataclass(slots=True)
class Assessed:
    """What one pass gave, by protocol; shares of several processes merge exactly."""

    accumulators: dict[str, Accumulator]
    images: int = 0
    found: dict[str, int] = field(default_factory=dict)  # images whose class is in the top
    problems: list[Problem] = field(default_factory=list)
    warnings: dict[str, Counter[str]] = field(default_factory=dict)  # by protocol

    def tally(self, protocol: str) -> Tally:
        """Say what one protocol's result has left out or warns of."""
        return Tally(list(self.problems), Counter(self.warnings.get(protocol, {})))

    def merge(self, other: "Assessed") -> None:
        """Add another process's share."""
        for name, accumulator in self.accumulators.items():
            accumulator.merge(other.accumulators[name])  # type: ignore[arg-type]
        self.images += other.images
        for name, count in other.found.items():
            self.found[name] = self.found.get(name, 0) + count
        self.problems.extend(other.problems)
        for name, warnings in other.warnings.items():
            self.warnings.setdefault(name, Counter()).update(warnings)

    def numbers(self) -> dict[str, float]:
        """Give every metric by name, percentages from 0 to 100."""
        found = {name: 100 * count / max(1, self.images) for name, count in self.found.items()}
        metrics = [a.protocol.metric for a in self.accumulators.values()]
        for name, accumulator in self.accumulators.items():
            metric = accumulator.protocol.metric
            key = metric if metrics.count(metric) == 1 else f"{name}:{metric}"
            if len(accumulator.records):
                found |= _flat(key, accumulator.compute())
        return found


def _flat(key: str, result: Mapping[str, Any]) -> dict[str, float]:
    found = {key: result["value"]}
    found |= {f"{key}.{delta}": value for delta, value in result.get("per_delta", {}).items()}
    for name in ("top1", "top5"):
        if f"{name}_localization" in result:
            found[f"{key}.{name}"] = result[f"{name}_localization"]["value"]
    found |= {f"{key}.{name}": result[name] for name in ("mean_iou", "pointing", "energy")}
    return found


class _Passing:
    """Maps on their way from the network to the measurements."""

    name, constant = "maps", False
    options: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.maps: dict[int, NDArray[np.float64]] = {}

    def match(self, split: Any, refused: Any = ()) -> list[Problem]:
        """Have nothing to match: maps come by item."""
        return []

    def read(self, item: int) -> tuple[NDArray[np.float64], str]:
        """Give the map that is there just now."""
        return self.maps[item], ""


class Assessor:
    """Evaluates networks on one split, whose labels it opens once."""

    def __init__(
        self,
        dataset: Dataset,
        loader: Loader,
        protocols: Sequence[Protocol],
        purposes: Purposes,
        ledger: Ledger,
        *,
        side: int,
        force: bool = False,
        sharing: Sharing | None = None,
        skip_problems: bool = False,
        threads: int = 0,
    ) -> None:
        self.dataset, self.loader, self.protocols = dataset, loader, protocols
        self.sharing = sharing or Sharing()
        self._side, self._skip = side, skip_problems
        self._passing = _Passing()
        self._measures = _measures(self._passing, dataset, protocols, purposes, ledger, force=force)
        self._threads = threads or os.cpu_count() or 1

    def assess(
        self,
        network: Method,
        forward: Forward,
        step: Callable[[int], None],
    ) -> Assessed:
        """Run the network over the split once and measure all that it says.

        Args:
            network: tells whether its class scores mean anything.
            forward: gives class scores of a batch, and maps of its labels first.
            step: is told how many images are done, and may end it all with an exception.
        """
        whole = Assessed({p.name: _accumulator(p) for p in self.protocols})
        shares = self.loader.epoch(0, part=(self.sharing.rank, self.sharing.world))
        waiting: deque[Future[list[tuple[Ranks, list[Measured[Any]]]]]] = deque()
        with closing(shares), ThreadPoolExecutor(self._threads, "sightline-measure") as pool:  # type: ignore[type-var]
            try:
                for batch in shares:
                    if len(batch.indices):
                        labels = self.dataset.split.labels[batch.indices].clip(0)
                        answer = answer_of(batch.indices, forward(batch, labels))
                        ranks = self._count(network, answer, whole)
                        for part in _parts(len(answer.items), self._threads):
                            waiting.append(pool.submit(self._measured, answer, ranks, part))
                    step(whole.images)
                    while len(waiting) > 4 * self._threads:
                        self._take(waiting.popleft(), whole)
                while waiting:
                    self._take(waiting.popleft(), whole)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        for problems in self.loader.left_out.values():
            whole.problems.extend(problems)
        return whole

    def merged(self, mine: Assessed) -> Assessed:
        """Put the shares of all processes together, the same in each of them."""
        first, *others = self.sharing.gathered(mine)
        whole: Assessed = first
        for other in others:
            whole.merge(other)
        return whole

    def _count(self, network: Method, answer: Answer, whole: Assessed) -> list[Ranks]:
        """Count the images whose class is found, and tell of each."""
        count = len(answer.items)
        whole.images += count
        if not network.classifies:
            return [UNKNOWN] * count
        labels = self.dataset.split.labels[answer.items]
        first = answer.top[:, 0] == labels
        among = (answer.top == labels[:, None]).any(1)
        whole.found["top1"] = whole.found.get("top1", 0) + int(first.sum())
        if answer.top.shape[1] < TOP:  # of fewer classes all would be found
            return [(float(one), math.nan) for one in first]
        whole.found["top5"] = whole.found.get("top5", 0) + int(among.sum())
        return list(zip(first.astype(float).tolist(), among.astype(float).tolist(), strict=True))

    def _measured(
        self, answer: Answer, ranks: Sequence[Ranks], part: range
    ) -> list[tuple[Ranks, list[Measured[Any]]]]:
        done = []
        for place in part:
            item = int(answer.items[place])
            if not self._measures:
                continue
            try:
                self._passing.maps[item] = prepare(answer.maps[place, 0], size=self._side)
                found = [measure(item) for measure in self._measures]
            except DataError as error:
                problem, image = error.problems[0], self.dataset.split.ids[item]
                found = [Measured(item, None, replace(problem, image=problem.image or image))]
            finally:
                self._passing.maps.pop(item, None)
            done.append((ranks[place], found))
        return done

    def _take(self, task: Future[list[tuple[Ranks, list[Measured[Any]]]]], whole: Assessed) -> None:
        """Add measurements to the accumulators, in the order of the images."""
        for ranks, found in task.result():
            if found[0].problem:
                if not self._skip:
                    raise DataError([found[0].problem])
                whole.problems.append(found[0].problem)
                continue
            for (name, accumulator), one in zip(whole.accumulators.items(), found, strict=True):
                image = self.dataset.split.ids[one.item]
                whole.warnings.setdefault(name, Counter()).update(one.warnings)
                measurement: Any = one.measurement
                if isinstance(accumulator, BoxAccumulator):
                    accumulator.add(measurement, image=image, ranks=ranks)
                else:
                    accumulator.add(measurement, image=image)


def answer_of(items: NDArray[np.int64], said: Localized) -> Answer:
    """Bring what a network says to the CPU."""
    logits = said.logits.float()
    top = logits.topk(min(TOP, logits.shape[1]), 1).indices
    return Answer(items, said.maps.float().cpu().numpy(), top.cpu().numpy())


def localized(network: Method, images: torch.Tensor, labels: torch.Tensor) -> Localized:
    """Classify and localize the given classes in one pass."""
    return network.localize(images, given(labels))


def protocols_of(names: Sequence[str], dataset: Dataset | None) -> list[Protocol]:
    """Give the protocols asked for, or one for each kind of ground truth that there is."""
    if names or dataset is None:
        return [preset(name) for name in names]
    usual = {"reference-v2": dataset.truth.has_boxes, "pixels": dataset.truth.has_masks}
    return [preset(name) for name, there in usual.items() if there]


def _accumulator(protocol: Protocol) -> Accumulator:
    masks = protocol.ground_truth_kind == "masks"
    return MaskAccumulator(protocol) if masks else BoxAccumulator(protocol)


def _measures(
    source: _Passing,
    dataset: Dataset,
    protocols: Sequence[Protocol],
    purposes: Purposes,
    ledger: Ledger,
    *,
    force: bool,
) -> list[Callable[[int], Measured[Any]]]:
    """Open each kind of label once for each purpose, and make what measures an item."""
    kinds = {protocol.ground_truth_kind for protocol in protocols}
    truth, labels = dataset.truth, dict[str, Any]()
    for kind in sorted(kinds):
        opened = truth.masks if kind == "masks" else truth.boxes
        for purpose in purposes.get(kind, ()):
            labels[kind] = opened(purpose, ledger, force=force)
    made: list[Callable[[int], Measured[Any]]] = []
    for protocol in protocols:
        measure: Any = measure_masks if protocol.ground_truth_kind == "masks" else measure_boxes
        known = labels[protocol.ground_truth_kind]
        made.append(measure(source, truth.split, known, protocol, Preparation()))
    return made


def _parts(count: int, threads: int) -> Iterator[range]:
    size = max(1, -(-count // threads))
    for start in range(0, count, size):
        yield range(start, min(count, start + size))

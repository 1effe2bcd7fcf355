"""One pass of one checkpoint over a split, measured against every ground truth at once."""

import math
import os
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from sightline import progress
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.truth import GroundTruth
from sightline.errors import DataError, Problem
from sightline.methods.contract import given
from sightline.metrics.box import map_boxes, measure
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.geometry import to_frame
from sightline.metrics.mask import MaskAccumulator, measure_mask
from sightline.metrics.protocol import Protocol
from sightline.metrics.score_maps import prepare
from sightline.training.trained import Trained
from sightline.types import Boxes

Floats = NDArray[np.float64]


class Target:
    """A split's places, from one source, and what is measured against them."""

    def __init__(
        self,
        truth: GroundTruth,
        dataset: Dataset,
        protocol: Protocol,
        purpose: str,
        ledger: Ledger,
        *,
        without: Collection[str] = (),
    ) -> None:
        self.protocol = protocol
        self._rows = _rows_of(dataset, truth, without)
        self._sizes = truth.split.sizes
        self._boxes: Boxes | None = None
        self._masks: Any = None
        if protocol.ground_truth_kind == "masks":
            self._masks = truth.masks(purpose, ledger)
        else:
            self._boxes = truth.boxes(purpose, ledger)

    def accumulator(self) -> Any:
        """Begin to collect."""
        masks = self.protocol.ground_truth_kind == "masks"
        return MaskAccumulator(self.protocol) if masks else BoxAccumulator(self.protocol)

    def measured(self, item: int, scores: Floats, found: Any) -> Any:
        """Measure one map, whose boxes were found before; nothing where no place is known."""
        row, side = self._rows[item], (scores.shape[1], scores.shape[0])
        if row is None:
            return None
        if self._boxes is None:
            return measure_mask(scores, read_mask(self._masks, row, side), self.protocol)
        corners = self._boxes.corners[self._boxes.offsets[row] : self._boxes.offsets[row + 1]]
        size = (int(self._sizes[row, 0]), int(self._sizes[row, 1]))
        truth = to_frame(corners, size, side, self.protocol.box_ends)
        return measure(scores, truth, self.protocol, found=found)


def _rows_of(dataset: Dataset, truth: GroundTruth, without: Collection[str]) -> list[int | None]:
    """Find each image of a split in another ground truth, which may lack some knowingly."""
    places = {name: row for row, name in enumerate(truth.split.ids)}
    missing = [n for n in dataset.split.ids if n not in places and n not in without]
    if missing:
        what = f"{truth.split.dataset} has no place for {len(missing)} of the split's images"
        raise DataError([Problem(what, image=missing[0], remedy="annotate the whole split")])
    return [places.get(name) for name in dataset.split.ids]


def one_pass(
    trained: Trained,
    dataset: Dataset,
    targets: Mapping[str, Target],
    batch: int,
    show: progress.Step,
    begun: int,
) -> dict[str, Any]:
    """Run one checkpoint over a split, measuring every map against every source."""
    network, side = trained.network, trained.transform.test_resize
    loader = Loader(
        dataset.pictures,
        sizes=dataset.split.sizes,
        transform=trained.transform,
        reading=Reading(batch=batch),
        training=False,
    )
    accumulators = {name: target.accumulator() for name, target in targets.items()}
    labels = dataset.split.labels
    right, areas = 0, 0.0

    def work(task: tuple[int, NDArray[Any]]) -> tuple[int, float, dict[str, Any]]:
        item, raw = task
        scores = prepare(raw, size=side)
        protocol = next(iter(targets.values())).protocol
        boxes = None if protocol.ground_truth_kind == "masks" else map_boxes(scores, protocol)
        found = {name: target.measured(item, scores, boxes) for name, target in targets.items()}
        return item, otsu_area(scores), found

    pool = ThreadPoolExecutor(os.cpu_count() or 1, "sightline-record")
    with closing(loader.epoch()) as batches, pool:  # type: ignore[type-var]
        for pictures in batches:
            items = pictures.indices
            said = network.localize(
                torch.from_numpy(pictures.images), given(torch.from_numpy(labels[items].clip(0)))
            )
            right += int((said.logits.argmax(1).numpy() == labels[items]).sum())
            maps = said.maps[:, 0].float().numpy()
            for item, area, found in pool.map(work, zip(items.tolist(), maps, strict=True)):
                areas += area
                for name, measurement in found.items():
                    if measurement is None:
                        continue
                    accumulators[name].add(measurement, image=dataset.split.ids[item])
            show(begun + int(items[-1]) + 1)
    count = len(dataset.pictures)
    return {
        "top1": 100 * right / count if network.classifies else math.nan,
        "area": areas / count,
        "norm": weight_norm(network),
        "sources": {name: _numbers(one) for name, one in accumulators.items()},
    }


def _numbers(accumulator: Any) -> dict[str, Any]:
    if isinstance(accumulator, MaskAccumulator):
        return {"precision": accumulator.compute()["value"]}
    return {"accuracy": accumulator.curve(), "overlap": 100 * accumulator.mean_overlap()}


def weight_norm(network: torch.nn.Module) -> float:
    """Give the Euclidean norm of all parameters together."""
    squares = [float(p.detach().double().square().sum()) for p in network.parameters()]
    return math.sqrt(math.fsum(squares))


def otsu_area(scores: Floats) -> float:
    """Give the share of the map that the box of the largest component at Otsu's threshold takes."""
    levels = np.round(scores * 255).astype(np.uint8)
    _, inside = cv2.threshold(levels, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    count, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(inside, np.uint8))
    if count < 2:
        return 0.0
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    width, height = stats[largest, cv2.CC_STAT_WIDTH], stats[largest, cv2.CC_STAT_HEIGHT]
    return float(width * height) / scores.size

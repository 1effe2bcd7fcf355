"""One explainer's way through the images of a split: labels, cost, and what is no map."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sightline.data.dataset import Dataset
from sightline.data.ledger import Purpose
from sightline.data.pipeline.loader import Batch
from sightline.errors import DataError, Problem, UsageError
from sightline.explaining.explainers import Work
from sightline.explaining.faults import told
from sightline.explaining.subjects import Subject
from sightline.methods.contract import Localized
from sightline.metrics.score_maps import prepare
from sightline.metrics.statistics import RESAMPLES
from sightline.training.shards import Numbers, ShardWriter

Labels = Literal["given", "predicted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a study is done."""

    labels: Labels = "given"  # whose evidence is looked for
    protocols: tuple[str, ...] = ()
    purpose: Purpose = "study"
    force: bool = False
    batch: int = 16
    workers: int | None = None
    resamples: int = RESAMPLES
    on_error: Literal["stop", "skip"] = "stop"
    out: Path | None = None  # a folder of maps for each explainer
    numbers: Numbers = "float16"
    show_progress: bool = True


class Unranked:
    """Stands where a network that is trained tells whether its class scores mean anything."""

    classifies = False


@dataclass(slots=True)
class Pass:
    """One explainer's way through the images."""

    name: str  # of the explainer
    work: Work
    subject: Subject
    dataset: Dataset
    asked: Asked
    writer: ShardWriter | None
    judging: bool = False  # count the images whose class the network names, too
    right: int = 0
    seconds: float = 0.0
    images: int = 0
    constant: list[str] = field(default_factory=list)

    def __call__(self, batch: Batch, labels: NDArray[np.int64]) -> Localized:
        """Explain a batch; what is no map is named."""
        images = torch.from_numpy(batch.images)
        with told(f"{self.name} fails at {self.dataset.split.ids[batch.indices[0]]} and on"):
            wanted = self._labels(images, labels)
            started = time.perf_counter()
            raw = self.work(images, wanted, batch.indices)
            self.seconds += time.perf_counter() - started
            if self.judging:
                likeliest = self.subject.network.answers(images).argmax(1).cpu()
                self.right += int((likeliest == wanted).sum())
        self.images += len(images)
        self._check(raw, batch.indices)
        return Localized(torch.zeros(len(images), 1), raw[:, None])

    def _labels(self, images: Tensor, labels: NDArray[np.int64]) -> Tensor:
        if self.asked.labels == "given":
            return torch.from_numpy(labels)
        return self.subject.network.answers(images).argmax(1).cpu()

    def _check(self, raw: Tensor, items: NDArray[np.int64]) -> None:
        names = [self.dataset.split.ids[item] for item in items.tolist()]
        if raw.dim() != 3 or len(raw) != len(names):
            raise UsageError(
                f"{self.name} gave {tuple(raw.shape)} where ({len(names)}, h, w) is needed, at"
                f" {names[0]} and on"
            )
        for name, one in zip(names, raw.float(), strict=True):
            finite = bool(torch.isfinite(one).all())
            if not finite and self.asked.on_error == "stop":
                what = f"{self.name}'s map holds NaN or infinite values"
                raise DataError([Problem(what, image=name, remedy="pass --on-error skip")])
            if finite and one.numel() and bool(one.amin() == one.amax()):
                self.constant.append(name)
            if finite and self.writer:
                side = self.subject.transform.test_resize
                self.writer.add(name, prepare(one.cpu().double().numpy(), size=side))

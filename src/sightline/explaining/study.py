"""The study: every explainer on the same images of the same network, each against one of them."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sightline import progress, rows
from sightline.data import openings
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger, Purpose
from sightline.data.pipeline.loader import Batch, Loader, Reading
from sightline.errors import DataError, Problem, UsageError
from sightline.evaluation import origins
from sightline.evaluation.evaluate import comparison, measured_on, provenance_of, result_of
from sightline.evaluation.request import Request
from sightline.evaluation.scoring import Scored
from sightline.explaining.explainers import Explainer, Work
from sightline.explaining.subjects import Subject
from sightline.methods.contract import Localized
from sightline.metrics.protocol import Protocol
from sightline.metrics.score_maps import prepare
from sightline.metrics.statistics import RESAMPLES
from sightline.training.scoring import Assessed, Assessor, protocols_of
from sightline.training.shards import Numbers, ShardWriter
from sightline.types import ResultRow

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


@dataclass(slots=True)
class Explained:
    """What one explainer reached."""

    explainer: Explainer
    subject: Subject
    rows: dict[str, ResultRow]  # by protocol
    seconds: float  # an image, of the explainer alone
    constant: list[str]  # images whose map is the same everywhere
    problems: list[Problem]


class _Unranked:
    """Stands where a network that is trained tells whether its class scores mean anything."""

    classifies = False


@dataclass(slots=True)
class _Pass:
    """One explainer's way through the images."""

    work: Work
    subject: Subject
    dataset: Dataset
    asked: Asked
    writer: ShardWriter | None
    seconds: float = 0.0
    images: int = 0
    constant: list[str] = field(default_factory=list)

    def __call__(self, batch: Batch, labels: NDArray[np.int64]) -> Localized:
        """Explain a batch; what is no map is named."""
        images = torch.from_numpy(batch.images)
        wanted = self._labels(images, labels)
        started = time.perf_counter()
        raw = self.work(images, wanted, batch.indices)
        self.seconds += time.perf_counter() - started
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
                f"the explainer gave {tuple(raw.shape)} where ({len(names)}, h, w) is needed, at"
                f" {names[0]} and on"
            )
        for name, one in zip(names, raw.float(), strict=True):
            finite = bool(torch.isfinite(one).all())
            if not finite and self.asked.on_error == "stop":
                what = "the explainer's map holds NaN or infinite values"
                raise DataError([Problem(what, image=name, remedy="pass --on-error skip")])
            if finite and one.numel() and bool(one.amin() == one.amax()):
                self.constant.append(name)
            if finite and self.writer:
                side = self.subject.transform.test_resize
                self.writer.add(name, prepare(one.cpu().double().numpy(), size=side))


class Study:
    """One network on one split: labels are opened once, whatever is compared."""

    def __init__(self, subject: Subject, dataset: Dataset, asked: Asked) -> None:
        self.subject, self.dataset, self.asked = subject, dataset, asked
        classes = _classes(subject)  # which also wakes the network, so that costs compare
        if asked.labels == "given":
            _refuse_labels(classes, dataset)
        self.protocols = protocols_of(asked.protocols, dataset)
        if not self.protocols:
            name = dataset.split.name
            raise UsageError(f"split {name} has neither boxes nor masks of every image")
        self.ledger = Ledger()
        reading = Reading(batch=asked.batch, workers=asked.workers, on_error=asked.on_error)
        loader = Loader(
            dataset.pictures,
            sizes=dataset.split.sizes,
            transform=subject.transform,
            reading=reading,
            training=False,
        )
        self._assessor = Assessor(
            dataset,
            loader,
            self.protocols,
            {"boxes": [asked.purpose], "masks": [asked.purpose]},
            self.ledger,
            side=subject.transform.test_resize,
            force=asked.force,
            skip_problems=asked.on_error == "skip",
        )

    def passed(self, explainer: Explainer, *, kept: bool = True) -> tuple[Assessed, _Pass]:
        """Let an explainer go through all images."""
        side = self.subject.transform.test_resize
        work = explainer.bind(self.subject.network, self.dataset.split, side)
        folder = self.asked.out / folder_name(explainer.name) if self.asked.out and kept else None
        context = ShardWriter(folder, self.asked.numbers) if folder else nullcontext()
        shown = progress.shown(explainer.name, len(self.dataset.pictures))
        network: Any = _Unranked()
        with context as writer, shown as step:
            going = _Pass(work, self.subject, self.dataset, self.asked, writer)
            report = step if self.asked.show_progress else progress.silent
            assessed = self._assessor.assess(network, going, report)
        if folder:
            (folder / "predictions.csv").unlink(missing_ok=True)  # nobody was asked
            origins.keep(folder, self.subject.ledger)
        return assessed, going

    def row(
        self, explainer: Explainer, assessed: Assessed, going: _Pass, protocol: Protocol
    ) -> ResultRow:
        """Say what an explainer reached under a protocol, and how."""
        scored = Scored(assessed.accumulators[protocol.name], assessed.tally(protocol.name), {})
        found = result_of(scored, protocol, self.request, self.dataset.truth) | {
            "maps": f"explainer:{explainer.name}",
            "baseline": {},
            "explainer": {"name": explainer.name, **explainer.options},
            "explained": {"labels": self.asked.labels, **self.subject.origin},
            "constant": going.constant,
        }
        left_out = list(map(str, assessed.problems))
        told = provenance_of(found, left_out, going.seconds)
        if self.asked.out:
            folder = self.asked.out / folder_name(explainer.name)
            told |= measured_on(self.dataset.truth, folder)
        told["seconds_an_image"] = going.seconds / max(1, going.images)
        kinds = [e for e in self.ledger.entries if e.kind == protocol.ground_truth_kind]
        return ResultRow(rows.plain(found), told, (*kinds, *self.subject.ledger))

    @property
    def request(self) -> Request:
        """Give the plain settings of the evaluation."""
        return Request(
            split=self.dataset.split.name,
            normalize="min-max",
            purpose=self.asked.purpose,
            on_error=self.asked.on_error,
            resamples=self.asked.resamples,
        )


Pair = tuple[Subject, Explainer]


def study(
    pairs: Sequence[Pair],
    dataset: Dataset,
    *,
    against: Pair | None = None,
    asked: Asked | None = None,
) -> list[Explained]:
    """Score explainers, each on its network, on one split.

    Args:
        pairs: networks and what explains them, in this order.
        dataset: the split, as `read_dataset` gives it.
        against: what each is tested against on the same images; it comes first.
        asked: all else.
    """
    settings = asked or Asked()
    studies: dict[str, Study] = {}
    found: list[Explained] = []
    base: Assessed | None = None
    todo = [pair for pair in pairs if against is None or not _same(pair, against)]
    for pair in [against, *todo] if against else todo:
        subject, one = pair
        if subject.title not in studies:
            studies[subject.title] = Study(subject, dataset, settings)
        done = studies[subject.title]
        assessed, going = done.passed(one)
        made = {}
        for protocol in done.protocols:
            row = done.row(one, assessed, going, protocol)
            if base is not None and against is not None:
                row = _compared(row, assessed, base, protocol, done.request, against[1].name)
            openings.record(dataset.split, dataset.truth.fingerprint, row)
            made[protocol.name] = _kept(row, one, protocol, settings.out)
        base = assessed if pair is against else base
        seconds = going.seconds / max(1, going.images)
        found.append(
            Explained(one, subject, made, seconds, going.constant, list(assessed.problems))
        )
    return found


def _same(one: Pair, other: Pair) -> bool:
    return one[0].title == other[0].title and one[1].name == other[1].name


def folder_name(name: str) -> str:
    """Name an explainer's folder."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)


def _compared(
    row: ResultRow,
    mine: Assessed,
    base: Assessed,
    protocol: Protocol,
    request: Request,
    name: str,
) -> ResultRow:
    test = comparison(mine.accumulators[protocol.name], base.accumulators[protocol.name], request)
    result: Mapping[str, Any] = {**row.result, "against": rows.plain({"maps": name, **test})}
    return ResultRow(result, row.provenance, row.ledger)


def _kept(row: ResultRow, one: Explainer, protocol: Protocol, out: Path | None) -> ResultRow:
    if out:
        rows.save(row, out / f"{folder_name(one.name)}-{protocol.name}{rows.SUFFIX}")
    return row


def _classes(subject: Subject) -> int:
    side = subject.transform.test_resize
    return int(subject.network.answers(torch.zeros(1, 3, side, side)).shape[1])


def _refuse_labels(classes: int, dataset: Dataset) -> None:
    """Refuse classes that are not known, or that the network does not have."""
    labels = dataset.split.labels
    wrong = (labels < 0) | (labels >= classes)
    if not wrong.any():
        return
    place = int(np.argmax(wrong))
    known = "no class is known" if labels[place] < 0 else f"class {labels[place]}"
    what = f"{known}, but the network has {classes} classes"
    remedy = "explain the data that it was trained for, or what it predicts: --labels predicted"
    raise DataError([Problem(what, image=dataset.split.ids[place], remedy=remedy)])

"""The study: every explainer on the same images of the same network, each against one of them."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sightline import progress, rows
from sightline.data import openings
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Loader, Reading
from sightline.errors import DataError, Problem, UsageError
from sightline.evaluation import origins
from sightline.evaluation.evaluate import comparison, measured_on, provenance_of, result_of
from sightline.evaluation.request import Request
from sightline.evaluation.scoring import Scored
from sightline.explaining.explainers import Explainer
from sightline.explaining.faults import told
from sightline.explaining.passing import Asked, Pass, Unranked
from sightline.explaining.subjects import Subject
from sightline.metrics.protocol import Protocol
from sightline.training.scoring import Assessed, Assessor, protocols_of
from sightline.training.shards import ShardWriter
from sightline.types import ResultRow


@dataclass(slots=True)
class Explained:
    """What one explainer reached."""

    explainer: Explainer
    subject: Subject
    rows: dict[str, ResultRow]  # by protocol
    seconds: float  # an image, of the explainer alone
    constant: list[str]  # images whose map is the same everywhere
    problems: list[Problem]


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
        self.top1: float | None = None  # of the network, where its classes are the data's
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

    def passed(self, explainer: Explainer, *, kept: bool = True) -> tuple[Assessed, Pass]:
        """Let an explainer go through all images."""
        side = self.subject.transform.test_resize
        work = explainer.bind(self.subject.network, self.dataset.split, side)
        folder = self.asked.out / folder_name(explainer.name) if self.asked.out and kept else None
        context = ShardWriter(folder, self.asked.numbers) if folder else nullcontext()
        shown = progress.shown(explainer.name, len(self.dataset.pictures))
        network: Any = Unranked()
        judging = kept and self.asked.labels == "given" and self.top1 is None
        with context as writer, shown as step:
            going = Pass(
                explainer.name, work, self.subject, self.dataset, self.asked, writer, judging
            )
            report = step if self.asked.show_progress else progress.silent
            assessed = self._assessor.assess(network, going, report)
        if judging:
            self.top1 = 100 * going.right / max(1, going.images)
        if folder:
            (folder / "predictions.csv").unlink(missing_ok=True)  # nobody was asked
            origins.keep(folder, self.subject.ledger)
        return assessed, going

    def row(
        self, explainer: Explainer, assessed: Assessed, going: Pass, protocol: Protocol
    ) -> ResultRow:
        """Say what an explainer reached under a protocol, and how."""
        scored = Scored(assessed.accumulators[protocol.name], assessed.tally(protocol.name), {})
        found = result_of(scored, protocol, self.request, self.dataset.truth) | {
            "maps": f"explainer:{explainer.name}",
            "baseline": {},
            "explainer": {"name": explainer.name, **explainer.options},
            "explained": {"labels": self.asked.labels, **self._judged(), **self.subject.origin},
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

    def _judged(self) -> dict[str, float]:
        """Say how often the network is right, where its classes are the data's."""
        return {} if self.top1 is None else {"top1": self.top1}

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
    studies: dict[int, Study] = {}  # by network: titles need not differ
    found: list[Explained] = []
    base: Assessed | None = None
    todo = [pair for pair in pairs if against is None or not _same(pair, against)]
    for pair in [against, *todo] if against else todo:
        subject, one = pair
        if id(subject) not in studies:
            studies[id(subject)] = Study(subject, dataset, settings)
        done = studies[id(subject)]
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
    return one[0] is other[0] and one[1].name == other[1].name


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
    remedy = "see that it takes batches of such images: --size"
    with told(f"{subject.title} fails on an image of {side} x {side}", remedy):
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

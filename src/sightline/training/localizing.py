"""Score maps of a run: to disk, into the evaluator, or both in one pass."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from sightline import progress, rows
from sightline.allocation import keep_freed_memory
from sightline.data import openings
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.pipeline.loader import Batch, Loader, Reading
from sightline.errors import DataError, Problem, UsageError
from sightline.evaluation import origins
from sightline.evaluation.evaluate import measured_on, provenance_of, result_of
from sightline.evaluation.request import Request
from sightline.evaluation.scoring import Scored
from sightline.methods.contract import Localized, top
from sightline.metrics import evidence_files
from sightline.metrics.evidence_files import Kept
from sightline.metrics.protocol import Protocol
from sightline.metrics.score_maps import prepare
from sightline.training.inference import for_inference
from sightline.training.memory import said_of_memory
from sightline.training.plan import LAST, Places, Plan
from sightline.training.scoring import Assessed, Assessor, protocols_of
from sightline.training.shards import Numbers, ShardWriter
from sightline.training.trained import Trained, load_run
from sightline.types import ResultRow

Classes = Literal["gt-known", "top-1", "top-5"]
MAPS = "maps"  # where a run's maps are looked for, if they are kept
COUNTS: dict[str, int] = {"gt-known": 0, "top-1": 1, "top-5": 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Localizing:
    """How maps are made, and what becomes of them."""

    checkpoint: str = LAST
    classes: Classes = "gt-known"  # whose maps go to disk
    numbers: Numbers = "float16"
    batch: int = 32
    workers: int | None = None
    accelerator: Literal["auto", "cpu", "gpu"] = "auto"
    evaluate: bool = False
    protocols: tuple[str, ...] = ()
    purpose: str = "final-report"
    force: bool = False
    on_error: Literal["stop", "skip"] = "stop"
    show_progress: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What became of it: how many maps are on disk, and a row for each protocol."""

    images: int
    maps: int
    rows: tuple[ResultRow, ...]
    problems: tuple[Problem, ...]
    evidence: tuple[Kept, ...] = ()  # of each row


def localize_run(
    run: str | Path | Trained,
    dataset: Dataset,
    *,
    out: Path | None = None,
    asked: Localizing | None = None,
) -> Found:
    """Run a trained network over a split.

    Args:
        run: the folder of the run, or what `load_run` gave.
        dataset: the split, as `read_dataset` gives it.
        out: the folder for maps and `predictions.csv`, if they are wanted.
        asked: all else.
    """
    asked = asked or Localizing()
    keep_freed_memory()
    trained = run if isinstance(run, Trained) else load_run(run, asked.checkpoint)
    _refuse_labels(dataset, trained, asked, stored=out is not None)
    started = time.perf_counter()
    protocols = _protocols(dataset, asked)
    ledger = Ledger()
    assessor = _assessor(trained, dataset, protocols, ledger, asked)
    context = ShardWriter(out, asked.numbers) if out else nullcontext()
    with context as writer, said_of_memory(Plan(batch=asked.batch)):
        assessed = _pass(trained, dataset, assessor, writer, asked)
    if out:
        origins.keep(out, trained.ledger)
    place = out or (None if isinstance(run, Trained) else Path(run) / MAPS)
    told = {"seconds": time.perf_counter() - started, "place": place}
    made = tuple(
        _row(trained, dataset, assessed, protocol, ledger, asked, told) for protocol in protocols
    )
    for row in made:
        openings.record(dataset.truth.split, dataset.truth.fingerprint, row)
    count = writer.maps if writer else 0
    kept = tuple(evidence_files.of(assessed.accumulators[p.name]) for p in protocols)
    return Found(assessed.images, count, made, tuple(assessed.problems), kept)


def final_report(root: Path, places: Places, plan: Plan, **conduct: Any) -> list[ResultRow]:
    """Open the test split for the last checkpoint of a run, and keep the rows beside it."""
    from sightline.training.material import read_split

    dataset = read_split(places, places.test_split, skip_problems=conduct.get("on_error") == "skip")
    known = {name: conduct[name] for name in ("workers", "accelerator", "on_error", "force")}
    asked = Localizing(evaluate=True, batch=plan.batch, protocols=plan.protocols, **known)
    files = _final_files(root, protocols_of(plan.protocols, dataset))
    if all(file.exists() for file in files):
        return [rows.load(file) for file in files]
    found = localize_run(root, dataset, asked=asked)
    for file, row, kept in zip(files, found.rows, found.evidence, strict=True):
        beside = file.with_name(file.name.replace(rows.SUFFIX, evidence_files.SUFFIX))
        evidence_files.save(kept, beside)
        artifacts = {evidence_files.ARTIFACT: rows.artifact(beside, root)}
        rows.save(replace(row, artifacts=artifacts), file)
    return [rows.load(file) for file in files]


def _final_files(root: Path, protocols: Sequence[Protocol]) -> list[Path]:
    return [root / f"final-{protocol.name}{rows.SUFFIX}" for protocol in protocols]


def _protocols(dataset: Dataset, asked: Localizing) -> list[Protocol]:
    if not asked.evaluate:
        return []
    protocols = protocols_of(asked.protocols, dataset)
    if not protocols:
        name = dataset.truth.split.name
        raise UsageError(f"split {name} has neither boxes nor masks of every image to evaluate on")
    return protocols


def _refuse_labels(dataset: Dataset, trained: Trained, asked: Localizing, *, stored: bool) -> None:
    """Refuse classes that the network does not have."""
    labels, classes = dataset.split.labels, trained.network.classes
    if not trained.network.classifies:
        return
    high = labels >= classes
    wanted = asked.evaluate or (stored and asked.classes == "gt-known")
    wrong = high | (labels < 0) if wanted else high
    if wrong.any():
        place = int(np.argmax(wrong))
        what = f"class {labels[place]}, but the network has {classes} classes"
        remedy = "localize the data that it was trained for, or --classes top-1 without labels"
        raise DataError([Problem(what, image=dataset.split.ids[place], remedy=remedy)])


def _assessor(
    trained: Trained,
    dataset: Dataset,
    protocols: Sequence[Protocol],
    ledger: Ledger,
    asked: Localizing,
) -> Assessor:
    loader = Loader(
        dataset.pictures,
        sizes=dataset.split.sizes,
        transform=trained.transform,
        reading=Reading(batch=asked.batch, workers=asked.workers, on_error=asked.on_error),
        training=False,
    )
    return Assessor(
        dataset,
        loader,
        protocols,
        {"boxes": [asked.purpose], "masks": [asked.purpose]},
        ledger,
        side=trained.transform.test_resize,
        force=asked.force,
        skip_problems=asked.on_error == "skip",
    )


def _pass(
    trained: Trained,
    dataset: Dataset,
    assessor: Assessor,
    writer: ShardWriter | None,
    asked: Localizing,
) -> Assessed:
    """Run the network once over all images."""
    device = device_of(asked.accelerator)
    network = for_inference(trained.network).to(device)
    shown = progress.shown("localize", len(dataset.pictures))

    def forward(batch: Batch, labels: np.ndarray[Any, np.dtype[np.int64]]) -> Localized:
        images = torch.from_numpy(batch.images).to(device, memory_format=torch.channels_last)
        wanted = torch.from_numpy(labels).to(device)
        said = network.localize(images, _choice(wanted, asked.classes))
        if writer:
            _write(writer, dataset, batch, said, asked, trained.transform.test_resize)
        return said

    with torch.inference_mode(), shown as step:
        return assessor.assess(network, forward, step if asked.show_progress else progress.silent)


def _choice(labels: Tensor, classes: Classes) -> Callable[[Tensor], Tensor]:
    """Ask for the map of the true class, and behind it for those of the likeliest ones."""
    count = COUNTS[classes]
    if not count:
        return lambda logits: labels[:, None]
    return lambda logits: torch.cat([labels[:, None], top(count)(logits)], 1)


def _write(
    writer: ShardWriter,
    dataset: Dataset,
    batch: Batch,
    said: Localized,
    asked: Localizing,
    side: int,
) -> None:
    maps = said.maps.float().cpu().numpy()
    ranked = said.logits.float().topk(min(5, said.logits.shape[1]), 1).indices.cpu().numpy()
    for place, item in enumerate(batch.indices.tolist()):
        name, image = dataset.split.ids[item], dataset.split.images[item]
        writer.predict(image, ranked[place].tolist())
        if asked.classes == "top-5":
            for k, label in enumerate(ranked[place].tolist(), start=1):
                writer.add(f"{name}/{label}", prepare(maps[place, k], size=side))
        else:
            writer.add(name, prepare(maps[place, -1], size=side))


def _row(
    trained: Trained,
    dataset: Dataset,
    assessed: Assessed,
    protocol: Protocol,
    ledger: Ledger,
    asked: Localizing,
    told: Mapping[str, Any],
) -> ResultRow:
    request = Request(
        split=dataset.truth.split.name,
        normalize="min-max",
        purpose=asked.purpose,  # type: ignore[arg-type]
        on_error=asked.on_error,
    )
    scored = Scored(assessed.accumulators[protocol.name], assessed.tally(protocol.name), {})
    result = result_of(scored, protocol, request, dataset.truth)
    kinds = [e for e in ledger.entries if e.kind == protocol.ground_truth_kind]
    classified = {n: 100 * c / max(1, assessed.images) for n, c in assessed.found.items()}
    found = result | {"maps": "run", "baseline": {}, "run": trained.origin}
    found |= {"classification": classified} if classified else {}
    left_out = list(map(str, assessed.problems))
    entries = (*kinds, *trained.ledger)
    known = provenance_of(found, left_out, told["seconds"])
    known |= measured_on(dataset.truth, told["place"])
    return ResultRow(rows.plain(found), known, entries)


def device_of(accelerator: str) -> torch.device:
    """Choose where a network runs."""
    if accelerator == "gpu" and not torch.cuda.is_available():
        raise UsageError("--accelerator: there is no GPU here that PyTorch can use; pass cpu")
    return torch.device("cuda" if accelerator != "cpu" and torch.cuda.is_available() else "cpu")

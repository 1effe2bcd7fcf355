"""Labels to search with against labels to learn from: CAM and few-shot as labels grow.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Figure 15.

With k labels of each class CAM's best trial is the one that scores best on those images; few-shot
learning trains on the very same images. Both are measured on the test split, a study. What is
done is kept, so that a study that was stopped goes on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sightline import provenance, rows
from sightline.data.dataset import Dataset
from sightline.errors import UsageError
from sightline.evaluation.evaluate import evaluate
from sightline.metrics import evidence_files
from sightline.protocol import fewshot, results
from sightline.protocol.fewshot import Point
from sightline.protocol.ranking import converged
from sightline.training.folder import RunFolder
from sightline.training.localizing import Localizing, localize_run
from sightline.training.material import Material, read_split
from sightline.training.plan import Places
from sightline.training.run import train
from sightline.types import LedgerEntry, ResultRow

METHOD, REFERENCE = "few-shot", "cam"
CENTER = "baseline:center-gaussian"
HELD_OUT = 0.2  # of the labels, to choose few-shot's learning rate by


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a study consists of."""

    places: Places
    runs: tuple[Path, ...]  # trials of CAM
    per_class: tuple[int, ...]
    draws: int = 3
    protocol: str = "reference-v2"
    rates: tuple[float, ...] = (0.01,)  # learning rates among which few-shot chooses
    seed: int = 0
    backbone: str = ""  # that of the trials if not given
    settings: Mapping[str, Any] = field(default_factory=dict)  # of few-shot's training


@dataclass(frozen=True, slots=True)
class Studied:
    """The curve, with the row that it is kept in."""

    lines: list[dict[str, Any]]
    center: float
    row: ResultRow


def drawn(labels: Any, per_class: int, seed: int, draw: int) -> list[int]:
    """Draw that many images of each class; a larger draw holds the smaller ones."""
    found: list[int] = []
    for label in np.unique(labels):
        here = np.flatnonzero(labels == label)
        if per_class > len(here):
            raise UsageError(
                f"--per-class: class {label} has {len(here)} images on validation, not {per_class}"
            )
        rng = np.random.default_rng((seed, draw, int(label)))
        found += rng.permutation(here)[:per_class].tolist()
    return sorted(found)


def study(asked: Asked, out: Path) -> Studied:
    """Measure trials, train few-shot, and draw the curve."""
    if not asked.per_class or min(asked.per_class) < 1 or asked.draws < 1 or not asked.rates:
        raise UsageError("--per-class, --draws and --lr need numbers of 1, 1 and more than 0 on")
    trials = [t for t in results.trainings(asked.runs) if t.method == REFERENCE]
    sound = [t for t in trials if converged(t)]
    if not sound:
        raise UsageError(
            f"{asked.runs[0]}: none of {len(trials)} trials of {REFERENCE} converged;"
            f" 'sightline search {REFERENCE}' makes them"
        )
    val = read_split(asked.places, asked.places.val_split)
    test = read_split(asked.places, asked.places.test_split)
    ledger: list[LedgerEntry] = []
    center = evaluate(CENTER, test.truth, asked.protocol, purpose="study")
    points = _searched(asked, trials, val, test, out, ledger)
    for per_class in asked.per_class:
        for draw in range(asked.draws):
            items = drawn(val.split.labels, per_class, asked.seed, draw)
            root = out / METHOD / f"{per_class:03d}-{draw}"
            row = _taught(asked, sound[0].backbone, val.chosen(items), test, root)
            ledger += row.ledger
            points.append(Point(METHOD, per_class, draw, float(row.result["value"])))
    zero = float(center.result["value"])
    points.append(Point(METHOD, 0, 0, zero))
    lines = fewshot.curve(points, zero)
    result = {
        "kind": "fewshot",
        "protocol": center.result["protocol"],
        "truth": center.result["truth"],
        "seed": asked.seed,
        "center": zero,
        "curve": lines,
        "passes_cam_at": fewshot.crossing(lines, METHOD, REFERENCE),
    }
    entries = tuple(dict.fromkeys([*center.ledger, *ledger]))
    made = ResultRow(rows.plain(result), provenance.now(), entries)
    rows.save(made, out / f"fewshot{rows.SUFFIX}")
    return Studied(lines, zero, made)


def _searched(
    asked: Asked,
    trials: Sequence[results.Result],
    val: Dataset,
    test: Dataset,
    out: Path,
    ledger: list[LedgerEntry],
) -> list[Point]:
    """Choose among trials with each draw of labels; without any, let all of them stand."""
    found, points = [], []
    for number, trial in enumerate(trials):
        if not converged(trial):
            points.append(Point(REFERENCE, 0, number, float("nan"), converged=False))
            continue
        root = out / REFERENCE / f"{number:04d}"
        kept = _measured(trial.file.parent, val, asked, root, "val")
        tested = _measured(trial.file.parent, test, asked, root, "test")
        ledger += [*kept.row.ledger, *tested.row.ledger]
        points.append(Point(REFERENCE, 0, number, tested.value))
        found.append((kept, tested.value))
    for per_class in asked.per_class:
        for draw in range(asked.draws):
            items = drawn(val.split.labels, per_class, asked.seed, draw)
            names = {val.split.ids[item] for item in items}
            scores = [_score_of(kept, names) for kept, _ in found]
            value = found[int(np.argmax(scores))][1]
            points.append(Point(REFERENCE, per_class, draw, value))
    return points


def _score_of(kept: results.Result, names: set[str]) -> float:
    """Score a trial on some images alone, its threshold chosen by them."""
    evidence = kept.evidence
    assert evidence
    weights = np.array([[name in names for name in evidence.ids]], np.int32)
    part = evidence.evidence.chosen(weights[0].astype(bool))
    return float(part.score(np.ones((1, part.images), np.int32))[0])


def _measured(run: Path, dataset: Dataset, asked: Asked, root: Path, name: str) -> results.Result:
    """Measure a run on a split, unless that was done."""
    file = root / f"{name}{rows.SUFFIX}"
    if not file.is_file() or not _current(rows.load(file), run, dataset, asked):
        wanted = Localizing(evaluate=True, protocols=(asked.protocol,), purpose="study")
        made = localize_run(run, dataset, asked=wanted)
        beside = evidence_files.save(made.evidence[0], root / f"{name}{evidence_files.SUFFIX}")
        row = made.rows[0]
        artifacts = {evidence_files.ARTIFACT: rows.artifact(beside, root)}
        rows.save(ResultRow(row.result, row.provenance, row.ledger, artifacts), file)
    (found,) = results.read([file])
    return found


def _current(row: ResultRow, run: Path, dataset: Dataset, asked: Asked) -> bool:
    """Tell whether a kept result is still that of this run, split and protocol."""
    folder = RunFolder(run)
    return bool(
        row.result["protocol"]["name"] == asked.protocol
        and row.result["truth"]["fingerprint"] == dataset.truth.fingerprint
        and row.result["run"]["sha256"] == rows.file_hash(folder.checkpoint("last"))
    )


def _taught(asked: Asked, backbone: str, data: Dataset, test: Dataset, root: Path) -> ResultRow:
    """Train few-shot on some labels: the rate by a fifth of them, then on all."""
    rate = asked.rates[0]
    if len(asked.rates) > 1:
        rate = _best_rate(asked, backbone, data, root)
    _fit(asked, backbone, Material(data, None, _classes(data)), rate, root / "run", 0)
    return _measured(root / "run", test, asked, root, "test").row


def _best_rate(asked: Asked, backbone: str, data: Dataset, root: Path) -> float:
    count = len(data.pictures)
    order = np.random.default_rng((asked.seed, count)).permutation(count)
    kept = max(1, round(HELD_OUT * count))
    if kept >= count:
        return asked.rates[0]
    held, rest = (data.chosen(np.sort(part).tolist()) for part in (order[:kept], order[kept:]))
    values = []
    for number, rate in enumerate(asked.rates):
        material = Material(rest, held, _classes(data))
        row = _fit(asked, backbone, material, rate, root / f"rate-{number}", 1)
        value = row.result["value"]
        values.append(-1.0 if value is None else float(value))
    return asked.rates[int(np.argmax(values))]


def _fit(
    asked: Asked, backbone: str, material: Material, rate: float, out: Path, every: int
) -> ResultRow:
    settings = {**asked.settings, "seed": asked.seed, "lr": rate}
    settings |= {"evaluate_every": settings["epochs"] if every else 0}
    settings |= {"protocols": (asked.protocol,) if every else ()}
    return train(METHOD, material, asked.backbone or backbone, out, **settings)


def _classes(data: Dataset) -> int:
    return max(len(data.split.classes), int(data.split.labels.max()) + 1)

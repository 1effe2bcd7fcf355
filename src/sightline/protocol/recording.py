"""Measures a run after each of its epochs, from checkpoints kept with `--keep every`.

One pass over a split gives everything: class accuracy, localization against the ground truth and
any number of pseudo ground truths, and the box at Otsu's threshold. No map is kept.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sightline import progress, provenance, rows
from sightline.data import openings
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.data.predicted import without_box
from sightline.data.truth import GroundTruth, read_truth
from sightline.errors import UsageError
from sightline.metrics.protocol import THRESHOLD_STEPS, Protocol, preset, threshold_grid
from sightline.protocol import epochs
from sightline.protocol.epochs import (
    BOX_AREA,
    CLASS_ACCURACY,
    TEST,
    TRUTH,
    VAL,
    WEIGHT_NORM,
    EpochRecord,
)
from sightline.protocol.noise_study import MARK
from sightline.protocol.passes import Target, one_pass
from sightline.training.folder import RunFolder
from sightline.training.material import read_split
from sightline.training.plan import Places
from sightline.training.trained import load_run
from sightline.types import ResultRow

Floats = NDArray[np.float64]

PREFIX = "epoch-"


@dataclass(frozen=True, slots=True)
class Recording:
    """What to record, and how to go about it."""

    pseudo: Mapping[str, str] = field(default_factory=dict)  # name -> folder of a ground truth
    test: bool = False  # measure the test split too, as a study
    by: str = ""  # boxes or masks; boxes where there are boxes
    thresholds: int = THRESHOLD_STEPS  # score thresholds that are kept, evenly spaced
    batch: int = 32
    force: bool = False
    show_progress: bool = True

    def __post_init__(self) -> None:
        """Refuse thresholds that were not measured."""
        if self.thresholds < 1 or THRESHOLD_STEPS % self.thresholds:
            raise UsageError(f"--thresholds: {self.thresholds} does not divide {THRESHOLD_STEPS}")


def record(root: Path, asked: Recording) -> Path:
    """Record a run, unless that was done; give the row's place."""
    file = root / f"{epochs.KIND}{rows.SUFFIX}"
    done = epochs.load(file) if file.is_file() else None
    pseudo = {**_known_pseudo(file), **asked.pseudo}
    wants_test = asked.test or bool(done and done.has_test)
    work = _Work(root, asked, pseudo, _checkpoints(root))
    inputs = rows.load(file).result.get("inputs") if done else None
    if done and inputs == work.inputs() and (done.has_test or not wants_test):
        return file
    work.split(VAL)
    if wants_test:
        work.split(TEST)
    return work.finish(file)


def _known_pseudo(file: Path) -> dict[str, str]:
    """Tell which pseudo ground truths were recorded before, and where they lay."""
    if not file.is_file():
        return {}
    return dict(rows.load(file).provenance.get("pseudo", {}))


def _checkpoints(root: Path) -> dict[int, str]:
    found = {
        int(file.stem.removeprefix(PREFIX)): file.stem
        for file in sorted(root.glob(f"{PREFIX}[0-9]*.safetensors"))
    }
    if not found:
        raise UsageError(
            f"{root}: keeps no checkpoint of every epoch; train it with --keep every, or select"
            " among runs that do"
        )
    return dict(sorted(found.items()))


class _Work:
    """One run on its way to a record."""

    def __init__(
        self, root: Path, asked: Recording, pseudo: Mapping[str, str], checkpoints: dict[int, str]
    ) -> None:
        self.root, self.asked, self.pseudo, self.checkpoints = root, asked, pseudo, checkpoints
        self.config = RunFolder(root).config()
        self.row = _finished_row(root)
        self.places = _places(self.config["places"])
        if _trains_on_validation(self.config):
            raise UsageError(
                f"{root}: learned from its validation split, so that nothing is left to select on"
            )
        self.ledger = Ledger()
        self.truths: dict[str, GroundTruth] = {}
        self.protocol: Protocol | None = None
        self.series: dict[str, Floats] = {}
        self.found: dict[str, dict[tuple[str, str], Floats]] = {
            name: {} for name in ("accuracy", "overlap", "precision")
        }

    @property
    def step(self) -> int:
        """Tell how far thresholds that are kept lie apart."""
        return THRESHOLD_STEPS // self.asked.thresholds

    def inputs(self) -> dict[str, Any]:
        """Tell what a record of the validation split follows from."""
        last = RunFolder(self.root).checkpoint(list(self.checkpoints.values())[-1])
        fingerprints = {
            name: read_truth(place, split=self.places.val_split).fingerprint
            for name, place in sorted(self.pseudo.items())
        }
        return {
            "epochs": list(self.checkpoints),
            "last": rows.file_hash(last),
            "by": self.asked.by or "boxes, where there are boxes",
            "thresholds": self.asked.thresholds,
            "pseudo": fingerprints,
        }

    def split(self, role: str) -> None:
        """Measure all checkpoints on a split."""
        name = self.places.val_split if role == VAL else self.places.test_split
        dataset = _read(self.places, name, self.root)
        self.truths[role] = dataset.truth
        self.protocol = self.protocol or _protocol(dataset.truth, self.asked.by)
        targets = self._targets(role, dataset)
        lines = []
        title = f"record {self.root.name}, {name}"
        count = len(self.checkpoints) * len(dataset.pictures)
        with progress.shown(title, count) as step, torch.inference_mode():
            for number, checkpoint in enumerate(self.checkpoints.values()):
                trained = load_run(self.root, checkpoint)
                begun = number * len(dataset.pictures)
                show = step if self.asked.show_progress else progress.silent
                lines.append(one_pass(trained, dataset, targets, self.asked.batch, show, begun))
        self._keep(role, list(targets), lines)

    def _targets(self, role: str, dataset: Dataset) -> dict[str, Target]:
        assert self.protocol
        purpose = "model-selection" if role == VAL else "study"
        truths = {TRUTH: dataset.truth}
        if role == VAL:
            for name, place in self.pseudo.items():
                truths[name] = read_truth(place, split=self.places.val_split)
        return {
            name: Target(
                truth,
                dataset,
                self.protocol,
                purpose,
                self.ledger,
                without=without_box(self.pseudo[name], self.places.val_split)
                if name in self.pseudo
                else (),
            )
            for name, truth in truths.items()
        }

    def _keep(self, role: str, sources: list[str], lines: list[dict[str, Any]]) -> None:
        if not math.isnan(lines[0]["top1"]):
            self.series[f"{role}/{CLASS_ACCURACY}"] = np.array([one["top1"] for one in lines])
        self.series[f"{role}/{BOX_AREA}"] = np.array([one["area"] for one in lines])
        self.series[WEIGHT_NORM] = np.array([one["norm"] for one in lines])
        for source in sources:
            measured = [one["sources"][source] for one in lines]
            for name in measured[0]:
                step = self.step if name != "precision" else 1  # which is over all thresholds
                values = np.array([one[name] for one in measured])
                self.found[name][role, source] = values[..., ::step]

    def finish(self, file: Path) -> Path:
        """Write the record, and its row last."""
        assert self.protocol
        config = self.config
        plan = config["plan"]
        facts = {
            "method": config["method"],
            "backbone": config["backbone"],
            "dataset": self.truths[VAL].split.dataset,
            "configuration": self.root.name,
            "options": config["options"],
            "plan": plan,
            "status": self.row.result["status"],
            "pseudo": {
                name: _mark(Path(place), self.places) for name, place in self.pseudo.items()
            },
        }
        made = EpochRecord(
            facts=facts,
            epochs=np.array(list(self.checkpoints)),
            deltas=self.protocol.iou_thresholds,
            thresholds=threshold_grid()[:: self.step],
            series=self.series,
            **self.found,  # type: ignore[arg-type]
        )
        arrays = file.parent / f"{epochs.KIND}.npz"
        epochs.save(made, arrays)
        result = {
            "kind": epochs.KIND,
            "run": facts,
            "protocol": self.protocol.as_dict(),
            "truth": {
                role: {"split": truth.split.name, "fingerprint": truth.fingerprint}
                for role, truth in self.truths.items()
            },
            "epochs": len(self.checkpoints),
            "inputs": self.inputs(),
            "arrays": rows.file_hash(arrays),
        }
        places = {name: str(Path(place).resolve()) for name, place in self.pseudo.items()}
        row = ResultRow(
            rows.plain(result),
            {**provenance.now(), "pseudo": places},
            tuple(self.ledger.entries),
            {epochs.ARTIFACT: rows.artifact(arrays, file.parent)},
        )
        rows.save(row, file)
        for truth in self.truths.values():
            openings.record(truth.split, truth.fingerprint, row)
        return file


def _finished_row(root: Path) -> ResultRow:
    file = RunFolder(root).row
    if not file.is_file():
        raise UsageError(f"{root}: its training is not finished; give 'sightline train' again")
    return rows.load(file)


def _places(kept: Mapping[str, Any]) -> Places:
    folders = {name: Path(kept[name]) if kept.get(name) else None for name in ("images", "masks")}
    return Places(**{**kept, **folders})


def _trains_on_validation(config: Mapping[str, Any]) -> bool:
    prints = config.get("fingerprints", {})
    places = config["places"]
    same = prints.get("train") == prints.get("val")
    return bool(same or places.get("train_split") == places["val_split"] or _needs_masks(config))


def _needs_masks(config: Mapping[str, Any]) -> bool:
    from sightline.methods import assembly

    needs = assembly.module_of(config["method"]).Method.needs
    return needs == "masks" and not config["places"].get("train_split")


def _read(places: Places, split: str, root: Path) -> Dataset:
    try:
        found = read_split(places, split)
    except UsageError as error:
        raise UsageError(f"{root}: split '{split}' cannot be read ({error})") from None
    if not (found.truth.has_boxes or found.truth.has_masks):
        raise UsageError(f"{root}: split '{split}' has neither boxes nor masks of every image")
    return found


def _protocol(truth: GroundTruth, by: str) -> Protocol:
    return preset("pixels" if by == "masks" or not truth.has_boxes else "reference-v2")


def _mark(place: Path, places: Places) -> str:
    """Say in a line what a pseudo ground truth is, from the mark beside it."""
    for folder in (place / places.val_split, place):
        if (folder / MARK).is_file():
            mark = json.loads((folder / MARK).read_text(encoding="utf-8"))
            level = f", {mark['level']} %" if "level" in mark else ""
            origin = mark.get("from", {}).get("labels", "")
            return f"{mark.get('made_by', place.name)}{level}{f'; {origin}' if origin else ''}"
    return place.name

"""What pseudo boxes are worth after each step of their selection, on a split with true boxes.

As commands, with what the recipe states:

    sightline annotate train rpn --data PLACES --splits SPLITS --out rpn.safetensors
    sightline train cam --data PLACE --out run
    sightline annotate ANNOTATOR --data PLACE --split SPLIT --classifier run --stages --out pseudo

The proposal network learns from other images, and of Pond from other species, than it annotates.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline import provenance, registry
from sightline.annotators import driver, rpn_network, rpn_training
from sightline.annotators.classifier import PACKAGED, Asking
from sightline.annotators.quality import stage_rows
from sightline.annotators.selecting import Plan
from sightline.data.dataset import Dataset, read_dataset
from sightline.training.run import train
from sightline.types import ResultRow

Settings = Mapping[str, Any]
KEPT = ("value", "interval", "per_delta")


def measure(
    data: Path,
    *,
    place: str,
    split: str,
    annotator: str,
    options: Settings | None = None,
    folder: Settings | None = None,
    rpn: Settings | None = None,
    classifier: Settings | None = None,
    asking: Settings | None = None,
    work: Path | None = None,
) -> ResultRow:
    """Annotate a split, and compare every step with the true boxes.

    Args:
        data: stands for `{data}` in places.
        place: as in `--data`.
        split: as in `--split`.
        annotator: its name.
        options: the annotator's.
        folder: where images are, if not found by themselves.
        rpn: `places` and `splits` to train the proposal network on, and settings of its training.
        classifier: backbone and settings of the CAM that chooses; the packaged network if none.
        asking: how the classifier is asked.
        work: where weights and runs are kept; nowhere if not given.
    """
    paths = {name: filled(where, data) for name, where in (folder or {}).items()}
    with nullcontext(work) if work else TemporaryDirectory() as kept:
        root = Path(kept)
        chosen = dict(options or {})
        if rpn:
            chosen["weights"] = str(trained(root / "rpn.safetensors", data, **rpn))
        place, judge = filled(place, data), PACKAGED
        if classifier:
            judge = str(root / "run")
            settings = {name: value for name, value in classifier.items() if name != "backbone"}
            train("cam", place, classifier["backbone"], Path(judge), **settings, **paths)
        dataset = read_dataset(place, split=split, **paths)
        found = annotated(dataset, annotator, chosen, Asking(judge, **(asking or {})))
        rows = stage_rows(found)
    stages = {
        str(row.result["stage"]): {name: row.result[name] for name in KEPT if name in row.result}
        for row in rows
    }
    about = {
        name: value for name, value in found.asked.about["options"].items() if name != "weights"
    }
    result = {
        "annotator": annotator,
        "options": about,
        "selection": {k: v for k, v in found.selection.items() if k != "sha256"},
        "dataset": dataset.split.dataset,
        "split": dataset.split.name,
        "images": len(dataset.pictures),
        "without_box": rows[0].result["without_box"],
        "stages": stages,
        "rises": rises(stages),
    }
    return ResultRow(result, provenance.now(), rows[0].ledger)


def annotated(dataset: Dataset, name: str, options: Settings, asking: Asking) -> driver.Annotated:
    """Ask and choose."""
    declared = registry.load("annotator", name).Options(**options)
    asked = driver.answers(name, dataset, declared)
    return driver.annotate(dataset, asked, Plan(), asking)


def trained(
    file: Path, data: Path, *, places: Sequence[str], splits: Sequence[str], **how: Any
) -> Path:
    """Train the proposal network, unless its weights are there."""
    if not file.is_file():
        settings = rpn_training.Training(**how)
        some = [read_dataset(filled(p, data), split=s) for p in places for s in splits]
        learned = rpn_training.train(some, settings)
        about = rpn_training.about(learned, settings)
        rpn_network.write(learned.head, file, about, learned.ledger)
    return file


def rises(stages: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Tell by how much each line of the paper's table is above the one before."""
    order = ("pointing-game", "pointing-game-top20", "top20-objectness")
    lines = [*order, "top20-pointing-game-scoring", "upper-bound"]
    pairs = pairwise(lines)
    return {later: stages[later]["value"] - stages[first]["value"] for first, later in pairs}


def filled(value: Any, data: Path) -> Any:
    """Put the folder of data in."""
    return value.replace("{data}", str(data)) if isinstance(value, str) else value

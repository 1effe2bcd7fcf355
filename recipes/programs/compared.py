"""CAM, center-Gaussian, few-shot and other methods on the same test images, with paired tests.

Each method is trained and scored as these commands do, with the recipe's settings:

    sightline train METHOD --data PLACE --backbone BACKBONE --evaluate-every 0 --out RUN
    sightline localize RUN --data PLACE --split test --out MAPS
    sightline evaluate MAPS PLACE --split test --against baseline:center-gaussian

No label chooses a hyperparameter. The threshold is the oracle on the test split, for all alike.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sightline as sl
from sightline import provenance
from sightline.data.dataset import read_dataset
from sightline.data.truth import read_truth
from sightline.training.localizing import localize_run
from sightline.training.run import train
from sightline.types import LedgerEntry, ResultRow

CAM, FEW_SHOT = "cam", "few-shot"
OF_CAM = "{cam}"  # weights: those that CAM's run ended with
CENTER = "baseline:center-gaussian"
METRICS = {"boxes": "reference-v2", "exact": "exact", "pixels": "pixels"}
Folder = Mapping[str, Any]  # where things are: images, masks, ignore_value


def measure(
    data: Path,
    *,
    place: str,
    backbone: str,
    cam: Mapping[str, Any],
    few_shot: Mapping[str, Any] | None = None,
    others: Mapping[str, Mapping[str, Any]] | None = None,
    settings: Mapping[str, Any] | None = None,
    folder: Folder | None = None,
    work: Path | None = None,
) -> ResultRow:
    """Train the methods, and compare them on the test split: with CAM, and CAM with the center.

    Args:
        data: stands for `{data}` in places.
        place: as in `--data`.
        backbone: its name.
        cam: settings of CAM's training alone.
        few_shot: settings of the few-shot baseline's training alone; without it if None.
        others: settings of other methods' training, by method, with `options` of their own; the
            weights may be `{cam}`.
        settings: settings of all.
        folder: where images and masks are, if not found by themselves.
        work: where runs and maps are kept, to go on with what was stopped; nowhere if not given.
    """
    place, paths = _filled(place, data), {k: _filled(v, data) for k, v in (folder or {}).items()}
    given = {CAM: cam, **({FEW_SHOT: few_shot} if few_shot is not None else {}), **(others or {})}
    plans = {name: {**(settings or {}), **own} for name, own in given.items()}
    result: dict[str, Any] = {"place": Path(place).name, "backbone": backbone}
    ledger: list[LedgerEntry] = []
    seconds: dict[str, float] = {}
    with nullcontext(work) if work else TemporaryDirectory() as kept:
        root = Path(kept)
        for method, plan in plans.items():
            started = time.perf_counter()
            row = _localized(root / method, method, place, backbone, plan, paths)
            seconds[method] = time.perf_counter() - started
            result[method] = {"settings": plan, "loss": row.result["loss"]}
            ledger += row.ledger
        for method, found, labels in _scored(root, place, paths, plans):
            result.setdefault(method, {}).update(found)
            ledger += labels
    return ResultRow(result, {**provenance.now(), "seconds": seconds}, tuple(ledger))


def _filled(value: Any, data: Path) -> Any:
    return value.replace("{data}", str(data)) if isinstance(value, str) else value


def _localized(
    root: Path, method: str, place: str, backbone: str, plan: Mapping[str, Any], paths: Folder
) -> ResultRow:
    """Train a method and write its maps of the test images."""
    run, maps = root / "run", root / "maps"
    own = dict(plan)
    if own.get("weights") == OF_CAM:
        own["weights"] = str(root.parent / CAM / "run" / "last.safetensors")
    row = train(method, place, backbone, run, **own, **paths, evaluate_every=0)
    if not maps.exists():
        localize_run(run, read_dataset(place, split="test", **paths), out=maps)
    return row


def _scored(
    root: Path, place: str, paths: Folder, trained: Iterable[str]
) -> Iterator[tuple[str, dict[str, Any], tuple[LedgerEntry, ...]]]:
    """Score all under each metric, and compare each with the one below it."""
    maps = {name: str(root / name / "maps") for name in trained}
    pairs = {"center-gaussian": (CENTER, None)}
    pairs |= {name: (own, CENTER if name == CAM else maps[CAM]) for name, own in maps.items()}
    masks = {k: v for k, v in paths.items() if k in ("masks", "ignore_value")}
    truth = read_truth(place, split="test", **masks)
    for name, (own, below) in pairs.items():
        predictions = root / name / "maps" / "predictions.csv"
        for metric, protocol in METRICS.items():
            row = sl.evaluate(
                own,
                truth,
                protocol,
                against=below,
                split="test",
                predictions=predictions if name == CAM else None,
            )
            kept = ("metric", "value", "interval", "images", "per_delta", "mean_iou", "pointing")
            found = {key: row.result[key] for key in kept if key in row.result}
            if below:
                found["above"] = {
                    "of": "center-gaussian" if below == CENTER else CAM,
                    **row.result["against"],
                }
                found["above"].pop("maps")
            if "top1_localization" in row.result:
                found["top1"] = row.result["top1_localization"]
            yield name, {metric: found}, row.ledger

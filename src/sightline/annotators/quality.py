"""How good the boxes are after each step, against a ground truth: a row for each.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization,
Table 1 and Table 2

IoU is that of the released evaluator, in the image's own pixels, with the best true box. Where a
step leaves several boxes their mean counts, as the paper's values show that it does. An image
without a box counts as 0.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sightline import provenance, rows
from sightline.annotators.answers import ranked
from sightline.annotators.boxing import scaled, whole
from sightline.annotators.contract import Floats, Heat, Proposals
from sightline.annotators.driver import Annotated
from sightline.annotators.selecting import Choice, Ints
from sightline.data import openings
from sightline.data.dataset import Dataset
from sightline.data.ledger import Ledger
from sightline.errors import UsageError
from sightline.evaluation.predicted_boxes import summary
from sightline.evaluation.request import Request
from sightline.metrics.box import measure
from sightline.metrics.geometry import iou, to_frame
from sightline.metrics.protocol import preset, threshold_grid
from sightline.types import ResultRow

KIND = "pseudo-annotation"
FINAL = "top20-pointing-game-scoring"
TITLES = {
    "pointing-game": "pointing game (PG)",
    "pointing-game-top20": "PG and best ranks",
    "top20-objectness": "first of the best ranks",
    FINAL: "best ranks, PG and scoring",
    "upper-bound": "upper bound, chosen by IoU",
    "otsu": "Otsu's threshold",
    "thresholds-1000": "best of 1,000 thresholds, one for all",
    "thresholds-each": "best of 1,000 thresholds, each its own",
    "chosen": "the box",
    "peak": "peak of the CAM in a true box",
}
SEVERAL = ("pointing-game", "pointing-game-top20")  # steps that leave more than one box
Places = Callable[[Choice, Floats], Ints | None]


def stage_rows(found: Annotated, *, force: bool = False, resamples: int = 1000) -> list[ResultRow]:
    """Compare every step with the true boxes, and have that recorded."""
    truth, split = found.dataset.truth, found.dataset.split
    ledger = Ledger()
    true = true_boxes(found.dataset, ledger, force=force)
    overlaps = _overlaps(found, true)
    request = Request(split=split.name, purpose="study", resamples=resamples)
    entries = (*ledger.entries, *found.ledger)
    made = []
    for stage, values in overlaps.items():
        result = summary(values, request)
        if stage in (*SEVERAL, "peak"):
            del result["per_delta"]
        if stage == "peak":
            result["metric"] = "pointing accuracy"
        about = {
            "kind": KIND,
            **found.asked.about,
            "selection": found.selection if found.choices else {},
            "stage": stage,
            "without_box": sum(not one.box for one in found.outcomes),
            "truth": {
                "dataset": split.dataset,
                "split": split.name,
                "fingerprint": truth.fingerprint,
            },
        }
        row = ResultRow(rows.plain(about | result), provenance.now(), entries)
        openings.record(split, truth.fingerprint, row)
        made.append(row)
    return made


def refuse_no_truth(dataset: Dataset) -> None:
    """Refuse to compare where there is nothing to compare with."""
    if not dataset.truth.has_boxes:
        raise UsageError(
            f"--stages compares with true boxes, which not every image of {dataset.split.dataset}"
            " has; leave it out"
        )


def true_boxes(dataset: Dataset, ledger: Ledger, *, force: bool = False) -> list[Floats]:
    """Open the true boxes of every image, as a study."""
    refuse_no_truth(dataset)
    boxes = dataset.truth.boxes("study", ledger, force=force)
    return [boxes.corners[a:b] for a, b in pairwise(boxes.offsets)]


def save(made: list[ResultRow], folder: Path) -> None:
    """Write a file for each stage, and nothing of stages that are no more."""
    for file in folder.glob(f"*{rows.SUFFIX}"):
        file.unlink()
    for row in made:
        rows.save(row, folder / f"{row.result['stage']}{rows.SUFFIX}")


def as_lines(made: list[ResultRow]) -> list[dict[str, str]]:
    """Set the stages under each other, as in Table 2."""
    return [
        {
            "step": TITLES[str(row.result["stage"])],
            "value": f"{row.result['value']:.2f}",
            "95 % interval": "{:.2f} to {:.2f}".format(*row.result["interval"]),
            **{f"IoU {d}": _share(row.result, str(d)) for d in (30, 50, 70)},
        }
        for row in made
    ]


def _share(result: Mapping[str, Any], delta: str) -> str:
    return f"{result['per_delta'][delta]:.1f}" if "per_delta" in result else ""


def _overlaps(found: Annotated, true: list[Floats]) -> dict[str, Floats]:
    """Give every image's overlap after every step that there is, in the order of the table."""
    gives = found.asked.module.GIVES
    if gives == "proposals":
        return _of_choices(found, true)
    final = _of_outcomes(found, true)
    if gives == "heat":
        curves = _curves(found, true)
        one = curves[:, int(curves.mean(0).argmax())]
        return {"otsu": final, "thresholds-1000": one, "thresholds-each": curves.max(1)}
    return {"chosen": final}


def _of_outcomes(found: Annotated, true: list[Floats]) -> Floats:
    values = np.zeros(len(true))
    for item, outcome in enumerate(found.outcomes):
        if outcome.box:
            values[item] = _best(np.array([outcome.box]), outcome.size, true[item])[0]
    return values


def _of_choices(found: Annotated, true: list[Floats]) -> dict[str, Floats]:
    names = ["pointing-game", "pointing-game-top20", "top20-objectness", FINAL, "upper-bound"]
    order = found.selection.get("order", ())
    if not {"top", "pointing"} <= {*order}:
        names.remove("pointing-game-top20")
    if "top" not in order:
        names.remove("top20-objectness")
    values = {name: np.zeros(len(true)) for name in (*names, "peak")}
    both = next((s for s in reversed(order) if s in ("top", "pointing")), "")
    for item, choice in enumerate(found.choices):
        answer = found.asked.answer(item) if choice else None
        if choice is None or not isinstance(answer, Proposals):
            continue
        size = found.outcomes[item].size
        proposals, _ = ranked(answer, *size)
        best = _best(proposals.boxes, size, true[item])
        kept: dict[str, Ints] = {
            "pointing-game": choice.hit,
            "pointing-game-top20": choice.left.get(both, choice.hit[:0]),
            "top20-objectness": np.array([choice.best]),
            FINAL: np.array([choice.place] if choice.place >= 0 else [], np.int64),
        }
        for name in names[:-1]:
            values[name][item] = best[kept[name]].mean() if len(kept[name]) else 0.0
        values["upper-bound"][item] = best.max()
        values["peak"][item] = _points_at(choice.peak, true[item])
    return values


def _curves(found: Annotated, true: list[Floats]) -> Floats:
    """Give the overlap of the largest region at 1,000 thresholds, a line for each image."""
    protocol = preset("exact", contours="largest", box_ends="reference")
    values = np.zeros((len(true), len(threshold_grid())), np.float32)
    for item, outcome in enumerate(found.outcomes):
        answer = found.asked.answer(item) if outcome.box else None
        if isinstance(answer, Heat):
            frame = to_frame(true[item], outcome.size, outcome.size, protocol.box_ends)
            values[item] = measure(scaled(answer, outcome.size), frame, protocol).overlaps
    return values.astype(np.float64)


def _best(boxes: Floats, size: tuple[int, int], true: Floats) -> Floats:
    """Give each box's IoU with the best true one, as written to disk."""
    return np.asarray(iou(whole(boxes, size).astype(np.float64), true, "reference").max(1))


def _points_at(peak: tuple[float, float], true: Floats) -> float:
    x, y = np.floor(peak)
    inside = (true[:, 0] <= x) & (x <= true[:, 2]) & (true[:, 1] <= y) & (y <= true[:, 3])
    return float(inside.any())

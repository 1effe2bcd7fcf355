"""Part sequences of real photographs: what detail is worth to a classifier, and what context is.

The score of an image is its mean over orderings. What is gained from one content scheme to another
is the mean difference over images, with an interval from resampling them.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sightline import provenance
from sightline.cli.parts_score_command import Command
from sightline.parts import named
from sightline.parts.annotated import read_annotated
from sightline.parts.classifying import Wanted, classify
from sightline.parts.prepared import Prepared
from sightline.parts.preparing import Choices, prepare
from sightline.parts.schemes import read_schemes
from sightline.parts.scores import averages, recording
from sightline.types import ResultRow

CONTENTS = ("intra-object", "neighborhood", "low-detail", "higher-detail")
GAINS = {  # what is compared: the first less the second, so that more is better
    "context": ("intra-object", "neighborhood"),
    "gist": ("intra-object", "low-detail"),
    "detail": ("low-detail", "higher-detail"),
}
METRICS = ("cds", "b_cds")
RESAMPLES, SEED = 1000, 0


def measure(
    data: Path, place: str, scheme: str, classifier: str, orderings: Sequence[str], split: str = ""
) -> ResultRow:
    """Prepare photographs, have them classified part by part, and score the answers."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source = read_annotated(place.replace("{data}", str(data)), split=split)
        prepare(source, read_schemes(scheme, "drop"), root / "prepared", Choices())
        chosen = named.read("classifier", classifier)
        wanted = Wanted(
            tuple(named.chosen("ordering", orderings)), tuple(named.chosen("content", CONTENTS))
        )
        who = {classifier: chosen.module.load(chosen.options)}
        answers = classify(Prepared(root / "prepared"), who, wanted, root / "answers")
        return measured(answers[classifier])


def measured(answers: Path) -> ResultRow:
    """Score a file of answers."""
    scores, collected, _ = Command((answers,)).scored()
    frame = scores.frame
    result: dict[str, Any] = {
        "kind": "part-gains",
        "classifier": str(frame["classifier"].iloc[0]),
        "images": int(frame["image"].nunique()),
        "categories": {c: int(of["image"].nunique()) for c, of in frame.groupby("category")},
        "part_schemes": list(dict.fromkeys(frame["part_scheme"])),
        "answers": int(frame["steps"].sum()),
        "expected": scores.expected,
        "medians": _medians(scores),
    }
    for metric in METRICS:
        by_image = frame.groupby(["image", "content"])[metric].mean().unstack("content")
        result[metric] = _compared(by_image[list(CONTENTS)])
    return ResultRow(result, provenance.now(), recording.ledger(collected))


def _medians(scores: Any) -> dict[str, dict[str, float]]:
    """Give the paper's figures: medians over images, means over orderings and categories."""
    found: dict[str, dict[str, float]] = {}
    for metric in METRICS:
        cells, _ = averages.contents(scores, metric, seed=SEED, times=0)
        found[metric] = {cell.content: float(cell.value) for cell in cells}
    return found


def _compared(by_image: pd.DataFrame) -> dict[str, Any]:
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(0, len(by_image), (RESAMPLES, len(by_image)))
    gains = {name: by_image[a] - by_image[b] for name, (a, b) in GAINS.items()}
    gains["detail_over_context"] = gains["detail"] - gains["context"]
    told = {c: _with_interval(by_image[c].to_numpy(), drawn) for c in CONTENTS}
    told |= {name: _with_interval(of.to_numpy(), drawn) for name, of in gains.items()}
    return told


def _with_interval(values: np.ndarray, drawn: np.ndarray) -> dict[str, float]:
    means = values[drawn].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": float(values.mean()), "low": float(low), "high": float(high)}

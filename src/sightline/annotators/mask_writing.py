"""Pseudo masks on disk: a ground truth in the reference format, as manual masks have it.

Paper: Murtaza et al., A Realistic Protocol for Evaluation of Weakly Supervised Object Localization,
    supplement F

A mask is what lies above the threshold of a map, all regions of it. As with boxes, an image without
one is not listed but named in `no_box.txt`.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sightline.annotators.asking import Asked
from sightline.annotators.boxing import Inside, inside_of
from sightline.annotators.contract import Heat, Region
from sightline.annotators.outcomes import Outcome, counted
from sightline.annotators.writing import MARK, OUTCOMES, as_table, claim, made_by
from sightline.data.build.files import write_bytes
from sightline.data.build.lists import Listed, write_classes, write_lists
from sightline.data.dataset import Dataset
from sightline.data.ledger import as_text
from sightline.data.predicted import WITHOUT
from sightline.errors import UsageError
from sightline.rows import write_whole
from sightline.types import LedgerEntry


def refuse_boxes(asked_of: str, gives: str) -> None:
    """Refuse annotators whose answers are boxes."""
    if gives not in ("heat", "region"):
        raise UsageError(
            f"--masks: {asked_of} gives boxes alone; masks come from cam, clip or saliency"
        )


def write_masks(
    folder: Path,
    dataset: Dataset,
    asked: Asked,
    outcomes: Sequence[Outcome],
    about: dict[str, Any],
    ledger: Sequence[LedgerEntry],
) -> int:
    """Write the masks of a split; tell how many there are."""
    claim(folder, about["annotator"])
    split = dataset.split
    mark = {
        "made_by": made_by(about["annotator"]),
        "about": about,
        "from": {
            "dataset": split.dataset,
            "split": split.name,
            "labels": "pseudo masks; " + ("; ".join(as_text(ledger)) or "no localization label"),
        },
        "outcomes": counted(outcomes),
    }
    write_whole(folder / MARK, json.dumps(mark, indent=1) + "\n")
    listed = []
    for item, inside in _masks(asked, outcomes):
        one = outcomes[item]
        name = f"masks/{one.name}.png"
        done, content = cv2.imencode(".png", inside.astype(np.uint8) * 255)
        assert done
        write_bytes(folder / name, content.tobytes())
        listed.append(Listed(one.name, int(split.labels[item]), one.size, (f"{name},",)))
    if not listed:
        raise UsageError(f"no image of {split.dataset}, split {split.name}, has got a mask")
    write_whole(folder / OUTCOMES, as_table(outcomes))
    without = [f"{o.name},{o.reason.replace(',', ';')}" for o in outcomes if not o.box]
    if without:
        write_whole(folder / WITHOUT, "\n".join(without) + "\n")
    if split.classes:
        write_classes(folder, split.classes)
    write_lists(folder, listed)
    return len(listed)


def _masks(asked: Asked, outcomes: Sequence[Outcome]) -> Iterator[tuple[int, Inside]]:
    for item, one in enumerate(outcomes):
        answer = asked.answer(item) if one.box else None
        if isinstance(answer, Heat | Region):
            inside = inside_of(answer, one.size)
            assert isinstance(inside, np.ndarray)
            yield item, inside

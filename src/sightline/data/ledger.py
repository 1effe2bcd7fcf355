"""The supervision ledger: localization labels are reached by naming what they are for."""

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from sightline.errors import UsageError
from sightline.types import LedgerEntry, Split

Purpose = Literal[
    "threshold", "hyperparameters", "model-selection", "training", "final-report", "study"
]
OPEN_PURPOSES = ("final-report", "study")  # the only ones for which test labels are read
TEST = "test"


class Ledger:
    """Remembers every localization label that was consumed on the way to a result."""

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []

    def record(
        self, split: Split, purpose: str, kind: str, labels: int, *, force: bool = False
    ) -> None:
        """Write down a use of labels; refuse test labels for anything but a report or a study."""
        if purpose not in get_args(Purpose):
            raise UsageError(f"unknown purpose '{purpose}'; choose {', '.join(get_args(Purpose))}")
        forbidden = split.name == TEST and purpose not in OPEN_PURPOSES
        if forbidden and not force:
            raise UsageError(
                f"test labels may not be used for '{purpose}'; name another split, or pass --force"
                " to have it recorded"
            )
        _, per_class = np.unique(split.labels, return_counts=True)
        fewest, most = (int(per_class.min()), int(per_class.max())) if len(per_class) else (0, 0)
        self.entries.append(
            LedgerEntry(
                dataset=split.dataset,
                split=split.name,
                purpose=purpose,
                kind=kind,
                images=len(split.ids),
                labels=labels,
                per_class=(fewest, most),
                forced=forbidden,
            )
        )


def as_text(entries: Iterable[LedgerEntry]) -> list[str]:
    """Say each entry in one line."""
    return [
        f"{entry.labels} {entry.kind} of {entry.images} images ({_span(entry.per_class)} images a"
        f" class) of {entry.dataset}, split {entry.split}, for {entry.purpose}"
        + (" (forced)" if entry.forced else "")
        for entry in entries
    ]


def _span(per_class: tuple[int, int]) -> str:
    fewest, most = per_class
    return str(fewest) if fewest == most else f"{fewest} to {most}"

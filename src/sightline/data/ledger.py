"""The supervision ledger: localization labels are reached by naming what they are for."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sightline.data.splits import TEST, is_test
from sightline.errors import UsageError
from sightline.types import LedgerEntry, Split

Purpose = Literal[
    "threshold", "hyperparameters", "model-selection", "training", "final-report", "study"
]
OPEN_PURPOSES = ("final-report", "study")  # the only ones for which test labels are read
__all__ = ["OPEN_PURPOSES", "TEST", "Ledger", "Purpose", "as_text", "is_test"]


class Ledger:
    """Remembers every localization label that was consumed on the way to a result."""

    def __init__(self) -> None:
        self.entries: list[LedgerEntry] = []

    def record(
        self, split: Split, purpose: str, kind: str, counts: Sequence[int], *, force: bool = False
    ) -> None:
        """Write down a use of labels; refuse test labels for anything but a report or a study.

        Args:
            split: whose labels they are.
            purpose: what they are for.
            kind: boxes, masks, parts or fixations.
            counts: the number of labels of each item.
            force: let it pass, and have that recorded.
        """
        if purpose not in get_args(Purpose):
            raise UsageError(f"unknown purpose '{purpose}'; choose {', '.join(get_args(Purpose))}")
        forbidden = is_test(split.name) and purpose not in OPEN_PURPOSES
        if forbidden and not force:
            raise UsageError(
                f"test labels may not be used for '{purpose}'; name another split, or pass --force"
                " to have it recorded"
            )
        each = np.asarray(counts, np.int64)
        self.entries.append(
            LedgerEntry(
                dataset=split.dataset,
                split=split.name,
                purpose=purpose,
                kind=kind,
                images=len(split.ids),
                labels=int(each.sum()),
                per_class=_fewest_and_most(split, np.ones_like(each)),
                forced=forbidden,
                labels_per_class=_fewest_and_most(split, each),
            )
        )


def _fewest_and_most(split: Split, each: NDArray[np.int64]) -> tuple[int, int]:
    """Sum what each item has by class."""
    if not len(each):
        return 0, 0
    _, places = np.unique(split.labels, return_inverse=True)
    sums = np.bincount(places, weights=each).astype(int)
    return int(sums.min()), int(sums.max())


def as_text(entries: Iterable[LedgerEntry]) -> list[str]:
    """Say each entry in one line."""
    return [
        f"{entry.labels} {entry.kind} of {entry.images} images ({_by_class(entry)}) of"
        f" {entry.dataset}, split {entry.split}, for {entry.purpose}"
        + (" (forced)" if entry.forced else "")
        for entry in entries
    ]


def _by_class(entry: LedgerEntry) -> str:
    noun = "image" if entry.per_class == (1, 1) else "images"
    text = f"{_span(entry.per_class)} {noun} a class"
    if entry.labels_per_class in ((0, 0), entry.per_class):
        return text
    return f"{text}, {_span(entry.labels_per_class)} {entry.kind}"


def _span(per_class: tuple[int, int]) -> str:
    fewest, most = per_class
    return str(fewest) if fewest == most else f"{fewest} to {most}"

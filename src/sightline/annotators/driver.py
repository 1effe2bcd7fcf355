"""From a split to boxes: an annotator is asked, and one box of each answer is chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sightline import registry
from sightline.annotators.answers import ranked
from sightline.annotators.asking import Asked, ask
from sightline.annotators.boxing import inside_of, largest_box
from sightline.annotators.contract import Answer, Floats, Nothing, Proposals
from sightline.annotators.outcomes import Corners, Outcome
from sightline.annotators.selecting import Choice, Plan
from sightline.annotators.store import Store, default_folder
from sightline.data.dataset import Dataset
from sightline.data.photographs import inspect
from sightline.errors import DataError, Problem
from sightline.types import LedgerEntry

if TYPE_CHECKING:
    from sightline.annotators.classifier import Asking

Choose = Callable[[int, Proposals], tuple[int, str, float]]  # which one (-1: none), why, its score


@dataclass(frozen=True, slots=True, eq=False)
class Annotated:
    """A split with an outcome for each image, in its order."""

    dataset: Dataset
    asked: Asked
    outcomes: tuple[Outcome, ...]
    choices: tuple[Choice | None, ...] = ()  # of annotators that give many boxes
    selection: dict[str, Any] = field(default_factory=dict)  # how one was chosen, as rows tell it
    ledger: tuple[LedgerEntry, ...] = ()  # labels that went into annotator and classifier


def answers(
    name: str,
    dataset: Dataset,
    options: Any = None,
    *,
    cache: Path | None = None,
    seed: int = 0,
    workers: int = 0,
    on_error: Literal["stop", "skip"] = "stop",
    show_progress: bool = True,
) -> Asked:
    """Ask an annotator about every image of a split.

    Args:
        name: as registered.
        dataset: the split.
        options: the annotator's, its defaults if not given.
        cache: folder where answers are kept, the user's own if not given.
        seed: of whatever is random.
        workers: processes; 0 for one a processor.
        on_error: stop at an image that cannot be read, or record it and go on.
        show_progress: tell on standard error how far it is.
    """
    declared = registry.load("annotator", name).Options
    given = {item.name: getattr(options, item.name) for item in fields(declared)} if options else {}
    chosen = declared(**given)  # flags are of a class made on the spot, which no process can import
    store = Store(cache or default_folder())
    asked = ask(
        name,
        chosen,
        dataset,
        store,
        seed=seed,
        workers=workers,
        show_progress=show_progress,
        stop=on_error == "stop",
    )
    if asked.failed and on_error == "stop":
        remedy = "mend it, or pass --on-error skip"
        raise DataError([Problem(why, remedy=remedy) for why in asked.failed.values()])
    return asked


def annotate(
    dataset: Dataset,
    asked: Asked,
    plan: Plan | None = None,
    asking: "Asking | None" = None,
    *,
    workers: int = 0,
    show_progress: bool = True,
) -> Annotated:
    """Choose a box for each image that an annotator was asked about.

    Args:
        dataset: the split.
        asked: what `answers` gave.
        plan: how one of many boxes is chosen, of annotators that give many.
        asking: which classifier chooses; the packaged one if not given.
        workers: processes; 0 for one a processor.
        show_progress: tell on standard error how far it is.
    """
    if asked.module.GIVES != "proposals":
        outcomes = chosen_boxes(dataset, asked, first)
        return Annotated(dataset, asked, outcomes, ledger=asked.ledger)
    from sightline.annotators.choosing import choices  # which needs PyTorch
    from sightline.annotators.classifier import Asking as Default

    found = choices(
        dataset,
        asked,
        plan or Plan(),
        asking or Default(),
        workers=workers,
        show_progress=show_progress,
    )

    def choose(item: int, proposals: Proposals) -> tuple[int, str, float]:
        choice = found.choices[item]
        if choice is None:
            return -1, "the classifier could not be asked", 0.0
        response = choice.responses[choice.place]
        score = proposals.scores[choice.place] if np.isnan(response) else response
        return choice.place, choice.reserve, float(score)

    outcomes = chosen_boxes(dataset, asked, choose)
    ledger = (*asked.ledger, *found.ledger)
    return Annotated(dataset, asked, outcomes, found.choices, found.about, ledger)


def chosen_boxes(dataset: Dataset, asked: Asked, choose: Choose) -> tuple[Outcome, ...]:
    """Come to a box for each image."""
    sizes = sizes_of(dataset, asked)
    return tuple(
        _outcome(asked, item, name, size, choose)
        for item, (name, size) in enumerate(zip(dataset.split.ids, sizes, strict=True))
    )


def sizes_of(dataset: Dataset, asked: Asked) -> list[tuple[int, int]]:
    """Give width and height of each image, from its file where no list states them."""
    found = []
    for name, size, file in zip(
        dataset.split.ids, dataset.split.sizes.tolist(), dataset.pictures, strict=True
    ):
        stated = size[0] > 0 or name in asked.failed
        found.append((size[0], size[1]) if stated else inspect(file).size)
    return found


def first(item: int, proposals: Proposals) -> tuple[int, str, float]:
    """Take the first box, of annotators that give one."""
    return 0, "", float(proposals.scores[0])


def _outcome(asked: Asked, item: int, name: str, size: tuple[int, int], choose: Choose) -> Outcome:
    if name in asked.failed:
        return Outcome(name, size, None, asked.failed[name], failed=True)
    answer = asked.answer(item)
    if isinstance(answer, Proposals):
        proposals, dropped = ranked(answer, *size)
        count = len(proposals.boxes)
        if not count:
            reason = "no proposal lies in the image" if dropped else "no proposal"
            return Outcome(name, size, None, reason, dropped=dropped)
        place, reserve, score = choose(item, proposals)
        if place < 0:
            return Outcome(name, size, None, reserve, count, dropped)
        box = corners(proposals.boxes[place])
        return Outcome(name, size, box, reserve, count, dropped, score)
    return _of_region(answer, name, size)


def _of_region(answer: Answer, name: str, size: tuple[int, int]) -> Outcome:
    inside = answer if isinstance(answer, Nothing | Proposals) else inside_of(answer, size)
    if isinstance(inside, Nothing):
        return Outcome(name, size, None, inside.reason)
    assert not isinstance(inside, Proposals)
    return Outcome(name, size, corners(largest_box(inside)), proposals=1)


def corners(box: Floats | Sequence[float]) -> Corners:
    """Make a box plain numbers."""
    x0, y0, x1, y1 = map(float, box)
    return x0, y0, x1, y1

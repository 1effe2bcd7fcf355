"""The images of a run: which are trained on, which evaluated on, and whether they will do."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sightline.data.dataset import Dataset, read_dataset
from sightline.data.pipeline import draws
from sightline.data.splits import asked
from sightline.errors import DataError, Problem, UsageError
from sightline.training.plan import Places

HOLD_OUT = 16  # what random numbers are drawn for here; see `sightline.data.pipeline.draws`
SHOWN = 3  # names in a line


@dataclass(frozen=True, slots=True)
class Material:
    """Images to train on, and to evaluate on if there are any."""

    train: Dataset
    val: Dataset | None
    classes: int
    notes: tuple[str, ...] = ()  # what is worth a line
    places: Places | None = None  # where its splits can be read again


def read_material(
    places: Places, *, from_masks: bool, evaluated: bool, skip_problems: bool, seed: int
) -> Material:
    """Read the splits of a run.

    Args:
        places: where they are.
        from_masks: whether training consumes localization labels; it then takes the split that
            has them for everyone, the one for validation.
        evaluated: whether anything is evaluated.
        skip_problems: leave out broken entries, and train without empty classes.
        seed: of the share that is held out.
    """
    name = places.train_split or (places.val_split if from_masks else "train")
    train = read_split(places, name, skip_problems=skip_problems)
    val = None
    if evaluated and asked(name) == asked(places.val_split):
        train, val = held_out(train, places.hold_out, seed)
    elif evaluated:
        val = read_split(places, places.val_split, skip_problems=skip_problems)
    return checked(train, val, from_masks=from_masks, skip_problems=skip_problems)


def read_split(places: Places, split: str, *, skip_problems: bool = False) -> Dataset:
    """Read one split."""
    return read_dataset(
        places.data,
        split=split,
        images=places.images,
        masks=places.masks,
        ignore_value=places.ignore_value,
        skip_problems=skip_problems,
    )


def held_out(dataset: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset]:
    """Divide a split at random, over all classes: the larger part to train on, and the share."""
    count = len(dataset.pictures)
    order = np.argsort(draws.drawn(seed, 0, HOLD_OUT, np.arange(count)), kind="stable")
    kept = max(1, round(share * count))
    if kept >= count:
        raise UsageError(
            f"{count} images are too few to hold out {share:.0%} of them; give other splits"
        )
    return dataset.chosen(np.sort(order[kept:]).tolist()), dataset.chosen(
        np.sort(order[:kept]).tolist()
    )


def checked(
    train: Dataset, val: Dataset | None, *, from_masks: bool, skip_problems: bool
) -> Material:
    """Count the classes, and refuse what cannot be trained or compared."""
    if val is not None:
        _refuse_shared(train, val)
    named = len(train.split.classes)
    labels = train.split.labels
    if from_masks and (labels < 0).any():
        return Material(train, val, max(1, named))
    if (labels < 0).any():
        image = train.split.ids[int(np.argmax(labels < 0))]
        raise DataError([Problem("no class is known", image=image, remedy="label it")])
    classes = max(named, int(labels.max()) + 1)
    notes = [] if from_masks else _empty_classes(train, classes, skip_problems)
    if val is not None and not from_masks:
        _refuse_unknown_class(val, classes, train.split.name)
    return Material(train, val, classes, tuple(notes))


def _refuse_shared(train: Dataset, val: Dataset) -> None:
    shared = set(train.pictures) & set(val.pictures)
    if shared:
        one, two = train.split.name, val.split.name
        raise UsageError(
            f"splits {one} and {two} share {len(shared)} images, {min(shared)} among them; there"
            " is no such split, or both are one: name them with --train-split and --val-split, or"
            " pass --evaluate-every 0"
        )


def _empty_classes(train: Dataset, classes: int, skip_problems: bool) -> list[str]:
    counts = np.bincount(train.split.labels, minlength=classes)
    empty = np.flatnonzero(counts == 0)
    if not len(empty):
        return []
    names = train.split.classes
    shown = _few([f"{i} ({names[i]})" if names else str(i) for i in empty.tolist()])
    what = f"no image of class {shown} in split {train.split.name}, of {classes} classes"
    if not skip_problems:
        remedy = "number classes without gaps, or pass --on-error skip to train all the same"
        raise DataError([Problem(what, remedy=remedy)])
    return [what]


def _refuse_unknown_class(val: Dataset, classes: int, trained: str) -> None:
    beyond = val.split.labels >= classes
    if beyond.any():
        place = int(np.argmax(beyond))
        what = (
            f"class {val.split.labels[place]} of split {val.split.name} is beyond the {classes}"
            f" classes of split {trained}"
        )
        raise DataError([Problem(what, image=val.split.ids[place], remedy="check the labels")])


def _few(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def place_of(data: str) -> str:
    """Write a place as it is kept in a run's configuration."""
    return str(Path(data).resolve()) if Path(data).exists() else data

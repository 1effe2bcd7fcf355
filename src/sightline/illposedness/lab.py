"""The experiment on Pond: ratio, the true posterior's pixel accuracy, and that of a trained CAM.

Paper: Choe et al., Evaluation for Weakly Supervised Object Localization, section 3.3

One dial, p(home | class), makes the background tell more and more of the class. At each of its
values the ratio and the best pixel accuracy of the true posterior are known; a CAM is trained on
images of that world and measured on its test images. Thresholds are the best ones for each class on
the split itself, for both: what is compared is what could be reached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sightline import progress
from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.photographs import read_photograph
from sightline.data.pond import place as places
from sightline.data.pond.dials import Dials
from sightline.illposedness import pond
from sightline.illposedness.empty import with_empty_scenes
from sightline.illposedness.lemma import best_px_acc
from sightline.types import FOREGROUND, IGNORE, LedgerEntry

TEST, TRAIN = "test", "train-weaksup"
LEVELS = 1000  # of a map's scores
SETTINGS: Mapping[str, Any] = {"lr": 0.02, "fast_ratio": 1.0, "threads": 1}


@dataclass(frozen=True, slots=True)
class Training:
    """How CAMs are trained; nothing is trained without one."""

    out: Path  # runs are kept here, and not trained again
    epochs: int = 8
    backbone: str = "small-resnet"
    seed: int = 0


@dataclass(slots=True)
class Point:
    """One world: its dials, and what could be told of it."""

    home: float
    alike: float
    empty: float
    ratio: float  # the least of all classes
    separable: int  # classes for which it is above 1
    classes: int
    posterior: float  # best pixel accuracy of the true posterior, mean over classes, percent
    perfect: int  # classes for which it is 1
    estimated_ratio: float  # from cue counts of the training images, the least of all classes
    background: float  # pixel accuracy of calling everything background
    weakest: str = ""
    strongest: str = ""
    limiting: str = ""  # the class of the least ratio
    cam: float | None = None
    ledger: tuple[LedgerEntry, ...] = field(default=(), repr=False)


def measured(
    dials: Dials, images: int, seed: int, empty: float = 0.0, training: Training | None = None
) -> Point:
    """Measure one world.

    Args:
        dials: of the world.
        images: in all splits together.
        seed: of the scenes.
        empty: images without an object that are added to training, as a share of its images.
        training: how a CAM is trained, if one is wanted.
    """
    folder = places.folder(_place(dials, images, seed))
    known, seen = pond.posterior(dials, empty), pond.counted(folder / TEST, dials)
    learnt = pond.counted(folder / TRAIN, dials)
    classes = range(len(seen.classes))
    found = [seen.verdict(c, known) for c in classes]
    reached = [seen.best(c, known).value for c in classes]
    own = [learnt.verdict(c).ratio for c in classes]
    least = int(np.argmin([one.ratio for one in found]))
    away = [
        float(seen.pixels[~seen.foreground, c].sum() / seen.pixels[:, c].sum()) for c in classes
    ]
    point = Point(
        home=dials.home,
        alike=dials.alike,
        empty=empty,
        ratio=found[least].ratio,
        separable=sum(one.separable for one in found),
        classes=len(seen.classes),
        posterior=100 * float(np.mean(reached)),
        perfect=sum(value == 1 for value in reached),
        estimated_ratio=min(own),
        background=100 * float(np.mean(away)),
        weakest=seen.cues[found[least].weakest],
        strongest=seen.cues[found[least].strongest],
        limiting=seen.classes[least],
    )
    if training:
        point.cam, point.ledger = _cam(folder, dials, seed, empty, training)
    return point


def unlike(dials: Dials) -> Dials:
    """Exchange coats within groups, unless the dials say otherwise."""
    return replace(dials, alike=1.0) if dials.alike == Dials().alike else dials


def sweep(
    dials: Dials,
    homes: Sequence[float],
    *,
    images: int,
    seed: int = 0,
    training: Training | None = None,
) -> list[Point]:
    """Measure worlds that differ by p(home | class)."""
    found = []
    with progress.shown("worlds", len(homes)) as step:
        for number, home in enumerate(homes, start=1):
            world = replace(dials, home=home)
            found.append(measured(world, images, seed, training=training))
            step(number)
    return found


def remedies(
    dials: Dials,
    *,
    images: int,
    seed: int = 0,
    empty: float = 0.5,
    training: Training | None = None,
) -> dict[str, Point]:
    """Try the paper's two remedies on a world whose ratio is below 1.

    `foreground`: the cues of the object that are seldom seen with a class are seen with it as often
    as with any (each coat of the group alike). `background`: images without an object are added.
    """
    middle = replace(dials, home=0.6)
    rare = replace(middle, alike=0.2)
    return {
        "rare cue": measured(rare, images, seed, training=training),
        "more of it": measured(replace(middle, alike=1.0), images, seed, training=training),
        "as it is": measured(_strong(dials), images, seed, training=training),
        "background images": measured(_strong(dials), images, seed, empty, training),
    }


def _strong(dials: Dials) -> Dials:
    return replace(dials, alike=1.0, home=0.85)


def _place(dials: Dials, images: int, seed: int) -> str:
    """Name a world as `--data` takes it."""
    plain = Dials()
    given = {n: getattr(dials, n) for n in Dials.__dataclass_fields__}
    changed = [f"{n}={v}" for n, v in given.items() if v != getattr(plain, n)]
    return "pond:" + ",".join([*changed, f"images={images}", f"seed={seed}"])


def _cam(
    folder: Path, dials: Dials, seed: int, empty: float, training: Training
) -> tuple[float, tuple[LedgerEntry, ...]]:
    """Train a CAM and give its best pixel accuracy on test images, mean over classes, percent."""
    from sightline.training.run import train

    name = f"{folder.name}-empty={empty}" if empty else folder.name
    data = with_empty_scenes(folder, training.out / "data" / name, dials, seed, empty)
    train(
        "cam",
        data,
        training.backbone,
        training.out / name,
        **SETTINGS,
        epochs=training.epochs,
        decay_every=max(1, 3 * training.epochs // 4),
        seed=training.seed,
        evaluate_every=0,
        show_progress=False,
    )
    return cam_px_acc(training.out / name, folder)


def cam_px_acc(run: Path, folder: Path) -> tuple[float, tuple[LedgerEntry, ...]]:
    """Measure a run's maps on the test images of a world."""
    from sightline.annotators.classifier import Asking, Classifier

    dataset, ledger = read_dataset(folder, split=TEST), Ledger()
    split, masks = dataset.split, dataset.truth.masks("study", ledger)
    classifier = Classifier(Asking(str(run)), split)
    inside = np.zeros((len(split.classes), LEVELS + 1))
    outside = np.zeros_like(inside)
    for item, file in enumerate(dataset.pictures):
        label = int(split.labels[item])
        scores = classifier.see(read_photograph(file), label).scores
        codes = read_mask(masks, item, (scores.shape[1], scores.shape[0]))
        levels = np.floor(LEVELS * scores).astype(np.int64)
        here = codes == FOREGROUND
        inside[label] += np.bincount(levels[here], minlength=LEVELS + 1)
        outside[label] += np.bincount(levels[~here & (codes != IGNORE)], minlength=LEVELS + 1)
    steps = np.tile(np.arange(LEVELS + 1) / LEVELS, 2)
    kinds = np.repeat([True, False], LEVELS + 1)
    reached = [
        best_px_acc(steps, kinds, np.concatenate([inside[c], outside[c]])).value
        for c in range(len(inside))
        if inside[c].sum() + outside[c].sum()
    ]
    return 100 * float(np.mean(reached)), tuple(ledger.entries)

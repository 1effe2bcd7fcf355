"""How often each cue is seen in images of each class: all that the posterior of cues needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sightline.data.ledger import Ledger
from sightline.data.masks import GRAY, read_mask
from sightline.data.pictures import read_picture
from sightline.data.truth import GroundTruth
from sightline.errors import UsageError
from sightline.illposedness.lemma import Best, Bools, Floats, Verdict, best_px_acc, verdict
from sightline.types import FOREGROUND, IGNORE

TABLE = "cues.csv"


@dataclass(frozen=True, slots=True, eq=False)
class CueWorld:
    """Cues in images of classes. A cue is foreground where most of its pixels are."""

    cues: tuple[str, ...]
    foreground: Bools  # (M,)
    classes: tuple[str, ...]
    pixels: Floats  # (M, C): pixels of a cue in all images of a class
    images: tuple[int, ...]  # of each class
    strayed: float = 0.0  # share of pixels that are not what most of their cue are

    def posterior(self) -> Floats:
        """Estimate p(class | cue), (M, C), as if all classes had as many images."""
        counts = np.maximum(np.array(self.images, float), 1)
        rates = self.pixels / counts
        total = rates.sum(1, keepdims=True)
        shares = np.divide(rates, total, out=np.zeros_like(rates), where=total > 0)
        return np.asarray(shares)

    def verdict(self, label: int, posterior: Floats | None = None) -> Verdict:
        """Check the lemma for a class, over the cues that its images have."""
        known = self.posterior() if posterior is None else posterior
        seen = np.flatnonzero(self.pixels[:, label] > 0)
        found = verdict(known[seen, label], self.foreground[seen])
        weakest, strongest = int(seen[found.weakest]), int(seen[found.strongest])
        return replace(found, weakest=weakest, strongest=strongest)

    def best(self, label: int, posterior: Floats | None = None) -> Best:
        """Give the best pixel accuracy of the posterior in the images of a class."""
        known = self.posterior() if posterior is None else posterior
        return best_px_acc(known[:, label], self.foreground, self.pixels[:, label])

    def with_background_images(self, cue: str, images: float, pixels: float) -> "CueWorld":
        """Add images of no class, with so many pixels of a background cue each.

        They make one more class, on which nothing is measured.
        """
        place = self.cues.index(cue)
        if self.foreground[place]:
            raise UsageError(f"'{cue}' is the object's; background images show none of it")
        column = np.zeros((len(self.cues), 1))
        mean = float(np.mean(self.images))
        column[place] = images * pixels
        return replace(
            self,
            classes=(*self.classes, "nothing"),
            pixels=np.hstack([self.pixels, column]),
            images=(*self.images, max(1, round(mean))),
        )

    def with_more(self, cue: str, label: int, factor: float) -> "CueWorld":
        """Show a cue so many times as often in images of a class, and in no other's."""
        pixels = self.pixels.copy()
        pixels[self.cues.index(cue), label] *= factor
        return replace(self, pixels=pixels)


def read_cues(truth: GroundTruth, folder: Path, ledger: Ledger, *, force: bool = False) -> CueWorld:
    """Count cues of any data: maps of cues beside masks.

    Args:
        truth: a split with masks and classes.
        folder: `cues.csv` (cue,value), and for each image a map of these values, called as the
            image, as PNG.
        ledger: where the use of the masks is recorded.
        force: use labels where they may not be used.
    """
    names = _names(folder / TABLE)
    split = truth.split
    if (split.labels < 0).any():
        raise UsageError(f"{split.dataset}: some images have no class; the posterior needs one")
    masks = truth.masks("study", ledger, force=force)
    count = max(len(split.classes), int(split.labels.max()) + 1)
    inside, outside = np.zeros((len(names), count)), np.zeros((len(names), count))
    for item, image in enumerate(split.images):
        file = _file(folder, image)
        values = read_picture(file, GRAY, "map of cues")
        codes = read_mask(masks, item, (values.shape[1], values.shape[0]))
        unknown = sorted(set(np.unique(values[codes != IGNORE]).tolist()) - set(names))
        if unknown:
            raise UsageError(f"{file}: holds {unknown[0]}, which {TABLE} does not name")
        for row, value in enumerate(names):
            here = values == value
            inside[row, split.labels[item]] += (here & (codes == FOREGROUND)).sum()
            outside[row, split.labels[item]] += (
                here & (codes != FOREGROUND) & (codes != IGNORE)
            ).sum()
    return _world(tuple(names.values()), inside, outside, split.classes, split.labels.tolist())


def _world(
    cues: tuple[str, ...],
    inside: Floats,
    outside: Floats,
    classes: Sequence[str],
    labels: Sequence[int],
) -> CueWorld:
    """Decide of each cue what it is."""
    foreground = inside.sum(1) > outside.sum(1)
    strayed = np.where(foreground[:, None], outside, inside).sum()
    total = inside + outside
    named = [*classes, *(f"class {i}" for i in range(len(classes), total.shape[1]))]
    images = tuple(int(n) for n in np.bincount(labels, minlength=total.shape[1]))
    share = float(strayed / max(1.0, total.sum()))
    return CueWorld(cues, foreground, tuple(named), total, images, share)


def _names(file: Path) -> dict[int, str]:
    """Read which value stands for which cue."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        pairs = [line.rsplit(",", 1) for line in lines[1:] if line.strip()]
        names = {int(value): cue for cue, value in pairs}
    except (OSError, UnicodeDecodeError, ValueError):
        raise UsageError(
            f"{file}: cannot be read; write cue,value and a line for each cue"
        ) from None
    if not names:
        raise UsageError(f"{file}: names no cue; write cue,value and a line for each cue")
    return names


def _file(folder: Path, image: str) -> Path:
    for file in ((folder / image).with_suffix(".png"), folder / f"{image}.png"):
        if file.is_file():
            return file
    raise UsageError(f"{folder}: has no map of cues for {image}; write it as PNG")

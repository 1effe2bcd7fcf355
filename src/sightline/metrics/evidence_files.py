"""Evidence on disk: what two results on the same images need to be compared later, and no more.

An .npz file of the images' ids, what each of them says of the metric, and whether its class was
found. It is an artifact of a result row, some hundred bytes an image for boxes.
"""

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.errors import DataError, Problem
from sightline.metrics.box_accumulator import BoxAccumulator, BoxEvidence
from sightline.metrics.mask import MaskAccumulator, MaskEvidence
from sightline.metrics.statistics import Weights

if TYPE_CHECKING:
    Accumulator = BoxAccumulator | MaskAccumulator

SUFFIX = ".evidence.npz"
ARTIFACT = "evidence"
BOX_FIELDS = ("image", "group", "above", "up_to", "axis")


@dataclass(frozen=True, slots=True)
class Kept:
    """Evidence with the images it is of, by id."""

    ids: tuple[str, ...]
    evidence: BoxEvidence | MaskEvidence
    found: NDArray[np.float64]  # 1 where the class was found, 0 where not; NaN where not known

    def common(self, other: "Kept") -> tuple["Kept", "Kept"]:
        """Keep the images that both are of."""
        shared = set(self.ids) & set(other.ids)
        return self._chosen(shared), other._chosen(shared)

    def _chosen(self, shared: set[str]) -> "Kept":
        if len(shared) == len(self.ids):
            return self
        keep = np.array([name in shared for name in self.ids])
        ids = tuple(name for name in self.ids if name in shared)
        return Kept(ids, self.evidence.chosen(keep), self.found[keep])


@dataclass(frozen=True, slots=True)
class MeanEvidence:
    """A number for each image, whose mean over images is the metric, in percent."""

    values: NDArray[np.float64]  # (images,)

    @property
    def images(self) -> int:
        """Count the images."""
        return len(self.values)

    def score(self, weights: Weights) -> NDArray[np.float64]:
        """Give the mean for each weighting of the images."""
        return np.asarray(100 * (weights @ self.values) / weights.sum(axis=1))

    def stacked(self, other: Any) -> "MeanEvidence":
        """Put the images of another set behind this one's."""
        return MeanEvidence(np.concatenate([self.values, other.values]))


def of(accumulator: "Accumulator") -> Kept:
    """Take the evidence out of an accumulator."""
    ids = tuple(str(name) for name in accumulator.records.sorted_ids())
    found = np.full(len(ids), np.nan)
    if isinstance(accumulator, BoxAccumulator):
        found = accumulator.records.column("in_top1")
    return Kept(ids, accumulator.evidence(), found)


def save(kept: Kept, file: Path) -> Path:
    """Write evidence whole."""
    arrays: dict[str, Any] = {"ids": np.array(kept.ids), "found": kept.found}
    if isinstance(kept.evidence, MaskEvidence):
        arrays["histograms"] = kept.evidence.histograms
    else:
        arrays |= {name: getattr(kept.evidence, name) for name in BOX_FIELDS}
        arrays["groups"] = np.array([kept.evidence.groups, kept.evidence.joint])
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{os.getpid()}-{file.name}")
    np.savez_compressed(temporary, **arrays)
    temporary.replace(file)
    return file


def load(file: Path) -> Kept:
    """Read evidence back."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            ids = tuple(str(name) for name in arrays["ids"])
            found = arrays["found"]
            if "histograms" in arrays.files:
                return Kept(ids, MaskEvidence(arrays["histograms"]), found)
            groups, joint = arrays["groups"].tolist()
            fields = {name: arrays[name] for name in BOX_FIELDS}
            evidence = BoxEvidence(images=len(ids), groups=groups, joint=bool(joint), **fields)
            return Kept(ids, evidence, found)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        what, remedy = f"is no evidence ({error})", "make its row again"
        raise DataError([Problem(what, str(file), remedy=remedy)]) from None

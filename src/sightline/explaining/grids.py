"""The grid over blur and N: an explainer with every pair of both, on the same images.

The network runs once for each N; maps are kept as they are before they are smoothed, on disk, so
that every blur reads them again.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sightline.attribution.networks import Network
from sightline.attribution.smoothing import blurred
from sightline.errors import UsageError
from sightline.explaining.explainers import Explainer, Work
from sightline.explaining.explainers import explainer as named
from sightline.explaining.study import Study
from sightline.types import ResultRow, Split


@dataclass(frozen=True, slots=True)
class Cell:
    """One pair of settings, and what it reached by protocol."""

    blur: int
    samples: int  # 1 where the explainer has no N
    rows: dict[str, ResultRow]
    seconds: float  # an image, of the explainer before smoothing


def grid(
    study: Study,
    name: str,
    options: dict[str, Any],
    *,
    blurs: Sequence[int],
    samples: Sequence[int],
) -> list[Cell]:
    """Score an explainer for every blur and every N."""
    known = named(name).options
    if "blur" not in known:
        raise UsageError(f"explainer '{name}' has no blur; a grid is over blur and N")
    counts = list(samples) if "samples" in known else [1]
    cells = []
    for count in counts:
        chosen = {**options, "blur": 0, **({"samples": count} if "samples" in known else {})}
        sharp = named(name, chosen)
        with tempfile.TemporaryDirectory(prefix="sightline-grid-") as folder:
            store = _Store(Path(folder) / "maps.dat", sharp)
            for blur in blurs:
                one = replace(sharp, options={**sharp.options, "blur": blur}, bind=store.at(blur))
                cells.append(_cell(study, one, store, count))
    return cells


def _cell(study: Study, one: Explainer, store: "_Store", count: int) -> Cell:
    assessed, going = study.passed(one, kept=False)
    going.seconds = store.seconds = store.seconds or going.seconds
    made = {p.name: study.row(one, assessed, going, p) for p in study.protocols}
    seconds = store.seconds / max(1, going.images)
    return Cell(int(one.options["blur"]), count, made, seconds)


class _Store:
    """Maps as they are before they are smoothed, made once."""

    def __init__(self, file: Path, sharp: Explainer) -> None:
        self._file, self._sharp = file, sharp
        self._maps: NDArray[np.float32] | None = None
        self._there: NDArray[np.bool_] | None = None
        self.seconds = 0.0

    def at(self, blur: int) -> Any:
        """Bind to a network and a split; maps come smoothed."""

        def bind(network: Network, split: Split, side: int) -> Work:
            make = self._sharp.bind(network, split, side)
            sigma = float(self._sharp.options.get("sigma", 0))

            def work(images: Tensor, labels: Tensor, items: NDArray[np.int64]) -> Tensor:
                return blurred(self._kept(make, images, labels, items, len(split.ids)), blur, sigma)

            return work

        return bind

    def _kept(
        self, make: Work, images: Tensor, labels: Tensor, items: NDArray[np.int64], count: int
    ) -> Tensor:
        if self._maps is None or self._there is None:
            shape = (count, *images.shape[2:])
            self._maps = np.memmap(self._file, np.float32, "w+", shape=shape)
            self._there = np.zeros(count, np.bool_)
        if not self._there[items].all():
            self._maps[items] = make(images, labels, items).float().numpy()
            self._there[items] = True
        return torch.from_numpy(np.array(self._maps[items]))

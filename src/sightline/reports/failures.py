"""The images that all methods miss, and in what they differ from the others."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.reports.explorer import STEPS, TOP, Explored, Facts

NEEDED = 50  # percent of IoU that counts as found
SMALL, OFF = 0.1, 0.5  # share of the image; halves of it
REASONS: tuple[tuple[str, Callable[[Facts], bool]], ...] = (
    (f"small: less than {SMALL:.0%} of the image", lambda f: f.area < SMALL),
    ("large: more than half of the image", lambda f: f.area > 0.5),
    ("several objects", lambda f: f.objects > 1),
    ("off center", lambda f: f.off_center > OFF),
    ("cut off at the border", lambda f: f.touches),
)


@dataclass(frozen=True, slots=True)
class Failures:
    """What a protocol's methods all miss at their own best thresholds."""

    protocol: str
    methods: tuple[str, ...]
    missed: NDArray[np.bool_]  # by image
    expected: float  # images that all would miss if they missed independently
    lines: tuple[dict[str, str], ...]


def failures(explored: Explored) -> list[Failures]:
    """Look at each protocol that has two methods or more."""
    found = []
    for name, shown in explored.stage.shown.items():
        hits = []
        for one in shown:
            overlaps = explored.overlaps.get((name, one.method))
            chosen = one.thresholds.get(str(NEEDED), one.thresholds.get("mean_iou"))
            if overlaps is not None and chosen is not None and one.method != "center-gaussian":
                step = min(STEPS - 1, round(chosen * STEPS))
                hits.append((one.method, overlaps[:, step] >= NEEDED * TOP // 100))
        if len(hits) > 1:
            methods = tuple(method for method, _ in hits)
            table: NDArray[np.bool_] = np.stack([hit for _, hit in hits])
            found.append(_of(name, methods, table, explored.facts))
    return found


def _of(
    protocol: str, methods: tuple[str, ...], hits: NDArray[np.bool_], facts: list[Facts]
) -> Failures:
    missed: NDArray[np.bool_] = np.logical_not(hits.any(axis=0))
    expected = float(np.prod(1 - hits.mean(axis=1)) * len(missed))
    lines = []
    for reason, holds in REASONS:
        here = np.array([holds(fact) for fact in facts])
        if here.any():
            lines.append(
                {
                    "the object is": reason,
                    "images": str(int(here.sum())),
                    "missed by all": f"{100 * missed[here].mean():.1f} %",
                    "of the other images": f"{100 * missed[~here].mean():.1f} %"
                    if (~here).any()
                    else "-",
                }
            )
    return Failures(protocol, methods, missed, expected, tuple(lines))

"""Scores as labels grow: mean and standard error over draws of the labels, center as the zero.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022, Figure 15.
With no label CAM has random hyperparameters: the mean over converged trials, that over all beside
it, where a trial that did not converge counts as the center baseline. With no label few-shot
learning is the center baseline.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sightline.errors import UsageError


@dataclass(frozen=True, slots=True)
class Point:
    """One training on one draw of labels."""

    method: str
    per_class: int
    draw: int
    value: float
    converged: bool = True


def curve(points: Iterable[Point], center: float) -> list[dict[str, Any]]:
    """Give a line for each method and number of labels a class, the center baseline as zero."""
    groups: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        groups.setdefault((point.method, point.per_class), []).append(point)
    lines = [_line(key, members, center) for key, members in sorted(groups.items())]
    if not lines:
        raise UsageError("no result to draw a curve of")
    return lines


def _line(key: tuple[str, int], points: Sequence[Point], center: float) -> dict[str, Any]:
    method, per_class = key
    draws = [point.draw for point in points if point.converged]
    if per_class and len(set(draws)) < len(draws):
        raise UsageError(f"{method} with {per_class} labels a class: a draw of labels came twice")
    values = np.array([p.value for p in points if p.converged and np.isfinite(p.value)])
    line: dict[str, Any] = {
        "method": method,
        "per_class": per_class,
        "draws": len(points),
        "not_converged": len(points) - len(values),
        "mean": float(values.mean()) if len(values) else None,
        "standard_error": standard_error(values),
        "above_center": float(values.mean() - center) if len(values) else None,
    }
    if not per_class:
        lost = np.full(len(points) - len(values), center)
        line["mean_over_all"] = float(np.concatenate([values, lost]).mean())
    return line


def standard_error(values: Any) -> float | None:
    """Give the standard deviation over draws (n - 1) by the root of their number."""
    if len(values) < 2:
        return None
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def crossing(lines: Sequence[dict[str, Any]], one: str, other: str) -> int | None:
    """Give the fewest labels a class at which one method's mean is above another's."""
    means = {(line["method"], line["per_class"]): line["mean"] for line in lines}
    counts: list[int] = sorted({count for method, count in means if method == one and count})
    for count in counts:
        mine, theirs = means[one, count], means.get((other, count))
        if mine is not None and theirs is not None and mine > theirs:
            return count
    return None

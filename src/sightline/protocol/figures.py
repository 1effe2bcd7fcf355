"""The papers' figures of transfer, of few labels and of noise, where matplotlib is installed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.protocol.ranking import Transfer

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _saved(figure: Any, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)
    return file


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Rank values, 1 for the best; ties share the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-np.asarray(values, float), method="average"))


def transfer(
    found: Mapping[tuple[str, str, str], Transfer], labels: tuple[str, str], file: Path
) -> Path | None:
    """Draw each trial's rank on one side against that on the other: 000 Figure 6, 001 Figure 14."""
    if not found or not find_spec("matplotlib"):
        return None
    figure = _figure(3.2 * min(4, len(found)), 3.3 * -(-len(found) // 4))
    axes = figure.subplots(-(-len(found) // 4), min(4, len(found)), squeeze=False)
    for place, (names, one) in zip(axes.flat, found.items(), strict=False):
        first, second = ranks(one.first), ranks(one.second)
        place.plot([1, one.trials], [1, one.trials], color="#999999", lw=0.7)
        place.plot(first, second, "o", color=COLORS[0])
        place.set(xlabel=f"rank, {labels[0]}", ylabel=f"rank, {labels[1]}")
        place.set_title(f"{', '.join(names)}\ntau {one.tau:.3f}, {one.trials} trials", fontsize=8)
        place.set_aspect("equal")
    for place in axes.flat[len(found) :]:
        place.remove()
    return _saved(figure, file)


def spread(
    found: Mapping[tuple[str, str, str], tuple[NDArray[np.float64], int]],
    centers: Mapping[str, float],
    file: Path,
) -> Path | None:
    """Draw the trials of each method as a violin, and count those that diverged: 000 Figure 13."""
    columns = list(dict.fromkeys(key[1:] for key in found))
    if not find_spec("matplotlib") or not columns:
        return None
    figure = _figure(1 + 0.9 * len(found), 3.8)
    shares = [sum(key[1:] == one for key in found) for one in columns]
    axes = figure.subplots(1, len(columns), squeeze=False, sharey=True, width_ratios=shares)[0]
    for place, (dataset, backbone) in zip(axes, columns, strict=True):
        here = {m: v for (m, *rest), v in found.items() if rest == [dataset, backbone]}
        for x, (values, lost) in enumerate(here.values()):
            if len(values) > 1:
                place.violinplot([values], [x], widths=0.8, showextrema=False)
            place.plot([x] * len(values), values, ".", color=COLORS[0], ms=4)
            place.text(
                *(x, 1.02, f"{lost} of {len(values) + lost}\ndiverged"),
                transform=place.get_xaxis_transform(),
                ha="center",
                fontsize=6,
            )
        if dataset in centers:
            place.axhline(centers[dataset], color="#999999", lw=0.7)
        place.set_xticks(range(len(here)), list(here), rotation=30, fontsize=8)
        place.set_title(f"{dataset}, {backbone}", fontsize=8, pad=22)
    axes[0].set_ylabel("score on validation")
    return _saved(figure, file)


def few_labels(lines: Sequence[Mapping[str, Any]], center: float, file: Path) -> Path | None:
    """Draw mean and standard error as labels grow, the center baseline as zero: 000 Figure 15."""
    if not find_spec("matplotlib"):
        return None
    figure = _figure(5, 3.6)
    axes = figure.subplots()
    for color, method in zip(COLORS, dict.fromkeys(line["method"] for line in lines), strict=False):
        mine = [one for one in lines if one["method"] == method and one["mean"] is not None]
        errors = [one["standard_error"] or 0 for one in mine]
        heights = [one["above_center"] for one in mine]
        counts = [one["per_class"] for one in mine]
        axes.errorbar(counts, heights, errors, marker="o", capsize=3, color=color, label=method)
    axes.axhline(0, color="#999999", lw=0.7)
    axes.set_xticks(sorted({line["per_class"] for line in lines}))
    axes.set(xlabel="labels a class", ylabel=f"score above center ({center:.1f})")
    axes.legend()
    return _saved(figure, file)


def overlaps(lines: Sequence[Mapping[str, Any]], file: Path) -> Path | None:
    """Draw how many boxes keep which IoU at each level of noise: 003 Figure 4A."""
    if not lines or not find_spec("matplotlib"):
        return None
    counts = np.array([line["iou_histogram"] for line in lines], float).T  # (bins, levels)
    shares = 100 * counts / counts.sum(axis=0)
    figure = _figure(6, 3.6)
    axes = figure.subplots()
    drawn = axes.imshow(shares, origin="lower", aspect="auto", cmap="viridis")
    axes.set_xticks(range(len(lines)), [str(line["level"]) for line in lines])
    edges = np.linspace(0, 1, len(shares) + 1)
    axes.set_yticks(np.arange(len(edges))[::2] - 0.5, [f"{edge:.1f}" for edge in edges[::2]])
    axes.set(xlabel="level of noise, %", ylabel="IoU with the true box")
    figure.colorbar(drawn, label="% of boxes")
    return _saved(figure, file)

"""Figures of part scores: bars where matplotlib is installed, and a map of CL-ratios anywhere."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sightline.drawing.grid import heat_table
from sightline.drawing.overlay import save

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def bars(table: pd.DataFrame, name: str, file: Path) -> Path | None:
    """Draw a group of bars for each part scheme, a bar for each classifier."""
    if not find_spec("matplotlib"):
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.5 + 1.3 * len(table), 3.2), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / max(1, table.shape[1])
    places = np.arange(len(table))
    for number, classifier in enumerate(table.columns):
        heights = table[classifier].to_numpy(np.float64)
        color = COLORS[number % len(COLORS)]
        axes.bar(places + number * width, heights, width, label=str(classifier), color=color)
    axes.set_xticks(places + 0.4 - width / 2, [str(scheme) for scheme in table.index])
    axes.set(ylabel=f"median {name}", ylim=(0, None))
    axes.legend(fontsize=7, loc="lower right")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)
    return file


def heat(counts: NDArray[np.int64], file: Path) -> Path:
    """Draw counts by position and bin, in percent of all."""
    total = max(1, int(counts.sum()))
    values = {
        (row + 1, column + 1): 100 * int(counts[row, column]) / total
        for row in range(counts.shape[0])
        for column in range(counts.shape[1])
    }
    title = "CL-ratios, percent of all runs"
    file.parent.mkdir(parents=True, exist_ok=True)
    save(heat_table(values, title, rows="at", columns="bin"), str(file))
    return file

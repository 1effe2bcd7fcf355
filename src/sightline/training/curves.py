"""Learning curves as one picture, where matplotlib is installed."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np


def draw(table: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Draw loss and metrics over epochs; without matplotlib, or epochs, draw nothing."""
    if not table or not find_spec("matplotlib"):
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for line in table for name in line))
    losses = [name for name in names if name.partition(".")[0] == "loss"]
    scores = [n for n in names if n not in ("epoch", "lr", *losses) and "." not in n]
    figure = Figure(figsize=(9, 3.5))
    figure.subplots_adjust(0.06, 0.14, 0.98, 0.92)
    FigureCanvasAgg(figure)
    for place, (chosen, title) in enumerate(((losses, "loss"), (scores, "percent")), start=1):
        axes = figure.add_subplot(1, 2, place)
        for name in chosen:
            points = [(line["epoch"], line[name]) for line in table if line.get(name) is not None]
            if points:
                axes.plot(*np.array(points, float).T, marker=".", label=name)
        axes.set_xlabel("epoch")
        axes.set_title(title)
        if chosen:
            axes.legend(fontsize="small")
    part = file.with_name(f".{file.name}")
    try:
        figure.savefig(part, format="png", dpi=100)
        part.replace(file)
    except OSError:  # a full disk: the numbers are in the table, and the run goes on
        part.unlink(missing_ok=True)

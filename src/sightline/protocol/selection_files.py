"""Selection on disk: tables as CSV, curves as in 003 Figures 1 and 2, panels as in Figure 4."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sightline import rows
from sightline.protocol.criteria import Criterion, series
from sightline.protocol.epochs import CLASS_ACCURACY, TRUTH
from sightline.protocol.noise_panels import panels
from sightline.protocol.selection_tables import Group, cells, picks, wide

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MISSING = "figures need matplotlib: pip install 'sightline[report]'"


def write(groups: Sequence[Group], out: Path) -> list[Path]:
    """Write what was selected; figures only where matplotlib is there, and say if it is not."""
    chosen = [{**group.name, **line} for group in groups for line in picks(group)]
    tables = {"picks": chosen, "cells": [line for group in groups for line in cells(group)]}
    noise = [
        {**group.name, **{k: v for k, v in line.items() if not isinstance(v, list)}}
        for group in groups
        for line in panels(group.records, _metric(group))
    ]
    tables |= {"noise": noise} if noise else {}
    tables["layout"] = [{**group.name, **line} for group in groups for line in wide(group)]
    written = [_csv(out / f"{name}.csv", lines) for name, lines in tables.items() if lines]
    try:
        from matplotlib.figure import Figure
    except ImportError:
        rows.write_whole(out / "figures.txt", MISSING + "\n")
        return written
    for number, group in enumerate(groups):
        name = "-".join(filter(None, group.name.values())) or str(number)
        written.append(_saved(_curves(Figure, group), out / f"{name}-curves.png"))
        lines = panels(group.records, _metric(group))
        if lines:
            written.append(_saved(_noise(Figure, lines), out / f"{name}-noise.png"))
    return written


def _metric(group: Group) -> str:
    return "pxap" if group.records[0].by_masks else "v2"


def _csv(file: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    import pandas as pd

    rows.write_whole(file, pd.DataFrame(lines).to_csv(index=False))
    return file


def _saved(figure: Any, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150, bbox_inches="tight")
    return file


def _curves(figure_of: Any, group: Group) -> Any:
    """Draw each criterion over the epochs of the configuration that it picks, a dot where it stops.

    Beside it what class accuracy and the ground truth pick, with every configuration: how loosely
    the two move together.
    """
    figure = figure_of(figsize=(9.5, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for number, selected in enumerate(group.selected):
        color, dashes = COLORS[number % len(COLORS)], ("-", "--", ":")[number // len(COLORS) % 3]
        record = group.records[selected.validation.record]
        values = _percent(series(record, selected.criterion, window=group.window))
        position = selected.validation.position
        left.plot(record.epochs, values, dashes, color=color, label=selected.criterion.name)
        left.plot(record.epochs[position], values[position], "o", color=color)
    left.set(
        xlabel="epoch", ylabel="value on validation, share of its best", title="where each stops"
    )
    left.legend(fontsize=7)
    truth = Criterion(TRUTH, _metric(group))
    for record in group.records:
        if f"val/{CLASS_ACCURACY}" in record.series:
            classes = record.series[f"val/{CLASS_ACCURACY}"]
            right.plot(classes, series(record, truth), ".-", lw=0.7, color=COLORS[0], alpha=0.5)
    right.set(
        xlabel="class accuracy", ylabel=truth.name, title="every epoch of every configuration"
    )
    figure.suptitle(group.title, fontsize=9)
    return figure


def _percent(values: Any) -> Any:
    """Bring criteria of all kinds on one axis: where a value lies between least and best."""
    low, high = np.nanmin(values), np.nanmax(values)
    return 100 * (values - low) / (high - low) if high > low else np.full(len(values), 100.0)


def _noise(figure_of: Any, lines: Sequence[Mapping[str, Any]]) -> Any:
    """Draw the test score by level, and which epochs are chosen when."""
    figure = figure_of(figsize=(11, 3.4), layout="constrained")
    score, epochs, later = figure.subplots(1, 3)
    worse = lines[1:]
    level = [line["level"] for line in worse]
    if "mean" in lines[0]:
        mean = np.array([line["mean"] for line in worse])
        std = np.nan_to_num([line["std"] for line in worse])
        score.fill_between(level, mean - std, mean + std, color=COLORS[0], alpha=0.2)
        score.plot(level, mean, color=COLORS[0], label="selected with noise: mean, std")
        for name in ("min", "max"):
            score.plot(level, [line[name] for line in worse], ":", color=COLORS[0])
            score.axhline(lines[0][name], color=COLORS[1], lw=0.7, ls=":")
        score.axhline(lines[0]["mean"], color=COLORS[1], label="selected with ground truth")
        score.legend(fontsize=7)
    score.set(xlabel="level of noise, %", ylabel="test score")
    chosen = [e for line in worse for e in line["epochs"]]
    bins = np.arange(0.5, max([*chosen, *lines[0]["epochs"]]) + 1.5)
    for values, color, name in (
        (lines[0]["epochs"], COLORS[1], "ground truth"),
        (chosen, COLORS[0], "noise"),
    ):
        epochs.hist(values, bins, density=True, histtype="step", color=color, label=name)
    epochs.set(xlabel="epoch chosen", ylabel="share")
    epochs.legend(fontsize=7)
    apart = [d for line in worse for d in line["later"]]
    edge = max(1, *map(abs, apart)) + 0.5
    later.hist(apart, np.arange(-edge, edge + 1), density=True, color=COLORS[0])
    later.set(xlabel="epochs later than by ground truth", ylabel="share")
    return figure

"""What was prepared, to look at: parts over crops, the histogram of parts that are there, strips.

Paper: Sarvadevabhatla et al., supplement A, figure 18, and figures 2 and 3
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sightline.drawing.annotated import Known, annotated
from sightline.drawing.legend import part_colors, with_legend
from sightline.drawing.overlay import labelled, save, sheet
from sightline.parts import sequences
from sightline.parts.named import Named
from sightline.parts.prepared import Listed, Prepared, write_table
from sightline.parts.sequences import Orders

BINS = 10
SIDE = 192
COLUMNS = 6
PRESENCE = ("category", "from", "to", "objects")
LONGEST = 12  # steps of a strip


def presence(prepared: Prepared) -> dict[str, list[int]]:
    """Count for each category the objects whose share of parts m/M falls into each of ten bins."""
    counts: dict[str, list[int]] = {category: [0] * BINS for category in prepared.categories}
    for one in prepared.objects:
        parts = prepared.schemes[one.category]
        there = len(prepared.masks(one).parts)
        counts[one.category][min(BINS - 1, there * BINS // len(parts))] += 1
    return counts


def write_presence(counts: Mapping[str, Sequence[int]], out: Path) -> None:
    """Write the histogram as a table, and as a picture where matplotlib is installed."""
    lines = [
        (category, bin_ / BINS, (bin_ + 1) / BINS, number)
        for category, numbers in counts.items()
        for bin_, number in enumerate(numbers)
    ]
    write_table(out / "presence.csv", PRESENCE, lines)
    if not find_spec("matplotlib"):
        return
    from matplotlib.figure import Figure

    across = min(4, len(counts))
    down = -(-len(counts) // across)
    figure: Any = Figure(figsize=(2.6 * across, 2.1 * down), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    for place, (category, numbers) in zip(axes.flat, counts.items(), strict=False):
        place.bar((np.arange(BINS) + 0.5) / BINS, numbers, 0.09, color="#0072b2")
        place.set_title(category, fontsize=8)
        place.set(xlim=(0, 1))
    for place in axes.flat[len(counts) :]:
        place.remove()
    figure.supxlabel("share of the category's parts that are there", fontsize=8)
    figure.supylabel("objects", fontsize=8)
    figure.savefig(out / "presence.png", dpi=150)


def write_sheet(prepared: Prepared, file: Path, count: int) -> None:
    """Draw parts over the context crops of some objects, categories in turn."""
    chosen = _in_turn(prepared, count)
    known = {}
    for one in chosen:
        masks = prepared.masks(one)
        parts = [(name, mask.view(np.uint8)) for name, mask in masks.parts.items()]
        parts.sort(key=lambda part: -int(part[1].sum()))  # small parts over large ones
        gazes = prepared.fixations.get(one.name, ())
        known[one.name] = Known(mask=masks.whole.view(np.uint8), parts=parts, gazes=gazes)
    colors = part_colors(known.values())
    tiles = [
        labelled(
            annotated(prepared.context(one), known[one.name], SIDE, colors),
            f"{one.category}  {one.name.rpartition('/')[2]}",
        )
        for one in chosen
    ]
    whole = sheet(tiles, min(COLUMNS, len(tiles)))
    save(with_legend(whole, list(known.values()), colors), str(file))


def _in_turn(prepared: Prepared, count: int) -> list[Listed]:
    groups = [list(prepared.of(category)) for category in prepared.categories]
    turns = [group[n] for n in range(max(map(len, groups))) for group in groups if n < len(group)]
    return turns[:count]


def write_strip(
    prepared: Prepared, one: Listed, orders: Orders, contents: Sequence[Named], file: Path
) -> None:
    """Draw an object's sequences by one ordering, a row each content scheme: figures 2 and 3."""
    plan = sequences.plan(one, prepared.masks(one), orders, contents, "empty")
    pictures = dict(sequences.pictures(plan, prepared.context(one), contents))
    ordering = plan.series[0].ordering
    series = [of for of in plan.series if of.ordering == ordering]
    tiles = [
        labelled(_tile(pictures[step.shown]), f"{step.number} {step.part}")
        for of in series
        for step in _some(of.steps)
    ]
    save(sheet(tiles, len(tiles) // len(series)), str(file))


def _some(steps: Sequence[Any]) -> list[Any]:
    """Leave out repeats, the last step apart, and take the first ones of what is left."""
    kept = [s for n, s in enumerate(steps) if n == 0 or s.shown != steps[n - 1].shown]
    return [*kept[: LONGEST - 1], kept[-1]] if len(kept) > LONGEST else kept


def _tile(picture: Any) -> Any:
    height, width = picture.shape[:2]
    scale = 128 / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    square = np.full((128, 128, 3), 235, np.uint8)
    y, x = (128 - size[1]) // 2, (128 - size[0]) // 2
    square[y : y + size[1], x : x + size[0]] = small
    return square

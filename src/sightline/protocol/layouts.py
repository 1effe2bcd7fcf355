"""Every published table's layout, filled from rows and their artifacts alone.

A layout takes what lies in some folders and gives a table, in the published one's columns as far as
our data sets and backbones go; where the very cell was printed, the printed number stands in the
long form beside ours. Names are those of `sightline.published`.
"""

from collections.abc import Callable, Mapping, Sequence

from sightline.errors import UsageError
from sightline.protocol.explainer_layout import explainers
from sightline.protocol.material import Made, Material
from sightline.protocol.result_layouts import (
    between,
    classification,
    comparison,
    pointing,
    reported,
    spreads,
    transfer,
)
from sightline.protocol.selection_layouts import cells, erosion, selection

__all__ = ["LAYOUTS", "PUBLISHED", "Made", "Material", "between", "make"]

Layout = Callable[[Material], Made]
LAYOUTS: Mapping[str, Layout] = {
    "comparison": comparison,
    "classification": classification,
    "transfer": transfer,
    "spread": spreads,
    "reported": reported,
    "explainers": explainers,
    "pointing": pointing,
    "selection": selection,
    "cells": cells,
    "noise": erosion,
}
PUBLISHED: Mapping[str, str] = {  # a published table's layout
    "000-T3": "transfer",
    "000-T5": "reported",
    "000-T6": "comparison",
    "000-T7": "classification",
    "000-T8": "explainers",
    "001-T2": "comparison",
    "001-T4": "transfer",
    "001-T6": "classification",
    "001-T7": "reported",
    "001-T8": "comparison",
    "003-T1": "pointing",
    "003-T3": "selection",
    "003-T5": "selection",
    "004-S3": "selection",
    "004-S4": "cells",
    "004-S5": "cells",
    "004-S6": "noise",
}


def make(names: Sequence[str], material: Material) -> tuple[list[Made], list[str]]:
    """Make the tables asked for; without names all that the rows hold, and why not the others."""
    made, lacking = [], []
    for name in names or LAYOUTS:
        layout = PUBLISHED.get(name, name)
        if layout not in LAYOUTS:
            known = ", ".join([*LAYOUTS, *PUBLISHED])
            raise UsageError(f"there is no table '{name}'; there are {known}")
        try:
            found = LAYOUTS[layout](material)
        except UsageError as error:
            if names:
                raise
            lacking.append(f"{name}: {error}")
            continue
        made.append(_beside_print(found, name) if name in PUBLISHED else found)
    if not made:
        raise UsageError(f"no table can be made of these rows; {lacking[0]}")
    return made, lacking


def _as_printed(key: str, line: Mapping[str, object]) -> str:
    """Write a cell's key as the published tables do: a criterion is its source alone there."""
    text = str(line.get(key, ""))
    if key != "criterion":
        return text
    source = text.partition(":")[0]
    return "classification" if source == "class-accuracy" else source


def _beside_print(made: Made, name: str) -> Made:
    """Put the printed number beside each cell that was printed."""
    from sightline import published

    table = published.table(name)
    keys = [c for c in table.columns if c not in ("value", "printed", "reading")]
    known = [key for key in keys if made.numbers and key in made.numbers[0]]
    printed: dict[tuple[str, ...], set[str]] = {}
    for cell in table.to_dict("records"):
        printed.setdefault(tuple(cell[key] for key in known), set()).add(cell["printed"])
    numbers = []
    for line in made.numbers:
        texts = printed.get(tuple(_as_printed(key, line) for key in known), set())
        numbers.append(line | {"printed": next(iter(texts)) if len(texts) == 1 else ""})
    title = str(published.tables().set_index("name").loc[name, "title"])
    return Made(name, f"{name}: {title}", made.lines, numbers, made.notes, made.draw)

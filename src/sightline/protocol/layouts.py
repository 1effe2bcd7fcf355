"""Every published table's layout, filled from rows and their artifacts alone.

A layout takes what lies in some folders and gives a table, in the published one's columns as far as
our data sets and backbones go; where the very cell was printed, the printed number stands in the
long form beside ours. Names are those of `sightline.published`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sightline.errors import UsageError
from sightline.protocol.annotation_layouts import pointing, stages
from sightline.protocol.explainer_layout import explainers
from sightline.protocol.illposed_layout import laboratory
from sightline.protocol.material import Made, Material
from sightline.protocol.result_layouts import classification, comparison, reported
from sightline.protocol.selection_layouts import cells, criteria, erosion, selection
from sightline.protocol.trial_layouts import between, spreads, transfer

__all__ = ["LAYOUTS", "PUBLISHED", "Made", "Material", "between", "layout_of", "make"]

COMPARED = ("comparison", "classification")  # never made of results of several protocols
Layout = Callable[[Material], Made]
LAYOUTS: Mapping[str, Layout] = {
    "comparison": comparison,
    "classification": classification,
    "transfer": transfer,
    "spread": spreads,
    "reported": reported,
    "explainers": explainers,
    "pointing": pointing,
    "stages": stages,
    "selection": selection,
    "criteria": criteria,
    "cells": cells,
    "noise": erosion,
    "illposed": laboratory,
}
PRINTED_BACKBONES = {"vgg16": "vgg-gap", "deit-small": "deit-s"}
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
    "003-T2": "stages",
    "003-T3": "selection",
    "003-T5": "criteria",
    "004-S2": "stages",
    "004-S3": "criteria",
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
            every = _made(layout, material)
        except UsageError as error:
            if names:
                raise
            lacking.append(f"{name}: {error}")
            continue
        made += [_beside_print(found, name) if name in PUBLISHED else found for found in every]
    if not made:
        raise UsageError(f"no table can be made of these rows; {lacking[0]}")
    return made, lacking


def layout_of(name: str) -> str:
    """Tell the layout of a table that was made, by its name."""
    known = {**dict.fromkeys(LAYOUTS, ""), **PUBLISHED}
    base = next((n for n in sorted(known, key=len, reverse=True) if name.startswith(n)), name)
    return PUBLISHED.get(base, base)


def _made(layout: str, material: Material) -> list[Made]:
    """Make a table, or where results were measured in several ways, one of each way."""
    apart = material.apart() if layout in COMPARED else {}
    if not apart:
        return [LAYOUTS[layout](material)]
    found, refused = [], []
    for protocol, part in apart.items():
        try:
            made = LAYOUTS[layout](part)
        except UsageError as error:
            refused.append(error)
            continue
        name = "".join(c if c.isalnum() else "-" for c in f"{made.name}-{protocol}")
        found.append(replace(made, name=name, title=f"{made.title} ({protocol})"))
    if not found:
        raise refused[0]
    return found


def _as_printed(key: str, line: Mapping[str, object]) -> str:
    """Write a cell's key as the published tables do: a criterion is its source alone there."""
    text = str(line.get(key, ""))
    if key == "backbone":
        return PRINTED_BACKBONES.get(text, text)
    if key == "split":
        return "validation" if text == "val" else text
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
    called = name if made.name in LAYOUTS else f"{name}-{made.name.partition('-')[2]}"
    return Made(called, f"{called}: {title}", made.lines, numbers, made.notes, made.draw)

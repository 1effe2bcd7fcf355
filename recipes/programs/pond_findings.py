"""What six methods with 30 trials each say, out of the rows that `pond_search.py` packed.

Nothing is trained: every number follows from recipes/rows/pond-search-BACKBONE.tar.xz, and so do
the papers' tables of it:

    tar -xf recipes/rows/pond-search-small-resnet.tar.xz
    sightline report pond-search --out report
"""

import tarfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline import provenance, rows
from sightline.protocol import ranking, results, selection_tables
from sightline.protocol.layouts import Material, make
from sightline.types import ResultRow

ROWS = Path(__file__).parents[1] / "rows"


def measure(data: Path, backbone: str) -> ResultRow:
    """Make the tables, and draw what they say together."""
    with TemporaryDirectory() as place:
        with tarfile.open(ROWS / f"pond-search-{backbone}.tar.xz") as archive:
            archive.extractall(place, filter="data")
        root = Path(place) / "pond-search"
        found = _findings(root, backbone)
        ledger = dict.fromkeys(e for file in rows.find([root]) for e in rows.load(file).ledger)
    return ResultRow(rows.plain(found), provenance.now(), tuple(ledger))


def _findings(root: Path, backbone: str) -> dict[str, Any]:
    material = Material([root / "search", root / "others"])
    comparison, spread, transfer, selection = (
        _table(material, name) for name in ("comparison", "spread", "transfer", "selection")
    )
    proxy = ranking.between_sets(
        results.trainings([root / "search" / f"cam-{backbone}"]),
        results.trainings([root / "proxy"]),
    ).popitem()[1]
    searched = [one for one in spread if one["method"] not in ("random", "few-shot")]
    return {
        "backbone": backbone,
        "trials": sum(one["trials"] for one in searched),
        "seconds": sum(
            rows.load(file).provenance.get("seconds", 0) for file in rows.find([root / "search"])
        ),
        "not_converged": {one["method"]: one["not_converged"] for one in searched},
        "comparison": {
            one["method"]: {
                name: one[name]
                for name in ("score", "difference", "low", "high", "p", "holm", "verdict")
            }
            for one in comparison
            if one.get("score") is not None
        },
        "better_than_cam": sum(
            one.get("verdict") == "better" and one["method"] in {s["method"] for s in searched}
            for one in comparison
        ),
        "worse_than_center": {
            one["method"]: one["worse_than_center"] for one in searched if "center" in one
        },
        "transfer": {
            one["method"]: {name: one[name] for name in ("value", "low", "high", "trials")}
            for one in transfer
        },
        "proxy": {"tau": proxy.tau, "low": proxy.low, "high": proxy.high, "trials": proxy.trials},
        "recorded": len([file for file in rows.find([root]) if file.name.startswith("epochs.")]),
        "selection": {
            method: {
                line["criterion"]: {
                    name: line[name]
                    for name in ("test", "against_ground_truth", "low", "high")
                    if name in line
                }
                for line in selection
                if line["method"] == method
            }
            for method in dict.fromkeys(line["method"] for line in selection)
        },
        "cells": _cells(material),
    }


def _table(material: Material, name: str) -> list[Mapping[str, Any]]:
    (made, *_), _ = make([name], material)
    return list(made.numbers)


def _cells(material: Material) -> dict[str, dict[str, float]]:
    """Give the mean over methods of every cell, at the mean of the three IoU levels."""
    found: dict[str, dict[str, list[float]]] = {}
    for group in material.groups:
        for line in selection_tables.cells(group):
            if line["iou"] == "mean":
                cell = f"B{_letter(line['configuration'])}-{_letter(line['threshold'])}T"
                values = found.setdefault(line["criterion"], {}).setdefault(cell, [])
                values.append(line["value"])
    return {
        criterion: {cell: sum(v) / len(v) for cell, v in cells.items()}
        for criterion, cells in found.items()
    }


def _letter(split: str) -> str:
    return "T" if split == "test" else "V"

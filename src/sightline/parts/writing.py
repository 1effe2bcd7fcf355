"""Part sequences on disk: the images that differ, and a table of which is shown when."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from sightline.errors import SightlineError
from sightline.parts import sequences
from sightline.parts.classifying import Counts, Wanted, picked
from sightline.parts.orderings.contract import Ranked
from sightline.parts.prepared import Prepared, write_table
from sightline.parts.sequences import Orders, Plan
from sightline.progress import shown

COLUMNS = (
    *("image", "category", "part_scheme", "content", "step", "steps"),
    *("part", "there", "file"),
)
ORDERS = ("category", "part_scheme", "rank", "part", "probability")


def write(prepared: Prepared, wanted: Wanted, out: Path) -> Counts:
    """Write images to `images/OBJECT/`, `sequences.csv` and `orders.csv`; what is there stays."""
    orders = sequences.orders(prepared, wanted.orderings)
    write_orders(orders, out)
    counts = Counts()
    objects = picked(prepared, wanted.objects)
    partial = out / f".sequences-{os.getpid()}.csv"
    with (
        shown("writing sequences", len(objects)) as step,
        partial.open("w", encoding="utf-8", newline="") as stream,
    ):
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        for number, one in enumerate(objects, start=1):
            plan = sequences.plan(one, prepared.masks(one), orders, wanted.contents, wanted.first)
            folder = out / "images" / one.name
            folder.mkdir(parents=True, exist_ok=True)
            if not all((folder / image.file).is_file() for image in plan.images):
                for image, picture in sequences.pictures(
                    plan, prepared.context(one), wanted.contents
                ):
                    save(folder / image.file, picture)
            for series in plan.series:
                counts.sequences += 1
                counts.steps += len(series.steps)
                table.writerows(_lines(plan, series))
            counts.images += len(plan.images)
            step(number)
    partial.replace(out / "sequences.csv")
    return counts


def save(file: Path, picture: sequences.Picture) -> None:
    """Write a picture whole or not at all."""
    done, content = cv2.imencode(".png", np.ascontiguousarray(picture[:, :, ::-1]))
    if not done:
        raise SightlineError(f"{file}: cannot be written")
    partial = file.with_name(f".{file.name}.part")
    partial.write_bytes(content.tobytes())
    partial.replace(file)


def write_orders(orders: Orders, out: Path) -> None:
    """Write every category's parts in every order."""
    write_table(
        out / "orders.csv",
        ORDERS,
        [
            (category, ordering, rank, part.part, f"{part.value:.6f}")
            for (ordering, category), parts in sorted(orders.items(), key=_by_category)
            for rank, part in enumerate(parts, start=1)
        ],
    )


def _by_category(entry: tuple[tuple[str, str], Sequence[Ranked]]) -> tuple[str, str]:
    return entry[0][1], entry[0][0]


def _lines(plan: Plan, series: sequences.Series) -> list[tuple[object, ...]]:
    one = plan.object
    return [
        (
            *(one.name, one.category, series.ordering, series.content),
            *(step.number, len(series.steps), step.part, "yes" if step.there else ""),
            f"{one.name}/{step.shown.file}",
        )
        for step in series.steps
    ]

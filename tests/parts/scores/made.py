"""Answers that are made up, so that every number can be worked out by hand."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from sightline.parts.answers import About, Answer, Writer
from sightline.parts.scores.scoring import Options, Scores

DOG, CAT, CAR = "n02084071", "n02121620", "n02958343"
LABELS = (DOG, CAT, CAR)
ENTRY = {
    "dataset": "pets",
    "split": "val",
    "purpose": "study",
    "kind": "parts",
    "images": 2,
    "labels": 6,
    "per_class": [1, 1],
}


def sequence(labels: Iterable[str], **changed: str) -> list[Answer]:
    """Answer to one sequence with these labels."""
    told = {
        "classifier": "lite0",
        "image": "rex",
        "category": "dog",
        "part_scheme": "e-u",
        "content": "intra-object",
    } | changed
    given = list(labels)
    return [
        Answer(**told, step=number, steps=len(given), labels=(label,))
        for number, label in enumerate(given, start=1)
    ]


def write(file: Path, *sequences: list[Answer], about: About | None = None) -> Path:
    """Write sequences to a file."""
    with Writer(file, about or About({"lite0": LABELS}, {"ledger": [ENTRY]})) as writer:
        for one in sequences:
            writer.write(one)
    return file


def scores(lines: list[dict], **options: str) -> Scores:
    """Make scores of lines that state what matters; the rest is filled in."""
    filled = [
        {
            "classifier": "a",
            "image": "i",
            "category": "dog",
            "part_scheme": "e-u",
            "content": "intra-object",
            "steps": 2,
            "cds": 0.5,
            "b_cds": 0.5,
            "error": 0.5,
            "hits": "01",
        }
        | line
        for line in lines
    ]
    return Scores(pd.DataFrame(filled), {}, Options(**options))

"""What people answered to the images as written by 'parts sequences --out'.

Paper: none

A table with the columns `file` and `label`, best answer first where a file has several lines:
`file` as in sequences.csv. Images that nobody saw are an error, so that none counts as wrong.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.errors import DataError, Problem
from sightline.parts.classifiers.contract import Answered, Picture
from sightline.parts.prepared import read_table


@dataclass(frozen=True, slots=True)
class Options:
    """Where the answers are."""

    file: Annotated[Path, "CSV with the columns file and label"]


@dataclass(frozen=True, slots=True)
class People:
    """Answers by file."""

    title: str
    file: Path
    known: Mapping[str, Sequence[str]]
    labels: tuple[str, ...] = ()

    def answers(self, pictures: Sequence[Picture], names: Sequence[str]) -> list[Answered]:
        """Look up what was answered."""
        for name in names:
            if name not in self.known:
                what, remedy = f"has no answer to {name}", "add it, or choose fewer sequences"
                raise DataError([Problem(what, str(self.file), remedy=remedy)])
        return [Answered(tuple(self.known[name])) for name in names]


def load(options: Options) -> People:
    """Read the answers."""
    known: dict[str, list[str]] = defaultdict(list)
    for line, row in read_table(options.file, ("file", "label")):
        if not row["label"]:
            raise DataError([Problem("label is empty", str(options.file), line, remedy="mend it")])
        known[row["file"].replace("\\", "/")].append(row["label"])
    return People(options.file.stem, options.file, known)

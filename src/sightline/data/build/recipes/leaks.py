"""Leaks between splits that exist: images of one that stand in another, as bytes or to the eye.

Paper: none

Makes no split. Images are compared by their bytes and by perceptual hashes; every pair is a line
of `leaks.csv`, every image that cannot be read one of `unreadable.csv`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, Row, write_tables
from sightline.data.build.leakage import (
    NEAR,
    Seen,
    check_distance,
    find_leaks,
    find_members,
    look,
    summed,
)
from sightline.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """Which splits are compared, and how."""

    splits: Annotated[
        tuple[Path, ...], "image folders, or folders of lists; or one folder that holds them"
    ]
    images: Annotated[Path | None, "folder that listed image ids are relative to"] = None
    distance: Annotated[int, "bits of 64 that near-identical images may differ in"] = NEAR

    def __post_init__(self) -> None:
        """Refuse a distance that means nothing."""
        check_distance(self.distance)


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Compare the splits pairwise."""
    splits: dict[str, list[Seen]] = {}
    unreadable: list[Row] = []
    for name, folder in _folders(options.splits).items():
        splits[name], faults = look(find_members(folder, options.images), workers, out)
        unreadable += [
            {"split": name, "image": image, "what": fault.what} for image, fault in faults.items()
        ]
    leaks = find_leaks(splits, options.distance)
    counts = [(f"images of {name}", len(images)) for name, images in splits.items()]
    tables = {"leaks": leaks, "unreadable": unreadable}
    summary = (*counts, *summed(leaks), ("unreadable", len(unreadable)))
    return Built(summary, tables, write_tables(tables, out))


def _folders(given: tuple[Path, ...]) -> dict[str, Path]:
    """Name the folders of the splits: by their last part, or whole where that is not unique."""
    for folder in given:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of a split")
    if len(given) == 1:
        found = sorted(path for path in given[0].iterdir() if path.is_dir())
        given = tuple(path for path in found if not path.name.startswith("."))
    if len(given) < 2:
        raise UsageError("leaks needs two splits or more, or one folder that holds them")
    names = [folder.name for folder in given]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in given]
    if len(set(names)) < len(names):
        raise UsageError("a split is given twice")
    return dict(zip(names, given, strict=True))

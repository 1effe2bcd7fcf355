"""Images to train on or to localize in: files and classes, with localization behind the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.data.annotations import Annotations
from sightline.data.finding import find_picture
from sightline.data.truth import GroundTruth, guarded, read_annotations
from sightline.errors import DataError, Problem, UsageError
from sightline.types import Split


@dataclass(frozen=True, slots=True)
class Dataset:
    """A split's images; where things are in them is asked of `truth`, which keeps count."""

    split: Split
    pictures: tuple[Path, ...]  # the file of each item's image
    truth: GroundTruth

    def chosen(self, items: Sequence[int]) -> "Dataset":
        """Keep some of the items, in the order given."""
        truth = self.truth.chosen(items)
        return Dataset(truth.split, tuple(self.pictures[item] for item in items), truth)


def read_dataset(
    place: str | Path,
    *,
    split: str = "",
    images: str | Path | None = None,
    masks: str | Path | None = None,
    ignore_value: int | None = None,
    skip_problems: bool = False,
) -> Dataset:
    """Read images and classes; images in which nothing is localized are welcome.

    Args:
        place: as in `read_truth`.
        split: as in `read_truth`.
        images: the folder that image ids are relative to, where it is not found beside the lists.
        masks: the folder that mask names are relative to.
        ignore_value: the pixel value of mask files that counts for nothing.
        skip_problems: leave out images with problems instead of stopping.
    """
    annotations = read_annotations(
        place,
        split=split,
        images=images,
        masks=masks,
        ignore_value=ignore_value,
        localization=False,
    )
    pictures, missing = find_pictures(annotations, str(place))
    problems = [*annotations.problems, *missing]
    if problems and not skip_problems:
        raise DataError(problems)
    kept = [i for i, picture in enumerate(pictures) if picture is not None]
    if not kept:
        raise DataError(problems or [Problem("no image is listed", str(place))])
    chosen = annotations if len(kept) == len(pictures) else annotations.chosen(kept)
    truth = guarded(chosen)
    return Dataset(truth.split, tuple(filter(None, pictures)), truth)


def find_pictures(annotations: Annotations, place: str) -> tuple[list[Path | None], list[Problem]]:
    """Find the file of each item's image; what is listed but absent is a problem."""
    roots = [root for root in annotations.picture_roots if root.is_dir()]
    if not roots:
        raise UsageError(f"{place}: no folder of images is known; pass --images FOLDER")
    pictures = [find_picture(name, roots) for name in annotations.split.images]
    problems = [
        Problem("image file is missing", str(roots[0] / name), image=name, remedy="restore it")
        for name, picture in zip(annotations.split.images, pictures, strict=True)
        if picture is None
    ]
    return pictures, problems

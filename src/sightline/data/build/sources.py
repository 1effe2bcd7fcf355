"""Splits of a multi-label data set with instance masks: what is in an image, and where.

A split is OpenImages' own tables, a COCO file, or any folder that `sightline evaluate` takes as
ground truth.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sightline.errors import Problem, UsageError
from sightline.types import MaskSource

ALIASES = {"train": ("train",), "val": ("val", "validation"), "test": ("test",)}
COUNTED = ("masks", "boxes", "labels")  # annotations that show which classes an image has
Corners = tuple[float, float, float, float]
Single = Mapping[str, str | None]  # the class of each image, None where it has several


@dataclass(frozen=True, slots=True)
class Instances:
    """The masks of an image's class, and the regions with more of it that has none.

    A region is a mask, or a box whose corners are fractions of the image's width and height.
    """

    objects: tuple[MaskSource, ...]
    ignored: tuple[MaskSource | Corners, ...] = ()
    ignore_value: int | None = None  # a pixel value of the objects' files that means "ignore"


class Source(Protocol):
    """A split that images are drawn from."""

    @property
    def problems(self) -> Sequence[Problem]:
        """Tell what is wrong with annotations that were left out."""

    def classes(self) -> Single:
        """Tell the class of each image that has a mask, None where it has several."""

    def instances(self, chosen: Mapping[str, str]) -> dict[str, Instances | Problem]:
        """Find the masks of images whose class is given."""

    def file_name(self, image: str) -> str:
        """Tell what the file of an image is called."""

    def title(self, label: str) -> str:
        """Tell what people call a class."""


def several(classes: dict[str, str | None], image: str, label: str) -> None:
    """Note that an image has a class: two of them make it one of several."""
    if classes.setdefault(image, label) != label:
        classes[image] = None


def open_source(folder: Path, split: str, masks: Path | None, counted: str) -> Source:
    """Find the annotations of a split in a folder."""
    from sightline.data.build.annotated import AnnotatedSplit
    from sightline.data.build.openimages_tables import OpenImagesSplit

    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of annotations")
    names = ALIASES[split]
    tables = find_one(folder, names, "annotations-object-segmentation.csv")
    if tables:
        return OpenImagesSplit(folder, names, tables, masks, counted)
    if counted != "masks":
        raise UsageError(f"--counted {counted} is for OpenImages' tables, which {folder} has not")
    place = find_one(folder, names, ".json") or _subfolder(folder, names)
    if place:
        return AnnotatedSplit(place, split, masks)
    wanted = f"{names[-1]}-annotations-object-segmentation.csv, {split}.json or a folder {split}"
    raise UsageError(f"{folder}: no annotations of the split '{split}'; it needs {wanted}")


def find_one(folder: Path, names: Iterable[str], suffix: str) -> Path | None:
    """Find the one file whose name tells the split and ends so, in a folder or in `annotations`."""
    found = sorted(
        {
            file
            for place in (folder, folder / "annotations")
            for file in place.glob(f"*{suffix}")
            if _words(file.name.removesuffix(suffix)) & set(names)
        }
    )
    if len(found) > 1:
        raise UsageError(f"{found[0]} and {found[1]} both fit; keep one of them in the folder")
    return found[0] if found else None


def _words(stem: str) -> set[str]:
    """Split a name: instances_val2017 is of val."""
    return {word.rstrip("0123456789") for word in stem.replace("_", "-").split("-")}


def _subfolder(folder: Path, names: Iterable[str]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_dir()), None)


def picture_roots(data: Path, images: Path | None, split: str) -> list[Path]:
    """List the folders where images of a split may lie; none if nothing is known of any."""
    names = ALIASES[split]
    if images and not images.is_dir():
        raise UsageError(f"{images}: no such folder of images")
    bases = [images] if images else [data / "images"]
    roots = [base / name for base in (*bases, *([] if images else [data])) for name in names]
    return [root for root in (*roots, *bases) if root.is_dir()]

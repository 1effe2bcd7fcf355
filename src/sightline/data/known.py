"""What is known of a published data set before it is read."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownDataset:
    """A data set in the reference format: `NAME:FOLDER`, the split is a subfolder."""

    name: str
    classes: int
    labels: str  # boxes or masks
    images: Mapping[str, int]  # by split, as published
    where: str  # how to get the lists
    ignore_value: int | None = None  # a pixel value of its mask files that counts for nothing

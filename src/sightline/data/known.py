"""What is known of a published data set before it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.errors import Problem

WHOLE = "all"  # the split of a data set that has none


@dataclass(frozen=True, slots=True)
class Download:
    """Something to download, and where it belongs."""

    what: str
    url: str
    folder: str  # below the data set's folder; empty for the folder itself
    holds: str  # what is there when it is whole
    md5: str = ""  # of the archive, where it was published

    def problem(self, root: Path, image: str = "") -> Problem:
        """Say that it is missing from the data set's folder, and how to get it."""
        return Problem(
            f"{self.what} not there", str(root / self.folder), image=image, remedy=self.how
        )

    @property
    def how(self) -> str:
        """Tell how to get it."""
        checksum = f" (md5 {self.md5})" if self.md5 else ""
        place = f"to {self.folder}" if self.folder else "here"
        return f"get {self.url}{checksum} and unpack it {place}: {self.holds}"


@dataclass(frozen=True, slots=True)
class KnownDataset:
    """A data set that is used as `NAME:FOLDER`.

    Its lists in the reference format are read wherever they lie; as its makers released it, it is
    read by the layout of the same name, if there is one.
    """

    name: str
    classes: int
    labels: str  # boxes, masks or fixations
    images: Mapping[str, int]  # by split, as published
    where: str  # how to get it, in a line
    ignore_value: int | None = None  # a pixel value of its mask files that counts for nothing
    downloads: tuple[Download, ...] = ()

    def expected(self, split: str) -> int | None:
        """Tell how many images a split has, if that was published."""
        return self.images.get(split, self.images.get(WHOLE))

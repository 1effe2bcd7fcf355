"""The nouns that every part of the package shares: small frozen dataclasses without logic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ScoreMap = NDArray[Any]  # 2-D, finite, any size; bigger means more foreground
FOREGROUND, BACKGROUND, IGNORE = 1, 0, 255  # the codes of a mask's pixels


@dataclass(frozen=True, slots=True)
class Split:
    """What may be known of a split without consuming a localization label.

    An item is one image and one class to localize in it. `ids` are unique; an image with several
    classes stands in `images` once for each of them.
    """

    dataset: str
    name: str
    ids: tuple[str, ...]
    images: tuple[str, ...]
    labels: NDArray[np.int64]  # (N,), -1 where no class is known
    sizes: NDArray[np.int64]  # (N, 2) width and height, 0 where unknown
    classes: tuple[str, ...] = ()  # names by label, where known


@dataclass(frozen=True, slots=True)
class Boxes:
    """Ragged boxes: x0, y0, x1, y1 in the image's own pixels, as the annotation states them."""

    corners: NDArray[np.float64]  # (M, 4)
    offsets: NDArray[np.int64]  # (N + 1,); item i owns rows offsets[i] to offsets[i + 1]


@dataclass(frozen=True, slots=True)
class Polygons:
    """The outline of one object: rings of x, y in pixels; it is what any of them covers."""

    rings: tuple[tuple[float, ...], ...]
    height: int
    width: int


@dataclass(frozen=True, slots=True)
class RunLengths:
    """One object as COCO's run lengths: column by column, background first."""

    counts: tuple[int, ...]
    height: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class Pixels:
    """A mask in memory, in the codes above."""

    codes: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Layer:
    """The pixels of one value in an indexed mask file: one object or part of several in a file."""

    file: Path
    value: int


@dataclass(frozen=True, slots=True)
class MatMask:
    """An object of a file of PASCAL-Part, or one of its parts; both count from 0."""

    file: Path
    thing: int
    part: int = -1  # the object itself


MaskSource = Path | Polygons | RunLengths | Pixels | Layer | MatMask


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of one object; it has no source where nothing of it is to be seen."""

    name: str
    source: MaskSource | None
    instance: int = 0


@dataclass(frozen=True, slots=True)
class Fixation:
    """Where a subject looked, in the image's pixels; `order` counts from 0 for each subject."""

    subject: str
    order: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Masks:
    """Where the masks of each item are: any number of objects, and regions to ignore."""

    objects: tuple[tuple[MaskSource, ...], ...]
    ignored: tuple[tuple[MaskSource, ...], ...]
    ignore_value: int | None = None  # a pixel value of the mask files that means "ignore"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Localization labels consumed: which, how many, from where, for what."""

    dataset: str
    split: str
    purpose: str
    kind: str  # boxes, masks, parts or fixations
    images: int
    labels: int
    per_class: tuple[int, int]  # the fewest and the most images of any class
    forced: bool = False
    labels_per_class: tuple[int, int] = (0, 0)  # likewise, of labels; 0 where not recorded


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that belongs to a row: its path relative to the row's, and its hash."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work as pure data: whatever determines the bytes of its result."""

    kind: str
    options: Mapping[str, Any]
    protocol: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    threads: int = 1
    inputs: Mapping[str, str] = field(default_factory=dict)  # name -> hash of data or weights


@dataclass(frozen=True)
class ResultRow:
    """A number and how it was obtained.

    `result` is what "identical" means: canonical and hashed. `provenance` (time, machine, code) is
    never compared. Rows are written and read by `sightline.rows`.
    """

    result: Mapping[str, Any]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    ledger: tuple[LedgerEntry, ...] = ()
    artifacts: Mapping[str, Artifact] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        from sightline.rows import as_html

        return as_html(self)


@dataclass(frozen=True, slots=True)
class Made:
    """A table's lines as text, in long form, and what must be said with them."""

    name: str
    title: str
    lines: list[dict[str, str]]
    numbers: list[dict[str, Any]]
    notes: list[str]
    draw: Callable[[Path], Path | None] | None = None  # its figure, where it has one

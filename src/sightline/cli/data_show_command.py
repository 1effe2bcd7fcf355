"""`sightline data show`: a contact sheet of a data set with everything that is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from sightline.cli.output import deliver
from sightline.errors import UsageError

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset
    from sightline.drawing.annotated import Known
    from sightline.types import LedgerEntry

COLUMNS = 6


@dataclass(frozen=True)
class Command:
    """Draw a sheet of images with their boxes, masks, parts, fixations and ignored regions.

    Boxes are green, masks outlined in white, ignored regions hatched in red, parts tinted, and the
    gazes of each subject joined in yellow. The images are drawn at random, all classes in turn.

    example:
      sightline data show pond --out sheet.png
    """

    data: Annotated[str, tyro.conf.Positional]
    """reference folder, COCO .json, VOC folder, image folder, .csv, dataset:FOLDER, or pond"""
    out: Path = Path("sheet.png")
    """the picture to write"""
    split: str = ""
    """name of the split, and its subfolder if there is one"""
    images: Path | None = None
    """folder that image ids are relative to, where it is not found beside the lists"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""
    count: int = 24
    """number of images"""
    side: int = 224
    """of a tile, in pixels"""
    seed: int = 0
    """of the choice"""
    json: str = ""
    """write what was drawn and the labels consumed as JSON, to this file or -"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.count < 1 or self.seed < 0 or not 32 <= self.side <= 1024:
            raise UsageError("--count starts at 1, --seed at 0, and --side is from 32 to 1024")

    def run(self) -> None:
        """Choose, draw, write, and say which labels were looked at."""
        from dataclasses import asdict

        from sightline.data.dataset import read_dataset
        from sightline.data.ledger import as_text
        from sightline.drawing.overlay import labelled, save, sheet

        data = read_dataset(
            self.data,
            split=self.split,
            images=self.images,
            masks=self.masks,
            ignore_value=self.ignore_value,
        )
        items = _drawn(data, self.count, self.seed)
        chosen = data.chosen(items)
        known, entries = _known(chosen)
        tiles = [
            labelled(_tile(chosen, item, known[item], self.side), _caption(chosen, item))
            for item in range(len(items))
        ]
        self.out.parent.mkdir(parents=True, exist_ok=True)
        save(sheet(tiles, min(COLUMNS, len(tiles))), str(self.out))
        ids = list(chosen.split.ids)
        labels = [f"labels     {line}" for line in as_text(entries)]
        text = "\n".join([f"{self.out}: {len(ids)} images, seed {self.seed}", *labels])
        report = {"sheet": self.out, "seed": self.seed, "ids": ids}
        deliver(report | {"ledger": list(map(asdict, entries))}, text, self.json)


def _drawn(data: "Dataset", count: int, seed: int) -> list[int]:
    """Draw items at random, one of each class before a second of any."""
    import numpy as np

    labels = data.split.labels
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    turn: dict[int, int] = {}
    keys = []
    for item in shuffled.tolist():
        label = int(labels[item])
        turn[label] = turn.get(label, 0) + 1
        keys.append((turn[label], label, item))
    return [item for _, _, item in sorted(keys)[:count]]


def _known(data: "Dataset") -> tuple[list["Known"], list["LedgerEntry"]]:
    """Open all labels that there are of the items, which is a study of them."""
    import numpy as np

    from sightline.data.ledger import Ledger
    from sightline.data.masks import read_mask, read_source
    from sightline.drawing.annotated import Known, no_corners

    truth, ledger = data.truth, Ledger()
    boxes = truth.boxes("study", ledger) if truth.has_boxes else None
    masks = truth.masks("study", ledger) if truth.has_masks else None
    parts = truth.parts("study", ledger) if truth.has_parts else None
    gazes = truth.fixations("study", ledger) if truth.has_fixations else None
    known = []
    for item in range(len(data.split.ids)):
        span = slice(boxes.offsets[item], boxes.offsets[item + 1]) if boxes else slice(0)
        seen = [part for part in parts[item] if part.source is not None] if parts else []
        known.append(
            Known(
                boxes=boxes.corners[span] if boxes else no_corners(),
                mask=read_mask(masks, item, None) if masks else None,
                parts=[
                    (part.name, np.asarray(read_source(part.source) > 0, np.uint8))
                    for part in seen
                    if part.source is not None
                ],
                gazes=gazes[item] if gazes else (),
            )
        )
    return known, ledger.entries


def _tile(data: "Dataset", item: int, known: "Known", side: int) -> Any:
    from sightline.data.photographs import read_photograph
    from sightline.drawing.annotated import annotated

    width, height = map(int, data.split.sizes[item])
    size = (width, height) if width else None
    return annotated(read_photograph(data.pictures[item], size=size), known, side)


def _caption(data: "Dataset", item: int) -> str:
    label = int(data.split.labels[item])
    names = data.split.classes
    name = names[label] if 0 <= label < len(names) else f"class {label}"
    return f"{name}  {Path(data.split.images[item]).name}"


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

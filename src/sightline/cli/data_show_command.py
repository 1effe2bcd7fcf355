"""`sightline data show`: a contact sheet of a data set with everything that is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sightline.cli.output import deliver
from sightline.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from sightline.data.dataset import Dataset
    from sightline.drawing.annotated import Known
    from sightline.types import LedgerEntry

COLUMNS = 6
LETTER = 7  # pixels that a letter of a caption takes up, nearly
CHECK = "'sightline data check'"


@dataclass(frozen=True)
class Command:
    """Draw a sheet of images with their boxes, masks, parts, fixations and ignored regions.

    Boxes are green, masks outlined in white, ignored regions hatched in red, parts tinted, and the
    gazes of each subject joined in yellow; a legend tells. The images are drawn at random, all
    classes in turn. It is a study of the labels: it is listed in the ledger that is printed, and in
    the log of opened test splits.

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
    on_error: Literal["stop", "skip"] = "stop"
    """what to do about images that cannot be used: stop, or leave them out and list them"""
    json: str = ""
    """write what was drawn and the labels consumed as JSON, to this file or -"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.count < 1 or self.seed < 0 or not 32 <= self.side <= 1024:
            raise UsageError("--count starts at 1, --seed at 0, and --side is from 32 to 1024")

    def run(self) -> None:
        """Choose, draw, write, and say which labels were looked at."""
        from dataclasses import asdict

        from sightline.data import openings
        from sightline.data.dataset import read_dataset
        from sightline.data.ledger import as_text
        from sightline.drawing.legend import part_colors, with_legend
        from sightline.drawing.overlay import labelled, save, sheet

        data = read_dataset(
            self.data,
            split=self.split,
            images=self.images,
            masks=self.masks,
            ignore_value=self.ignore_value,
            skip_problems=self.on_error == "skip",
        )
        chosen = data.chosen(_drawn(data, self.count, self.seed))
        known, entries, left_out = _known(chosen)
        openings.looked(chosen.split, data.truth.fingerprint, chosen.split.ids)
        colors = part_colors(known.values())
        tiles = {}
        for item, one in known.items():
            try:
                tile = _tile(chosen, item, one, self.side, colors)
            except DataError as error:
                left_out += error.problems
            else:
                tiles[item] = labelled(tile, _caption(chosen, item, self.side))
        if not tiles or (left_out and self.on_error == "stop"):
            raise DataError(left_out or [Problem("no image is left to draw", self.data)], CHECK)
        left_out += data.truth.problems
        self.out.parent.mkdir(parents=True, exist_ok=True)
        whole = sheet(list(tiles.values()), min(COLUMNS, len(tiles)))
        save(with_legend(whole, [known[item] for item in tiles], colors), str(self.out))
        ids = [chosen.split.ids[item] for item in tiles]
        labels = [f"labels     {line}" for line in as_text(entries)]
        skipped = [f"left out   {problem}" for problem in left_out]
        title = f"{self.out}: {len(ids)} images, seed {self.seed}"
        text = "\n".join([title, *labels, *skipped])
        report = {"sheet": self.out, "seed": self.seed, "ids": ids}
        report["left_out"] = list(map(str, left_out))
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


def _known(data: "Dataset") -> tuple[dict[int, "Known"], list["LedgerEntry"], list[Problem]]:
    """Open all labels that there are of the items, which is a study of them."""
    import numpy as np

    from sightline.data.ledger import Ledger
    from sightline.data.masks import read_mask, read_source
    from sightline.drawing.annotated import Known, no_corners

    def seen_parts(item: int) -> list[tuple[str, Any]]:
        seen = [(part.name, part.source) for part in parts[item]] if parts else []
        return [
            (name, np.asarray(read_source(source) > 0, np.uint8)) for name, source in seen if source
        ]

    truth, ledger = data.truth, Ledger()
    boxes = truth.boxes("study", ledger) if truth.has_boxes else None
    masks = truth.masks("study", ledger) if truth.has_masks else None
    parts = truth.parts("study", ledger) if truth.has_parts else None
    gazes = truth.fixations("study", ledger) if truth.has_fixations else None
    known: dict[int, Known] = {}
    left_out: list[Problem] = []
    for item in range(len(data.split.ids)):
        span = slice(boxes.offsets[item], boxes.offsets[item + 1]) if boxes else slice(0)
        try:
            known[item] = Known(
                boxes=boxes.corners[span] if boxes else no_corners(),
                mask=read_mask(masks, item, None) if masks else None,
                parts=seen_parts(item),
                gazes=gazes[item] if gazes else (),
            )
        except DataError as error:
            left_out += error.problems
    return known, ledger.entries, left_out


def _tile(data: "Dataset", item: int, known: "Known", side: int, colors: Mapping[str, Any]) -> Any:
    from sightline.data.photographs import read_photograph
    from sightline.drawing.annotated import annotated

    width, height = map(int, data.split.sizes[item])
    size = (width, height) if width else None
    return annotated(read_photograph(data.pictures[item], size=size), known, side, colors)


def _caption(data: "Dataset", item: int, side: int) -> str:
    """Write class and file, unless the file's name begins with the class; as much as fits."""
    label = int(data.split.labels[item])
    names, file = data.split.classes, Path(data.split.images[item]).name
    name = names[label] if 0 <= label < len(names) else f"class {label}" if label >= 0 else ""
    text = file if file.startswith(name) else f"{name}  {file}"
    most = side // LETTER
    return text if len(text) <= most else f"{text[: most - 2]}.."


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

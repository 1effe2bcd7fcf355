"""`sightline annotate`: boxes for a split where nobody drew one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from sightline import registry
from sightline.annotators.selecting import Plan
from sightline.cli.options import command_for, flags_of
from sightline.cli.output import deliver, table
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.annotators.asking import Asked
    from sightline.annotators.classifier import Asking
    from sightline.annotators.driver import Annotated as Found
    from sightline.data.dataset import Dataset
    from sightline.types import ResultRow

_PLAN: Any = flags_of(Plan)
DESCRIPTION = """\
Make pseudo boxes for a split, as a ground truth in the reference format and as COCO JSON.

No localization label is read. An image for which there is no box is listed in no_box.txt with the
reason. What was asked once is kept, so that the same command goes on where it was stopped.

example:
  sightline annotate selective-search --data pets --split train-fullsup --out pseudo/ss

  selective-search, pets, split val: 370 images, 370 boxes
  labels   no localization label
  written  pseudo/ss/val"""


@dataclass(frozen=True, kw_only=True)
class Common:
    """The flags that do not depend on the annotator."""

    source: tyro.conf.Positional[str] = ""
    """which one; 'sightline list annotator' tells all"""
    data: str = ""
    """as everywhere; or a folder of pictures, or one with a folder of them for each class"""
    split: str = ""
    """name of the split"""
    out: Path | None = None
    """folder to write to, a subfolder for the split; annotated/SOURCE if not given"""
    workers: int = 0
    """processes; one a processor if 0. Results do not depend on it"""
    images: Path | None = None
    """folder that image ids are relative to"""
    stages: bool = False
    """compare the boxes with the true ones after every step, as a study, and keep a row for each"""
    masks: bool = False
    """write masks instead of boxes, of annotators that give maps; --stages compares them"""
    true_masks: Path | None = None
    """with --masks --stages: folder that the names of true masks are relative to"""
    classifier: Annotated[str, tyro.conf.arg(metavar="RUN")] = "packaged"
    """run folder of a classifier that chooses among many boxes, or packaged (ImageNet)"""
    checkpoint: str = "last"
    """of that run: last, best:METRIC or epoch-NUMBER"""
    scoring: Literal["crops", "cam", "objectness"] = "crops"
    """a box's response: probability of its crop, its overlap with the CAM, or the source's score"""
    crop_side: Annotated[int, tyro.conf.arg(metavar="PIXELS")] = 0
    """side that crops are warped to; that of the classifier's input if 0"""
    plan: Annotated[_PLAN, tyro.conf.arg(name="choosing among many boxes")] = field(
        default_factory=_PLAN
    )
    gallery: int = 12
    """images in the picture of boxes; 0 draws none"""
    force: bool = False
    """with --stages: use labels where they may not be used, and record it"""
    cache: Path | None = None
    """folder where answers are kept, the user's own if not given"""
    seed: int = 0
    """of whatever is random"""
    on_error: Literal["stop", "skip"] = "stop"
    """stop at an image that cannot be read, or leave it without a box and list it"""
    json: str = ""
    """write what was done as JSON to this file, or - for standard output"""
    options: tyro.conf.Suppress[Any] = None

    def run(self) -> None:
        """Annotate, write and tell."""
        if not self.data:
            raise UsageError("--data is missing; see 'sightline annotate --help'")
        if self.workers < 0 or self.seed < 0:
            raise UsageError("--workers and --seed start at 0")
        if self.gallery < 0:
            raise UsageError("--gallery is a number of images, 0 or more")
        try:
            self._annotate()
        except KeyboardInterrupt:
            kept = "what was found so far is kept: the same command goes on from there"
            raise SightlineError(f"stopped; {kept}") from None

    def _annotate(self) -> None:
        from sightline.annotators import driver
        from sightline.annotators.mask_writing import refuse_boxes
        from sightline.annotators.quality import refuse_no_truth
        from sightline.annotators.writing import claim, write

        dataset = self._dataset()
        split = dataset.split
        folder = (self.out or Path("annotated") / self.source) / split.name.replace(":", "-")
        claim(folder, self.source)
        if self.masks:
            refuse_boxes(self.source, registry.load("annotator", self.source).GIVES)
        elif self.stages:
            refuse_no_truth(dataset)
        asked = driver.answers(
            self.source,
            dataset,
            self.options,
            cache=self.cache,
            seed=self.seed,
            workers=self.workers,
            on_error=self.on_error,
            show_progress=True,
        )
        found = driver.annotate(
            dataset, asked, self._plan(), self._asking(asked), workers=self.workers
        )
        about = {**asked.about, "seed": self.seed, "selection": found.selection}
        if self.masks:
            self._as_masks(found, folder, about)
            return
        write(folder, dataset, found.outcomes, about, found.ledger)
        made = self._measured(found, folder)
        deliver(
            _as_json(found, folder, made), _as_text(found, folder, made, self.gallery), self.json
        )

    def _as_masks(self, found: "Found", folder: Path, about: dict[str, Any]) -> None:
        from sightline.annotators.mask_writing import write_masks
        from sightline.cli.annotate_text import masks_as_text
        from sightline.data.truth import read_truth
        from sightline.protocol.pseudo_masks import compared

        write_masks(folder, found.dataset, found.asked, found.outcomes, about, found.ledger)
        row = None
        if self.stages:
            true = read_truth(self.data, split=self.split, masks=self.true_masks)
            row = compared(true, folder, force=self.force)
        told = _as_json(found, folder, [row] if row else [])
        deliver(told, masks_as_text(found, folder, row), self.json)

    def _plan(self) -> Plan:
        return Plan(**{item.name: getattr(self.plan, item.name) for item in fields(Plan)})

    def _asking(self, asked: "Asked") -> "Asking | None":
        if asked.module.GIVES != "proposals":
            return None
        from sightline.annotators.classifier import Asking

        return Asking(self.classifier, self.checkpoint, self.scoring, self.crop_side)

    def _measured(self, found: "Found", folder: Path) -> "list[ResultRow]":
        from sightline.annotators.gallery import draw
        from sightline.annotators.quality import save, stage_rows, true_boxes
        from sightline.data.ledger import Ledger

        made: list[ResultRow] = []
        true = None
        if self.stages:
            made = stage_rows(found, force=self.force)
            save(made, folder / "rows")
            true = true_boxes(found.dataset, Ledger(), force=self.force)  # recorded just before
        if self.gallery:
            draw(found, folder / "gallery.png", self.gallery, true)
        return made

    def _dataset(self) -> "Dataset":
        from sightline.data.bare import holds_pictures, read_bare
        from sightline.data.dataset import read_dataset

        skip = self.on_error == "skip"
        try:
            return read_dataset(self.data, split=self.split, images=self.images, skip_problems=skip)
        except UsageError as error:
            if "not recognised" not in str(error) or not holds_pictures(self.data):
                raise
        return read_bare(self.data, self.split)


def _as_json(found: "Found", folder: Path, made: "Sequence[ResultRow]") -> dict[str, Any]:
    from sightline.annotators.outcomes import counted

    split = found.dataset.split
    return {
        **found.asked.about,
        "dataset": split.dataset,
        "split": split.name,
        "images": len(split.ids),
        "outcomes": counted(found.outcomes),
        "selection": found.selection,
        "ledger": [asdict(entry) for entry in (made[0].ledger if made else found.ledger)],
        "stages": {str(row.result.get("stage", "masks")): row.result for row in made},
        "folder": folder,
    }


def _as_text(found: "Found", folder: Path, made: "Sequence[ResultRow]", gallery: int) -> str:
    from sightline.annotators.outcomes import counted
    from sightline.annotators.quality import as_lines
    from sightline.data.ledger import as_text

    split, counts = found.dataset.split, counted(found.outcomes)
    where = f"{split.dataset}, split {split.name}"
    lines = [f"{found.asked.name}, {where}: {len(split.ids)} images, {counts['box']} boxes"]
    reasons = [(k, n) for k, n in counts.items() if ": " in k]
    lines += [f"{'reserve' if k.startswith('box') else 'no box':<8} {n} {k}" for k, n in reasons]
    if counts["error"]:
        lines += [f"error    {o.name}: {o.reason}" for o in found.outcomes if o.failed]
    ledger = made[0].ledger if made else found.ledger
    lines += [f"labels   {line}" for line in as_text(ledger) or ["no localization label"]]
    shown = ["", "mean IoU of the boxes", table(as_lines(list(made))), ""] if made else []
    drawn = [f"gallery  {folder / 'gallery.png'}"] if gallery else []
    return "\n".join([lines[0], *shown, *lines[1:], f"written  {folder}", *drawn])


def command(arguments: Sequence[str]) -> type:
    """Build the flags: those of the annotator beside the common ones."""
    return command_for("annotator", arguments, Common, DESCRIPTION)

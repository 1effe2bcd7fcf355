"""`sightline annotate`: boxes for a split where nobody drew one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import tyro

from sightline.cli.options import command_for
from sightline.cli.output import deliver
from sightline.errors import SightlineError, UsageError

if TYPE_CHECKING:
    from sightline.annotators.driver import Annotated
    from sightline.data.dataset import Dataset

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
    """reference folder, COCO .json, VOC or image folder, or dataset:FOLDER"""
    split: str = ""
    """name of the split"""
    out: Path | None = None
    """folder to write to, a subfolder for the split; annotated/SOURCE if not given"""
    workers: int = 0
    """processes; one a processor if 0. Results do not depend on it"""
    images: Path | None = None
    """folder that image ids are relative to"""
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
        try:
            self._annotate()
        except KeyboardInterrupt:
            kept = "what was found so far is kept: the same command goes on from there"
            raise SightlineError(f"stopped; {kept}") from None

    def _annotate(self) -> None:
        from sightline.annotators import driver
        from sightline.annotators.writing import write

        dataset = self._dataset()
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
        outcomes = driver.chosen_boxes(dataset, asked, driver.first)
        found = driver.Annotated(dataset, asked, outcomes, {})
        folder = (self.out or Path("annotated") / self.source) / (dataset.split.name or "all")
        about = {**asked.about, "seed": self.seed, "selection": found.selection}
        write(folder, dataset, outcomes, about, asked.ledger)
        deliver(_as_json(found, folder), _as_text(found, folder), self.json)

    def _dataset(self) -> "Dataset":
        from sightline.data.dataset import read_dataset

        skip = self.on_error == "skip"
        return read_dataset(self.data, split=self.split, images=self.images, skip_problems=skip)


def _as_json(found: "Annotated", folder: Path) -> dict[str, Any]:
    from sightline.annotators.outcomes import counted

    split = found.dataset.split
    return {
        **found.asked.about,
        "dataset": split.dataset,
        "split": split.name,
        "images": len(split.ids),
        "outcomes": counted(found.outcomes),
        "selection": found.selection,
        "ledger": [asdict(entry) for entry in found.asked.ledger],
        "folder": folder,
    }


def _as_text(found: "Annotated", folder: Path) -> str:
    from sightline.annotators.outcomes import counted
    from sightline.data.ledger import as_text

    split, counts = found.dataset.split, counted(found.outcomes)
    where = f"{split.dataset}, split {split.name}"
    lines = [f"{found.asked.name}, {where}: {len(split.ids)} images, {counts['box']} boxes"]
    reasons = [(k, n) for k, n in counts.items() if ": " in k]
    lines += [f"{'reserve' if k.startswith('box') else 'no box':<8} {n} {k}" for k, n in reasons]
    if counts["error"]:
        lines += [f"error    {o.name}: {o.reason}" for o in found.outcomes if o.failed]
    lines += [f"labels   {line}" for line in as_text(found.asked.ledger)]
    lines += [] if found.asked.ledger else ["labels   no localization label"]
    return "\n".join([*lines, f"written  {folder}"])


def command(arguments: Sequence[str]) -> type:
    """Build the flags: those of the annotator beside the common ones."""
    return command_for("annotator", arguments, Common, DESCRIPTION)

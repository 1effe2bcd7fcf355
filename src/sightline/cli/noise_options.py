"""What `sightline noise boxes` and `sightline noise masks` have in common."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from sightline.cli.output import deliver, table
from sightline.errors import UsageError


@dataclass(frozen=True)
class Noise:
    """The flags of both commands."""

    truth: Annotated[str, tyro.conf.Positional]
    """reference folder, COCO .json, VOC folder, image folder, .csv, or dataset:FOLDER"""
    out: Path | None = None
    """folder to write to: one ground truth a level, and the table of levels"""
    split: str = "val"
    """name of the split, and its subfolder if there is one"""
    seed: int = 0
    """of everything that is drawn"""
    images: Path | None = None
    """folder of photographs for the gallery, where it is not found beside the lists"""
    gallery: int = 4
    """images in the gallery; 0 draws none"""
    force: bool = False
    """use labels where they may not be used, and record it"""
    json: str = ""
    """write the table and the labels consumed as JSON to this file, or - for standard output"""

    def target(self) -> Path:
        """Tell where to write to."""
        if self.out is None:
            raise UsageError("--out is missing; name the folder to write to")
        if self.gallery < 0:
            raise UsageError("--gallery is a number of images, 0 or more")
        return self.out

    def finish(self, study: Any, kind: str) -> None:
        """Draw the gallery, and print the table with what the labels were used for."""
        from sightline.data.ledger import as_text
        from sightline.protocol.figures import overlaps
        from sightline.protocol.noise_gallery import draw

        out, sheet = self.target(), None
        if self.gallery:
            photographs = (self.truth, self.images, self.split)
            sheet = draw(
                photographs, study.folders, out, kind=kind, count=self.gallery, seed=self.seed
            )
        if kind == "boxes":
            overlaps(study.lines, out / "overlaps.png")
        shown = [{name: _cell(value) for name, value in line.items()} for line in study.lines]
        for line in shown:
            line.pop("iou_histogram", None)
        notes = [f"labels   {line}" for line in as_text(study.row.ledger)]
        notes += [f"written  {out}: a folder a level, marked in provenance.json"]
        notes += [f"gallery  {sheet}"] if sheet else []
        content = {**study.row.result, "ledger": list(map(asdict, study.row.ledger))}
        content |= {"folders": {str(k): v for k, v in study.folders.items()}, "gallery": sheet}
        deliver(content, "\n".join([table(shown), *notes]), self.json)


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)

"""What `sightline annotate --masks` prints."""

from pathlib import Path
from typing import TYPE_CHECKING

from sightline.annotators.outcomes import counted
from sightline.data.ledger import as_text

if TYPE_CHECKING:
    from sightline.annotators.driver import Annotated
    from sightline.types import ResultRow


def masks_as_text(found: "Annotated", folder: Path, row: "ResultRow | None") -> str:
    """Tell how many masks there are, why some are lacking, and how wrong they are."""
    split, counts = found.dataset.split, counted(found.outcomes)
    where = f"{split.dataset}, split {split.name}"
    lines = [f"{found.asked.name}, {where}: {len(split.ids)} images, {counts['box']} masks"]
    if row:
        known = row.result
        told = f"1 - AUC {known['error']:.2f}, IoU {known['iou']:.2f}"
        lines.append(f"error    {told}, against the true masks of all {known['images']} images")
    lines += [f"no mask  {n} {k}" for k, n in counts.items() if k.startswith("none: ")]
    lines += [f"error    {o.name}: {o.reason}" for o in found.outcomes if o.failed]
    ledger = row.ledger if row else found.ledger
    lines += [f"labels   {line}" for line in as_text(ledger) or ["no localization label"]]
    return "\n".join([*lines, f"written  {folder}"])

"""`sightline noise masks`: masks eroded on purpose, at the paper's levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.cli.noise_options import Noise
from sightline.protocol.noise_masks import LEVELS


@dataclass(frozen=True)
class Command(Noise):
    """Write a split's masks eroded at eleven levels, with their error (1 - ROC-AUC).

    Each level is a ground truth in the reference format, for `sightline select` and `evaluate`.

    example:
      sightline noise masks openimages:data/OpenImages --split val --masks masks --out eroded

      level  masks  error  removed
      0      2500   0.00   0.00
      5      2500   2.50   5.00
      ...
    """

    levels: tuple[int, ...] = LEVELS
    """percentages of the object that are removed"""
    masks: Path | None = None
    """folder that mask names are relative to"""
    ignore_value: int | None = None
    """mask pixels of this value count for nothing"""

    def run(self) -> None:
        """Write, and print the table of levels."""
        from sightline.data.truth import read_truth
        from sightline.protocol.noise_study import write_masks

        out = self.target()
        truth = read_truth(
            self.truth, split=self.split, masks=self.masks, ignore_value=self.ignore_value
        )
        study = write_masks(truth, out, self.levels, self.seed, force=self.force)
        self.finish(study, "masks")


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

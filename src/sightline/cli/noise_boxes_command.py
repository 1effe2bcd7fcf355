"""`sightline noise boxes`: boxes made worse on purpose, at the paper's levels."""

from collections.abc import Sequence
from dataclasses import dataclass

from sightline.cli.noise_options import Noise
from sightline.protocol.noise_boxes import LEVELS


@dataclass(frozen=True)
class Command(Noise):
    """Write a split's boxes scaled, shifted and reshaped at ten levels, with the IoU that is left.

    Each level is a ground truth in the reference format, for `sightline select` and `evaluate`.

    example:
      sightline noise boxes cub:data/CUB --split val --out noisy

      level  boxes  mean_iou  acc_30  acc_50  acc_70
      5      1000   93.40     100.00  100.00  100.00
      ...
    """

    levels: tuple[int, ...] = LEVELS
    """percentages"""

    def run(self) -> None:
        """Write, and print the table of levels."""
        from sightline.data.truth import read_truth
        from sightline.protocol.noise_study import write_boxes

        out = self.target()
        truth = read_truth(self.truth, split=self.split)
        study = write_boxes(truth, out, self.levels, self.seed, force=self.force)
        self.finish(study, "boxes")


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

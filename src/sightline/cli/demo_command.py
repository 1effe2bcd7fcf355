"""`sightline demo`: from nothing to numbers on Pond, the embedded world."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.cli.output import table
from sightline.errors import SightlineError, UsageError

FEWEST = 16  # images: three splits, and one to score


@dataclass(frozen=True)
class Command:
    """Build a small Pond data set and score maps on it; nothing is downloaded.

    Maps of whole objects, maps of the parts that tell the class and the center-Gaussian baseline
    are scored against boxes and masks, and compared. Pond says nothing of real images.

    example:
      sightline demo --out demo
    """

    out: Path = Path("demo")
    """folder for everything that is made"""
    images: int = 800
    """number of images, a fifth of which is scored"""
    size: int = 96
    """side of an image in pixels"""
    seed: int = 0
    """of everything that is drawn"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.images < FEWEST or self.seed < 0:
            raise UsageError(f"the demo needs --images from {FEWEST} on and --seed from 0 on")

    def run(self) -> None:
        """Go through the stages; tell how long each took."""
        from sightline.cli.demo_stages import STAGES, Story, summary

        story = Story(self.out, self.images, self.size, self.seed)
        seconds = []
        try:
            for title, stage in STAGES:
                started = time.perf_counter()
                stage(story)
                taken = time.perf_counter() - started
                seconds.append({"stage": title, "seconds": f"{taken:.1f}"})
        except KeyboardInterrupt:
            raise SightlineError("stopped; the same command goes on from what was made") from None
        print(f"\n{summary(story)}\n\n{table(seconds)}")
        print(f"\nPond, seed {self.seed}: it says nothing of real images.")
        print(f"Rows are in {self.out / 'rows'}, pictures in {self.out}.")
        print("Next, on maps of your own: sightline evaluate MAPS TRUTH --split NAME")


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

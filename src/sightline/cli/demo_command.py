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
    """Build a small Pond data set, train on it and score maps; nothing is downloaded.

    Maps of whole objects, maps of the parts that tell the class, CAM and the few-shot baseline are
    scored against boxes and masks, and each is compared with the center-Gaussian baseline. A small
    search of CAM shows what it costs to select by class accuracy, or by boxes that are wrong. Pond
    says nothing of real images.

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
    epochs: int = 10
    """of training; 0 trains nothing, which is all that can be done without PyTorch"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.images < FEWEST or self.seed < 0 or self.epochs < 0:
            raise UsageError(
                f"the demo needs --images from {FEWEST} on, --seed and --epochs from 0 on"
            )

    def run(self) -> None:
        """Go through the stages; tell how long each took."""
        from sightline.cli import demo_parts
        from sightline.cli.demo_stages import STAGES, Story, summary

        story = Story(self.out, self.images, self.size, self.seed, self.epochs)
        seconds = []
        try:
            for title, stage in STAGES:
                started = time.perf_counter()
                stage(story)
                taken = time.perf_counter() - started
                seconds.append({"stage": title, "seconds": f"{taken:.1f}"})
        except KeyboardInterrupt:
            raise SightlineError("stopped; the same command goes on from what was made") from None
        print(f"\n{summary(story)}\n{demo_parts.summary(story)}\n{table(seconds)}")
        print(f"\nPond, seed {self.seed}: it says nothing of real images.")
        print(f"Rows are in {self.out / 'rows'}, pictures in {self.out}; report: {story.page}")
        print("Next, on maps of your own: sightline evaluate MAPS TRUTH --split NAME")


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

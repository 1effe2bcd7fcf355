"""Pond: generated scenes of which everything is known, with what goes with the class on dials.

Paper: none

Species take turns within each split. `--setting ill-posed` makes the background tell the class
and the species of a group look alike; any dial that is given replaces the setting's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from sightline.data.build.built import Built, Row, claim, need
from sightline.data.pond.dials import Dials, dials
from sightline.data.pond.generate import generate, split_counts, statistics
from sightline.hyperparameters import Choice


@dataclass(frozen=True, slots=True)
class Options:
    """How many scenes, and the dials; a dial that is not given is as the setting has it."""

    images: Annotated[int, "in all splits together"] = 1600
    size: Annotated[int, "side of the square images in pixels, 48 to 512"] = 64
    setting: Annotated[str, "named setting of all dials", Choice("well-posed", "ill-posed")] = (
        "well-posed"
    )
    group: Annotated[str | None, "only species of this group, such as frog; all if empty"] = None
    labels: Annotated[str | None, "granularity of the classes: fine or coarse"] = None
    home: Annotated[float | None, "p(background where the class is at home | class)"] = None
    alike: Annotated[float | None, "how often the coat is drawn from the group"] = None
    tucked: Annotated[float | None, "how often each telling part is hidden"] = None
    scale: Annotated[float | None, "mean length of the object by the image's side"] = None
    spread: Annotated[float | None, "how far the length strays from its mean"] = None
    centered: Annotated[float | None, "1 puts objects in the middle, 0 anywhere"] = None
    clutter: Annotated[float | None, "other things around, up to eight of them"] = None
    occlusion: Annotated[float | None, "how often something is in front"] = None
    several: Annotated[float | None, "how often there are two or three objects"] = None
    noise: Annotated[float | None, "how often a label of train-weaksup is another class"] = None

    def __post_init__(self) -> None:
        """Refuse what means nothing, one line for each option."""
        need(self.images >= 3, f"--images is {self.images}; three splits need three at least")
        self.dials()

    def dials(self) -> Dials:
        """Put the setting and what was given together."""
        names = [item.name for item in fields(Dials)]
        return dials(self.setting, {name: getattr(self, name) for name in names})


@dataclass(frozen=True, slots=True)
class Made:
    """What determines the bytes: not how the dials came to their values."""

    images: int
    dials: Dials


def make(options: Options, out: Path, *, seed: int, workers: int) -> Built:
    """Draw the scenes and write the splits."""
    chosen = options.dials()
    claimed = claim(out, "pond", Made(options.images, chosen), seed)
    claimed.note()
    counts = split_counts(options.images)
    written = generate(out, chosen, seed, counts, workers)
    summary, by_background = statistics(out, chosen, counts)
    tables: dict[str, Sequence[Row]] = {"backgrounds": by_background}
    return Built(summary, tables, tuple(written))

"""The dials of the world: what goes with the class, and how easily the object is seen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from sightline.errors import UsageError
from sightline.hyperparameters import Choice, Uniform, Whole, validate

BACKGROUNDS = ("water", "reeds", "sand", "lawn", "sky")
GROUPS = ("aquatic bird", "fish", "frog", "odonate", "turtle", "watercraft")
SMALLEST, LARGEST = 48, 512
EVEN = 1 / len(BACKGROUNDS)


@dataclass(frozen=True, slots=True)
class Dials:
    """How scenes are drawn. As they stand, the background tells nothing of the class."""

    size: Annotated[int, "side of the square images in pixels", Whole(SMALLEST, LARGEST)] = 64
    group: Annotated[str, "only species of this group; all if empty", Choice("", *GROUPS)] = ""
    labels: Annotated[str, "granularity of the classes", Choice("fine", "coarse")] = "fine"
    home: Annotated[float, "p(background where the class is at home | class)", Uniform(0, 1)] = EVEN
    alike: Annotated[float, "how often the coat is drawn from the group", Uniform(0, 1)] = 0.0
    tucked: Annotated[float, "how often each telling part is hidden", Uniform(0, 1)] = 0.1
    scale: Annotated[float, "mean length of the object by the image's side", Uniform(0.1, 1)] = 0.55
    spread: Annotated[float, "how far the length strays from its mean", Uniform(0, 0.9)] = 0.45
    centered: Annotated[float, "1 puts objects in the middle, 0 anywhere", Uniform(0, 1)] = 0.0
    clutter: Annotated[float, "other things around, up to eight of them", Uniform(0, 1)] = 0.3
    occlusion: Annotated[float, "how often something is in front", Uniform(0, 1)] = 0.25
    several: Annotated[float, "how often there are two or three", Uniform(0, 1)] = 0.15
    noise: Annotated[float, "how often a training label is another class", Uniform(0, 1)] = 0.0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)
        if self.group and self.labels == "coarse":
            raise UsageError("a group is one coarse class; leave out group, or take fine labels")


SETTINGS: Mapping[str, Dials] = {
    "well-posed": Dials(),
    "ill-posed": Dials(
        group="aquatic bird",
        home=0.95,
        alike=1.0,
        tucked=0.7,
        scale=0.4,
        spread=0.2,
        clutter=0.1,
        several=0.0,
    ),
}


def dials(setting: str, given: Mapping[str, Any]) -> Dials:
    """Take a named setting, with what is given instead."""
    if setting not in SETTINGS:
        raise UsageError(f"unknown setting '{setting}' of pond; there are {', '.join(SETTINGS)}")
    return replace(SETTINGS[setting], **{k: v for k, v in given.items() if v is not None})


def background_given_class(home: str, share: float) -> dict[str, float]:
    """Give p(background | class): the home has its share, the others divide the rest evenly."""
    rest = (1 - share) / (len(BACKGROUNDS) - 1)
    return {name: share if name == home else rest for name in BACKGROUNDS}

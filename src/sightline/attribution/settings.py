"""Options that several explainers share, each declared once with its meaning and range."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from sightline.hyperparameters import AtLeast


@dataclass(frozen=True, slots=True)
class Kernel:
    """An odd number of pixels, or 0 for none."""

    def refusal(self, value: Any, others: Any) -> str:
        """Say why a value is not feasible, or nothing if it is."""
        return "" if value == 0 or (value > 0 and value % 2) else f"{value} is neither odd nor 0"


Target = Literal["logit", "probability", "log-probability"]
Channels = Literal["sum-abs", "max-abs", "sum"]
Reference = Literal["black", "mean", "blurred"]
Rule = Literal["midpoint", "gauss-legendre", "right"]

Aim = Annotated[Target, "what is explained of the class"]
ChannelRule = Annotated[Channels, "how an image's channels become one"]
Blur = Annotated[int, "width of the Gaussian kernel that smooths the map; 0 for none", Kernel()]
Sigma = Annotated[float, "of that kernel in pixels; 0: as its width implies", AtLeast(0)]
Samples = Annotated[int, "N: how many images are made of one", AtLeast(1)]
Noise = Annotated[float, "deviation of the noise, in shares of the image's range", AtLeast(0)]
Seed = Annotated[int, "of the noise", AtLeast(0)]
Start = Annotated[Reference, "image without any evidence, where the path begins"]
PointRule = Annotated[Rule, "where the points lie on the path, and what they weigh"]
Factor = Annotated[bool, "multiply by image minus reference, so that values add up to the score"]
Chunk = Annotated[int, "images that go through the network at once; bounds memory", AtLeast(1)]
Limit = Annotated[int, "channels that are tried, the most active ones; 0 for all", AtLeast(0)]
CutOff = Annotated[bool, "cut values below zero off"]

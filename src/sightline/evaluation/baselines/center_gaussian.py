"""A Gaussian in the middle of every image: what localization is worth without looking.

Paper: Choe et al., Evaluating Weakly Supervised Object Localization Methods Right, CVPR 2020

The center is given in pixels of a map of 224 x 224: 112 is the middle of the pixel grid counted
from 0 to 224, 111.5 the middle of the pixels 0 to 223. The papers print rows made with 112. The
width does not matter to the ranking of pixels; it is wide enough here for all 255 levels to occur.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sightline.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    """How the Gaussian lies."""

    center: Annotated[float, "in pixels of a map of 224 x 224"] = 112.0
    sigma: Annotated[float, "width, in pixels of a map of 224 x 224"] = 80.0
    size: Annotated[int, "side of the map"] = 224

    def __post_init__(self) -> None:
        """Refuse what draws nothing."""
        if not (self.sigma > 0 and self.size > 0 and np.isfinite(self.center)):
            raise UsageError("center-gaussian needs a positive sigma and size, and a finite center")


def score_map(options: Options) -> NDArray[np.float64]:
    """Draw the map, from 0 at its lowest to 1 at its highest."""
    scale = options.size / 224
    offsets = np.arange(options.size) - options.center * scale
    profile = np.exp(-(offsets**2) / (2 * (options.sigma * scale) ** 2))
    gaussian = np.outer(profile, profile)
    low, high = gaussian.min(), gaussian.max()
    return np.asarray((gaussian - low) / (high - low))

"""What a content scheme is given and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.parts.foveation import Levels, levels_of

Picture = NDArray[np.uint8]  # (height, width, 3), red first
Mask = NDArray[np.bool_]  # (height, width)
Paint = Callable[[Mask], Picture]
Crop = Literal["tight", "context"]


@dataclass(frozen=True)
class Scene:
    """A crop that parts are added to; what several schemes need of it is made once."""

    picture: Picture
    box: tuple[int, int, int, int]  # the object's, in the crop

    @cached_property
    def levels(self) -> Levels:
        """Blur the picture."""
        return levels_of(self.picture)


class Content(Protocol):
    """What the file of a content scheme has."""

    CROP: Crop  # the object's box alone, or with its surroundings
    Options: type

    def begin(self, scene: Scene, options: Any) -> Paint:
        """Give what paints the scene when the parts in a mask are revealed, be it none.

        The last image of a sequence is the crop itself and is not painted.
        """

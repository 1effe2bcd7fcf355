"""What happens to a photograph between its file and a network: sizes, crop, flip, normalization.

Training resizes to a square, ignoring the aspect, with Pillow's antialiased bilinear filter, then
crops and flips at random. Testing resizes to the final size directly. These are the transforms of
the WSOL evaluation papers (Choe et al., CVPR 2020 and TPAMI 2022).
"""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.data.pipeline import draws
from sightline.errors import UsageError

Channels = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Transform:
    """The choices of the pipeline; the defaults are the papers'."""

    resize: Annotated[int, "side of the square that training photographs are resized to"] = 256
    crop: Annotated[int, "side of the square that is cut out of it at random"] = 224
    flip: Annotated[bool, "mirror every other training photograph, at random"] = True
    test_resize: Annotated[int, "side of the square that test photographs are resized to"] = 224
    mean: Annotated[Channels, "subtracted from red, green and blue, which go from 0 to 1"] = (
        0.485,
        0.456,
        0.406,
    )
    std: Annotated[Channels, "what the difference is divided by"] = (0.229, 0.224, 0.225)

    def __post_init__(self) -> None:
        """Refuse sizes and scales that mean nothing."""
        if not 0 < self.crop <= self.resize:
            raise UsageError(
                f"a crop of {self.crop} does not fit into photographs resized to {self.resize};"
                " give a crop from 1 to that size"
            )
        if self.test_resize < 1:
            raise UsageError(f"a test size of {self.test_resize} is none; give 1 or more")
        if len(self.mean) != 3 or len(self.std) != 3 or not all(s > 0 for s in self.std):
            raise UsageError("mean and std take three numbers each, std positive ones")

    def resized(self, training: bool) -> int:
        """Tell the side of a photograph after resizing, before cropping."""
        return self.resize if training else self.test_resize

    def side(self, training: bool) -> int:
        """Tell the side of what a network gets."""
        return self.crop if training else self.test_resize


class Geometry(NamedTuple):
    """Which part of a resized photograph is taken: its left and upper edge, and if mirrored."""

    x: int
    y: int
    flip: bool


def geometries(
    transform: Transform, seed: int, epoch: int, indices: NDArray[np.int64]
) -> list[Geometry]:
    """Draw the crops and flips of several training photographs."""
    places = transform.resize - transform.crop + 1
    x, y = (
        draws.below(places, draws.drawn(seed, epoch, purpose, indices)).tolist()
        for purpose in (draws.CROP_X, draws.CROP_Y)
    )
    mirrored = draws.below(2, draws.drawn(seed, epoch, draws.FLIP, indices)).tolist()
    flip = (transform.flip and bool(drawn) for drawn in mirrored)
    return [Geometry(*drawn) for drawn in zip(x, y, flip, strict=True)]


def levels(transform: Transform) -> NDArray[np.float32]:
    """Tabulate (value / 255 - mean) / std for each byte and channel, (3, 256), in float32."""
    values = np.arange(256, dtype=np.float32) / np.float32(255)
    mean, std = np.array(transform.mean, np.float32), np.array(transform.std, np.float32)
    return (values - mean[:, None]) / std[:, None]


def moved(plane: NDArray[Any], part: Geometry, resized: int, side: int) -> NDArray[Any]:
    """Move a mask as its photograph was moved: resize to a square, crop, flip.

    The pixel below the center of each new pixel is taken, so that codes stay codes.

    Args:
        plane: (height, width), a grid over the whole photograph, of any size.
        part: what was taken of the photograph.
        resized: the side of the square that it was resized to.
        side: the side of what was taken.
    """
    height, width = plane.shape
    centers = 2 * np.arange(side) + 1  # of new pixels, in halves
    rows = (centers + 2 * part.y) * height // (2 * resized)
    columns = (centers + 2 * part.x) * width // (2 * resized)
    taken: NDArray[Any] = plane[rows[:, None], columns[::-1] if part.flip else columns]
    return taken

"""Everything, blurred where it is far from the parts: higher level of detail.

Paper: Sarvadevabhatla et al., 'Part'ly first among equals, 2016, section 4.2; the fall of
resolution is that of Geisler and Perry, 1998
"""

from dataclasses import dataclass
from typing import Annotated

from sightline.hyperparameters import LogUniform, validate
from sightline.parts.contents import visual_field
from sightline.parts.contents.contract import Crop, Paint, Scene

CROP: Crop = "context"


@dataclass(frozen=True, slots=True)
class Options:
    """How resolution falls with the distance to the parts; the paper tells no values."""

    half: Annotated[
        float,
        "distance at which resolution has halved, as a share of the crop's diagonal",
        LogUniform(0.001, 1),
    ] = 0.04
    peak: Annotated[
        float,
        "half-amplitude frequency at the parts, cycles a pixel; 0.5 is all there is",
        LogUniform(0.01, 4),
    ] = 1.0
    pixels_per_degree: Annotated[
        float,
        "of a human eye's field, which is taken instead; 0 for none",
        LogUniform(1, 200),
    ] = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        visual_field.refuse_none(self.half, self.peak)


def begin(scene: Scene, options: Options) -> Paint:
    """Blur what is away from the parts."""
    return visual_field.begin(scene, options.half, options.peak, options.pixels_per_degree)

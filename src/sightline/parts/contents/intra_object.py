"""The parts alone, on black.

Paper: Sarvadevabhatla et al., 'Part'ly first among equals, 2016, section 4.2
"""

from dataclasses import dataclass

import numpy as np

from sightline.parts.contents.contract import Crop, Mask, Paint, Picture, Scene

CROP: Crop = "tight"


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing can be chosen."""


def begin(scene: Scene, options: Options) -> Paint:
    """Show what is revealed, and nothing else."""

    def paint(revealed: Mask) -> Picture:
        return np.asarray(scene.picture * revealed[..., None].view(np.uint8))

    return paint

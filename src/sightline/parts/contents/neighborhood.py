"""The parts on black within the object's box, and the surroundings as they are.

Paper: Sarvadevabhatla et al., 'Part'ly first among equals, 2016, section 4.2
"""

from dataclasses import dataclass

import numpy as np

from sightline.parts.contents.contract import Crop, Mask, Paint, Picture, Scene

CROP: Crop = "context"


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing can be chosen."""


def begin(scene: Scene, options: Options) -> Paint:
    """Black out what is not revealed in the box."""
    x0, y0, x1, y1 = scene.box

    def paint(revealed: Mask) -> Picture:
        shown = scene.picture.copy()
        shown[y0:y1, x0:x1] *= revealed[y0:y1, x0:x1, None].view(np.uint8)
        return shown

    return paint

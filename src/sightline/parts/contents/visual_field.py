"""The visual field around the parts, which two content schemes share."""

import math

from sightline.errors import UsageError
from sightline.parts.contents.contract import Mask, Paint, Picture, Scene
from sightline.parts.foveation import Field, foveated, from_degrees


def refuse_none(half: float, peak: float) -> None:
    """Refuse a field without extent."""
    if half <= 0 or peak <= 0:
        raise UsageError("half and peak are larger than 0")


def field_of(diagonal: float, half: float, peak: float, degree: float) -> Field:
    """Give the field in pixels."""
    return from_degrees(degree) if degree else Field(half * diagonal, peak)


def begin(scene: Scene, half: float, peak: float, degree: float) -> Paint:
    """Blur what is away from the parts; with no part yet, all of it as much as can be."""
    field = field_of(math.hypot(*scene.picture.shape[:2]), half, peak, degree)

    def paint(revealed: Mask) -> Picture:
        return foveated(scene.levels, revealed, field)

    return paint

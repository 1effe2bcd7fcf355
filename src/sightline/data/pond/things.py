"""What lies or stands around that is no object: stones, pads, leaves, twigs, flowers, blades.

They are drawn alike on every background and with every class, so that they tell nothing.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sightline.data.pond.canvas import HALF, Canvas, mixed, rgb
from sightline.data.pond.outlines import Matrix, curve_of, fixed, rotation, then
from sightline.data.pond.scene import Thing

Drawing = tuple[tuple[str, str, str], ...]  # outlines with the two colours each lies between

DRAWINGS: Mapping[str, Drawing] = {  # in a frame from -50 to 50
    "stone": (
        ("-46,14 -40,-12 -18,-26 12,-28 38,-14 48,10 34,24 -6,28 -36,26", "#6f6a64", "#a39a8c"),
        ("-30,-2 -18,-18 8,-21 22,-12 2,-8 -16,2", "#9b958c", "#cfc8ba"),
    ),
    "pad": (
        (
            "0,2! 44,-14! 48,4 34,18 4,24 -28,20 -48,6 -46,-10 -24,-22 6,-24 30,-20!",
            "#2f6f3a",
            "#6da35a",
        ),
        ("-2,2! -40,8! -38,10!", "#3f8a4a", "#a3c983"),
        ("-2,2! 4,22! 8,22!", "#3f8a4a", "#a3c983"),
        ("-2,2! -26,-18! -22,-20!", "#3f8a4a", "#a3c983"),
    ),
    "leaf": (
        ("-50,4! -26,-16 6,-20 34,-10 50,2! 30,14 4,20 -26,16", "#9a5a20", "#c9a23a"),
        ("-48,4! 10,-2 46,2! 10,1", "#6b3c14", "#8a6a2a"),
    ),
    "twig": (
        ("-50,6! -10,-3 50,-10! -8,3", "#4a3422", "#7b5c3d"),
        ("-6,0! 14,-26! -1,0!", "#4a3422", "#7b5c3d"),
        ("10,-4! 30,14! 16,-5!", "#4a3422", "#7b5c3d"),
    ),
    "flower": (
        ("-44,-2! -22,-16 0,4! -20,10", "#f4d7e6", "#ffffff"),
        ("44,-2! 22,-16 0,4! 20,10", "#f4d7e6", "#ffffff"),
        ("-24,-30! -14,-8 0,6! 4,-12", "#f7e3ee", "#fff8e0"),
        ("24,-30! 14,-8 0,6! -4,-12", "#f7e3ee", "#fff8e0"),
        ("0,-40! 10,-16 0,6! -10,-16", "#ffffff", "#fff2f6"),
        ("-10,2 0,-6 10,2 0,9", "#e8b422", "#f3d45a"),
    ),
    "blades": (
        ("-30,90! -24,10 -34,-90! -18,10 -20,90!", "#3d5a22", "#7d9440"),
        ("-4,90! 2,0 18,-80! 10,0 8,90!", "#4a6a2a", "#8fa44a"),
        ("22,90! 30,20 26,-70! 38,20 34,90!", "#35511d", "#748a3a"),
    ),
}


@cache
def _curves(kind: str) -> tuple[NDArray[np.float64], ...]:
    return tuple(curve_of(text, closed=True) / 100 for text, _, _ in DRAWINGS[kind])


def draw(canvas: Canvas, thing: Thing, owner: int) -> None:
    """Draw a thing; its pixels are the owner's from then on."""
    size = thing.length * canvas.side
    place: Matrix = (size, 0, thing.x * canvas.side, 0, size, thing.y * canvas.side)
    a, b, c, d, e, f = then(rotation(thing.angle * (0.3 if thing.kind == "blades" else 1)), place)
    for points, (_, dark, light) in zip(_curves(thing.kind), DRAWINGS[thing.kind], strict=True):
        x, y = points[:, 0], points[:, 1]
        shape = fixed(a * x + b * y + c, d * x + e * y + f) - HALF
        canvas.fill([shape], mixed(rgb(dark), rgb(light), thing.tone), owner)

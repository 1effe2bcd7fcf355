"""Scenes become pictures, with the owner of every pixel.

The picture is drawn at twice its size and halved; a pixel belongs to whom its middle belongs to.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from sightline.data.pond import things
from sightline.data.pond.backdrops import backdrop
from sightline.data.pond.canvas import HALF, OVERSAMPLING, Canvas, Colour, Image, mixed, rgb, table
from sightline.data.pond.dials import BACKGROUNDS
from sightline.data.pond.outlines import figure, fixed, posed, then
from sightline.data.pond.scene import Light, Placement, Plan
from sightline.data.pond.world import world

MOST_PARTS = 12  # of one object: owner = 1 + MOST_PARTS * object + part
CUES = {name: 240 + i for i, name in enumerate((*BACKGROUNDS, "thing", "occluder"))}
WHITE, BLACK, INK = (255, 255, 255), (0, 0, 0), (24, 22, 20)
ABOVE = "above"  # the view that shows no ground
COATS = ("coat", "light", "dark")
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """A picture, and what each of its pixels shows."""

    picture: Image  # (side, side, 3), red first
    owners: Image  # (side, side): codes of `owner_of` and of `CUES`
    amodal: Image  # (side, side): bit k is set where object k is, hidden or not
    boxes: tuple[Box, ...]  # around the whole of each object, in the frame or not


def owner_of(which: int, part: int) -> int:
    """Give the code of an object's part."""
    return 1 + MOST_PARTS * which + part


def paint(plan: Plan, size: int) -> Painted:
    """Draw a scene."""
    canvas = Canvas(size)
    canvas.picture = backdrop(plan.background, canvas.side, plan.dice("texture"))
    canvas.owner[:] = CUES[plan.background]
    amodal = np.zeros_like(canvas.owner)
    for thing in plan.things:
        things.draw(canvas, thing, CUES["thing"])
    colours = _colours(plan)
    boxes: list[Box] = []
    for which, placed in reversed(list(enumerate(plan.objects))):
        _ground(canvas, plan, placed)
        boxes.append(_object(canvas, amodal, plan, which, placed, colours))
    for thing in plan.occluders:
        things.draw(canvas, thing, CUES["occluder"])
    lit = _lit(canvas.finished(), plan.light)
    covered = np.ascontiguousarray(amodal[1::OVERSAMPLING, 1::OVERSAMPLING])
    return Painted(lit, canvas.owners(), covered, tuple(reversed(boxes)))


def _colours(plan: Plan) -> dict[str, Colour]:
    """Vary the coat's colours from scene to scene, all three alike."""
    dice = plan.dice("colour")
    tone, share = (WHITE if dice.chance(0.5) else BLACK), dice.uniform(0, 0.1)
    hue, lean = (dice.integer(256), dice.integer(256), dice.integer(256)), dice.uniform(0, 0.08)
    coat = world().species[plan.coat].coat
    return {
        name: mixed(mixed(rgb(colour), tone, share), hue, lean)
        for name, colour in zip(COATS, coat, strict=True)
    }


def _ground(canvas: Canvas, plan: Plan, placed: Placement) -> None:
    """Draw the shadow on the ground or the ripples on the water under an object."""
    species = world().species[plan.species]
    view = species.views[placed.view]
    if species.rests == "hovers" or plan.background == "sky" or view.name == ABOVE:
        return
    afloat = plan.background == "water" and species.rests == "floats"
    own = view.waterline if afloat else view.ground
    drawn, half = figure(species, placed.view), 0.5 * placed.length
    bottom = float(drawn.y.max()) if own is None else (own - drawn.middle[1]) / drawn.scale
    x, y = placed.matrix[2], placed.matrix[5] + bottom * placed.length
    if afloat:
        _ellipse(canvas, x, y, 0.9 * half, 0.12 * half, (30, 74, 92))
        for k in (0.1, 0.26):
            ends = [(x - (0.95 - k) * half, y + k * half), (x + (0.95 - k) * half, y + k * half)]
            canvas.stroke([canvas.pixels(ends)], (176, 214, 222), canvas.width(0.006))
    else:
        below = canvas.picture[-1, canvas.side // 2]
        shade = (int(below[0]) // 2, int(below[1]) // 2, int(below[2]) // 2)
        _ellipse(canvas, x, y, 0.6 * half, 0.1 * half, shade)


def _ellipse(canvas: Canvas, x: float, y: float, a: float, b: float, colour: Colour) -> None:
    ring = [(x + a * cos, y + b * sin) for cos, sin in _circle()]
    canvas.fill([canvas.pixels(ring)], colour)


@cache
def _circle() -> tuple[tuple[float, float], ...]:
    angles = np.arange(24) * (2 * np.pi / 24)
    return tuple(zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True))


def _object(
    canvas: Canvas,
    amodal: Image,
    plan: Plan,
    which: int,
    placed: Placement,
    colours: dict[str, Colour],
) -> Box:
    drawn = figure(world().species[plan.species], placed.view)
    side = float(canvas.side)
    matrix = then(placed.matrix, (side, 0, 0, 0, side, 0))
    x, y = posed(drawn, placed.angles, matrix)
    points = fixed(x, y) - HALF
    line = max(1, round(0.008 * placed.length * canvas.side))
    covered = np.zeros_like(amodal)
    for shape in drawn.shapes:
        if shape.part in placed.hidden:
            continue
        outline = points[shape.start : shape.stop]
        colour = colours.get(shape.colour) or rgb(shape.colour)
        width = canvas.width(shape.line / drawn.scale * placed.length) if shape.line else 0
        if shape.line:
            canvas.stroke([outline], colour, width)
        else:
            canvas.fill([outline], colour)
        if not shape.is_mark:
            canvas.stroke([outline], mixed(colour, INK, 0.55), line, closed=True)
        if shape.leaves or not shape.is_mark:
            canvas.cover(canvas.owner, outline, owner_of(which, shape.part), width)
            canvas.cover(covered, outline, 1, width)
    amodal |= covered << which
    shown = drawn.is_body
    if placed.hidden:
        shown = shown & ~np.isin(drawn.part_of_point, list(placed.hidden))
    x, y = x[shown] / OVERSAMPLING, y[shown] / OVERSAMPLING
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _lit(picture: Image, light: Light) -> Image:
    """Shade from one side, then change brightness and warmth."""
    shaded = cv2.subtract(picture, _shade(len(picture), light.direction, round(10 * light.shade)))
    gains = (1 + light.warmth, 1.0, 1 - light.warmth)
    levels = [table([v * light.brightness * gain for v in range(256)]) for gain in gains]
    return np.asarray(cv2.LUT(shaded, np.stack(levels, axis=-1)[:, None, :]), np.uint8)


@cache
def _shade(side: int, direction: int, step: int) -> Image:
    ramp = (np.arange(side) * step * 20 // side).astype(np.uint8)
    plane = np.rot90(np.repeat(ramp[None], side, axis=0), direction)
    return np.ascontiguousarray(np.repeat(plane[..., None], 3, axis=2))

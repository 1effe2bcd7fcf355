"""Backgrounds: grey tiles made once, cut and coloured anew for every scene."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import cv2
import numpy as np

from sightline.data.pond.canvas import Image, grey3, mixed, ramp, rgb
from sightline.data.pond.dice import Dice

TILE = 2  # sides of a tile by the canvas' side
COLOURS: Mapping[str, tuple[str, ...]] = {  # from dark to light
    "water": ("#123c58", "#1d5f7e", "#3a8aa6", "#86c3d2", "#e6f6f8"),
    "reeds": ("#1b2a15", "#3a5226", "#66803a", "#a3a557", "#ddd394"),
    "sand": ("#9a7b50", "#c2a16c", "#dcc08d", "#eedcb4", "#fbf3dd"),
    "lawn": ("#173f15", "#2f6b22", "#4c8f31", "#79b64c", "#b7dc7c"),
    "sky": ("#3a78c2", "#5f99da", "#94c0ec", "#d6e8f8", "#ffffff"),
}
TINTS: Mapping[str, str] = {  # what the colours may lean to
    "water": "#3f6b45",
    "reeds": "#7a6a30",
    "sand": "#b08a70",
    "lawn": "#7a8a2a",
    "sky": "#e8cfc4",
}
MOST_TINT: Mapping[str, float] = {
    "water": 0.35,
    "reeds": 0.35,
    "sand": 0.35,
    "lawn": 0.35,
    "sky": 0.12,
}


def backdrop(kind: str, side: int, dice: Dice) -> Image:
    """Cut a piece of the kind's tile and colour it."""
    tile, room = _tile(kind, side), (TILE - 1) * side
    x, y = int(dice.uniform() * room), int(dice.uniform() * room)
    piece = tile[y : y + side, x : x + side]
    if dice.chance(0.5):
        piece = piece[:, ::-1]
    tint, lean = rgb(TINTS[kind]), dice.uniform(0, MOST_TINT[kind])
    colours = [mixed(rgb(colour), tint, lean) for colour in COLOURS[kind]]
    depth = dice.uniform(0.2, 1.0)
    grey = cv2.add(np.ascontiguousarray(piece), _depth(kind, side, round(4 * depth)))
    return np.asarray(cv2.LUT(grey3(np.asarray(grey, np.uint8)), ramp(colours)), np.uint8)


@cache
def _depth(kind: str, side: int, step: int) -> Image:
    """Brighten what is far, or what the sun is in: the top, for the sky the bottom."""
    rows = (np.arange(side) * step * 20) // side
    rows = rows if kind == "sky" else rows[::-1]
    return np.repeat(rows.astype(np.uint8)[:, None], side, axis=1)


@cache
def _tile(kind: str, side: int) -> Image:
    return TILES[kind](TILE * side, Dice(0, 0, f"tile {kind}"))


def _noise(side: int, across: int, down: int, dice: Dice) -> Image:
    """Smooth a random grid of so many cells across and down; exact on every machine."""
    cells = [dice.integer(256) for _ in range(across * down)]
    grid = np.array(cells, np.uint8).reshape(down, across)
    exact = cv2.INTER_LINEAR_EXACT
    finer = cv2.resize(grid, (4 * across, 4 * down), interpolation=exact)
    smooth = cv2.GaussianBlur(finer, (7, 7), 0)  # fixed-point for bytes, so exact too
    return cv2.resize(smooth, (side, side), interpolation=exact).astype(np.uint8, copy=False)


def _mixture(layers: Sequence[tuple[int, Image]], low: int, high: int) -> Image:
    """Add weighted layers, weights in 1/256, and stretch the result between two levels."""
    total = sum(weight * layer.astype(np.int32) for weight, layer in layers) >> 8
    bottom, top = int(np.min(total)), int(np.max(total))
    stretched = low + (total - bottom) * (high - low) // max(1, top - bottom)
    return np.asarray(stretched, np.uint8)


def _water(side: int, dice: Dice) -> Image:
    layers = [
        (120, _noise(side, 5, 9, dice)),
        (70, _noise(side, 12, 48, dice)),
        (66, _noise(side, 30, 120, dice)),
    ]
    tile = _mixture(layers, 10, 170)
    for _ in range(150):  # glints
        x, y, half = dice.uniform(), dice.uniform(), dice.uniform(0.01, 0.05)
        _stroke(tile, (x - half, y), (x + half, y), 0.002, 150 + dice.integer(80))
    return tile


def _sand(side: int, dice: Dice) -> Image:
    layers = [
        (90, _noise(side, 4, 14, dice)),
        (60, _noise(side, 40, 40, dice)),
        (106, _noise(side, 170, 170, dice)),
    ]
    tile = _mixture(layers, 40, 190)
    for _ in range(260):  # grains and their shadows
        x, y, radius = dice.uniform(), dice.uniform(), dice.uniform(0.001, 0.004)
        _stroke(tile, (x, y + radius), (x + 2 * radius, y + radius), 2 * radius, 15)
        _stroke(tile, (x, y), (x + radius, y), 2 * radius, 180 + dice.integer(60))
    return tile


def _lawn(side: int, dice: Dice) -> Image:
    tile = _mixture([(150, _noise(side, 7, 7, dice)), (106, _noise(side, 150, 60, dice))], 20, 130)
    for _ in range(1300):
        x, y, height = dice.uniform(), dice.uniform(), dice.uniform(0.015, 0.04)
        lean = dice.around(0, 0.4) * height
        _stroke(tile, (x, y), (x + lean, y - height), 0.003, 40 + dice.integer(160))
    return tile


def _reeds(side: int, dice: Dice) -> Image:
    tile = _mixture([(160, _noise(side, 30, 4, dice)), (96, _noise(side, 90, 12, dice))], 0, 90)
    for i in range(130):  # the nearer ones are lighter
        x, lean, width = dice.uniform(), dice.around(0, 0.05), dice.uniform(0.004, 0.011)
        foot, top = dice.uniform(0.5, 1.3), dice.uniform(-0.3, 0.5)
        grey = 40 + i + dice.integer(70)
        _stroke(tile, (x, foot), (x + lean, top), width, grey)
        if dice.chance(0.2):  # a cattail
            _stroke(tile, (x + lean, top), (x + 1.1 * lean, top - 0.05), 2.4 * width, 10)
    return tile


def _sky(side: int, dice: Dice) -> Image:
    layers = [
        (140, _noise(side, 4, 6, dice)),
        (70, _noise(side, 10, 16, dice)),
        (46, _noise(side, 26, 36, dice)),
    ]
    tile = _mixture(layers, 0, 255)
    clouds = [0.25 * v if v < 118 else min(235.0, 30 + 3.1 * (v - 118)) for v in range(256)]
    return cv2.LUT(tile, np.array(clouds).astype(np.uint8)).astype(np.uint8)


def _stroke(
    tile: Image, start: tuple[float, float], end: tuple[float, float], width: float, grey: int
) -> None:
    side = len(tile)
    ends = [(round(16 * side * x), round(16 * side * y)) for x, y in (start, end)]
    cv2.line(tile, ends[0], ends[1], grey, max(1, round(width * side)), cv2.LINE_AA, 4)


TILES: Mapping[str, Callable[[int, Dice], Image]] = {
    "water": _water,
    "reeds": _reeds,
    "sand": _sand,
    "lawn": _lawn,
    "sky": _sky,
}

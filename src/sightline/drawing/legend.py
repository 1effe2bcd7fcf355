"""The legend under a sheet: what each color and line means, and a color for each named part."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import cv2
import numpy as np

from sightline.drawing.annotated import GAZE, HATCH, OUTLINE, PART_COLORS, Known
from sightline.drawing.overlay import TRUE, Picture
from sightline.types import FOREGROUND, IGNORE

Color = tuple[int, int, int]
MOST_PARTS = 3 * len(PART_COLORS)  # with a color of their own
OTHER = (150, 150, 150)  # the color of all others
LINE, SWATCH, GAP = 20, 12, 16
FONT, SCALE, INK = cv2.FONT_HERSHEY_SIMPLEX, 0.38, (20, 20, 20)


def part_colors(known: Iterable[Known]) -> dict[str, Color]:
    """Give each part a color, the most frequent ones the clearest: plain, then light, then dark."""
    counted = Counter(name for one in known for name, _ in one.parts)
    names = sorted(counted, key=lambda name: (-counted[name], name))
    light, dark = ([_mixed(color, other) for color in PART_COLORS] for other in (255, 0))
    shades = [*PART_COLORS, *light, *dark]
    return {name: shades[i] if i < MOST_PARTS else OTHER for i, name in enumerate(names)}


def _mixed(color: Color, other: int) -> Color:
    red, green, blue = ((channel + other) // 2 for channel in color)
    return red, green, blue


def with_legend(picture: Picture, known: Sequence[Known], colors: Mapping[str, Color]) -> Picture:
    """Put the legend of what is drawn under a sheet."""
    entries = [*_lines(known), *((name, color, "fill") for name, color in _named(colors))]
    width = picture.shape[1]
    rows: list[list[tuple[int, str, Color, str]]] = [[]]
    x = 4
    for text, color, kind in entries:
        length = SWATCH + 6 + cv2.getTextSize(text, FONT, SCALE, 1)[0][0]
        if rows[-1] and x + length > width - 4:
            rows.append([])
            x = 4
        rows[-1].append((x, text, color, kind))
        x += length + GAP
    strip = np.full((len(rows) * LINE + 8, width, 3), 255, np.uint8)
    for number, row in enumerate(rows):
        for x, text, color, kind in row:
            _draw(strip, x, 4 + number * LINE, text, color, kind)
    return np.concatenate([picture, strip]) if entries else picture


def _lines(known: Sequence[Known]) -> list[tuple[str, Color, str]]:
    """List what is drawn besides parts, where there is any of it."""
    masks = [one.mask for one in known if one.mask is not None]
    there = (
        ("box", TRUE, "line", any(len(one.boxes) for one in known)),
        ("mask", OUTLINE, "line", any((mask == FOREGROUND).any() for mask in masks)),
        ("ignored", HATCH, "hatch", any((mask == IGNORE).any() for mask in masks)),
        ("gaze (first one large)", GAZE, "dot", any(one.gazes for one in known)),
    )
    return [(text, color, kind) for text, color, kind, drawn in there if drawn]


def _named(colors: Mapping[str, Color]) -> list[tuple[str, Color]]:
    named = [(name, color) for name, color in colors.items() if color != OTHER]
    others = len(colors) - len(named)
    return [*named, *([(f"{others} other parts", OTHER)] if others else [])]


def _draw(strip: Picture, x: int, y: int, text: str, color: Color, kind: str) -> None:
    corner = (x + SWATCH, y + SWATCH)
    cv2.rectangle(strip, (x, y), corner, color if kind == "fill" else (70, 70, 70), -1)
    if kind == "line":
        cv2.rectangle(strip, (x + 2, y + 2), (corner[0] - 2, corner[1] - 2), color, 1)
    elif kind == "hatch":
        for start in range(0, SWATCH, 4):
            cv2.line(strip, (x + start, y + SWATCH), (x + start + 4, y), color, 1)
    elif kind == "dot":
        cv2.circle(strip, (x + SWATCH // 2, y + SWATCH // 2), 4, color, -1, cv2.LINE_AA)
    place = (x + SWATCH + 4, y + SWATCH - 2)
    cv2.putText(strip, text, place, FONT, SCALE, INK, 1, cv2.LINE_AA)

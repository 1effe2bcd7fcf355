"""A table of numbers as a picture: the higher, the brighter; the highest is framed."""

from collections.abc import Mapping

import cv2
import numpy as np

from sightline.drawing.overlay import Picture

WIDTH, HEIGHT, MARGIN, TOP = 72, 34, 64, 48
FONT, DARK, LIGHT, FRAME = cv2.FONT_HERSHEY_SIMPLEX, (20, 20, 20), (255, 255, 255), (220, 30, 30)


def heat_table(
    values: Mapping[tuple[int, int], float], title: str, *, rows: str, columns: str
) -> Picture:
    """Draw values by row and column; `rows` and `columns` say what the two are."""
    down, across = sorted({row for row, _ in values}), sorted({column for _, column in values})
    size = (TOP + HEIGHT * (len(down) + 1), MARGIN + max(WIDTH * len(across), 9 * len(title)), 3)
    picture: Picture = np.full(size, 255, np.uint8)
    _write(picture, title, 6, 18)
    _write(picture, f"{rows} / {columns}", 6, TOP - 8)
    low, high = min(values.values()), max(values.values())
    for x, column in enumerate(across):
        _write(picture, str(column), MARGIN + WIDTH * x + 6, TOP - 8)
    for y, row in enumerate(down):
        _write(picture, str(row), 6, TOP + HEIGHT * y + 22)
        for x, column in enumerate(across):
            value = values[row, column]
            share = (value - low) / (high - low) if high > low else 1.0
            corner = (MARGIN + WIDTH * x, TOP + HEIGHT * y)
            _cell(picture, corner, value, share, framed=value == high)
    return picture


def _cell(
    picture: Picture, corner: tuple[int, int], value: float, share: float, *, framed: bool
) -> None:
    x, y = corner
    level = np.full((1, 1), round(255 * share), np.uint8)
    blue, green, red = cv2.applyColorMap(level, cv2.COLORMAP_VIRIDIS)[0, 0].tolist()
    picture[y + 1 : y + HEIGHT - 1, x + 1 : x + WIDTH - 1] = (red, green, blue)
    if framed:
        cv2.rectangle(picture, (x + 1, y + 1), (x + WIDTH - 2, y + HEIGHT - 2), FRAME, 2)
    _write(picture, f"{value:.1f}", x + 18, y + 22, DARK if share > 0.6 else LIGHT)


def _write(picture: Picture, text: str, x: int, y: int, color: tuple[int, int, int] = DARK) -> None:
    cv2.putText(picture, text, (x, y), FONT, 0.45, color, 1, cv2.LINE_AA)

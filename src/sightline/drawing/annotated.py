"""Pictures with everything that is known of them: boxes, masks, ignored regions, parts, gazes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.drawing.overlay import TRUE, Picture
from sightline.types import FOREGROUND, IGNORE, Fixation

OUTLINE, HATCH, GAZE = (255, 255, 255), (255, 60, 60), (255, 220, 0)
PART_COLORS = (  # a palette that the color-blind can tell apart (Okabe and Ito 2008)
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
)
HATCH_EVERY = 6
TINT = 0.45  # of a part, over the picture
Bits = NDArray[np.uint8]  # (height, width), 0 and 1


def no_corners() -> NDArray[np.float64]:
    """Give no box."""
    return np.empty((0, 4))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known of one picture, in its own pixels."""

    boxes: NDArray[np.float64] = field(default_factory=no_corners)  # (M, 4), exclusive ends
    mask: Bits | None = None  # in the codes of `sightline.types`
    parts: Sequence[tuple[str, Bits]] = ()
    gazes: Sequence[Fixation] = ()


def annotated(
    picture: Picture,
    known: Known,
    side: int,
    colors: Mapping[str, tuple[int, int, int]] | None = None,
) -> Picture:
    """Draw what is known over a picture, enlarged to fit a square tile of that side.

    Parts have the `colors` of their names, or else take turns in the palette.
    """
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    tile = _enlarged(picture, scale)
    for number, (name, part) in enumerate(known.parts):
        turn = PART_COLORS[number % len(PART_COLORS)]
        _tint(tile, _enlarged(part, scale), (colors or {}).get(name, turn))
    if known.mask is not None:
        _outline(tile, _enlarged((known.mask == FOREGROUND).astype(np.uint8), scale))
        _hatch(tile, _enlarged((known.mask == IGNORE).astype(np.uint8), scale))
    for x0, y0, x1, y1 in np.round(known.boxes * scale).astype(int).tolist():
        cv2.rectangle(tile, (x0, y0), (x1 - 1, y1 - 1), TRUE, 1)
    _draw_gazes(tile, known.gazes, scale)
    return _centered(tile, side)


def _enlarged(picture: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    size = [max(1, round(side * scale)) for side in picture.shape[1::-1]]
    method = cv2.INTER_NEAREST if picture.ndim == 2 else cv2.INTER_AREA
    if scale > 1 and picture.ndim == 3:
        method = cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, (size[0], size[1]), interpolation=method), np.uint8)


def _tint(tile: Picture, part: Bits, color: tuple[int, int, int]) -> None:
    inside = part > 0
    tile[inside] = ((1 - TINT) * tile[inside] + TINT * np.array(color)).astype(np.uint8)


def _outline(tile: Picture, mask: Bits) -> None:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(tile, contours, -1, OUTLINE, 1, cv2.LINE_AA)


def _hatch(tile: Picture, ignored: Bits) -> None:
    """Hatch what counts for nothing."""
    y, x = np.nonzero(ignored)
    lines = (x + y) % HATCH_EVERY < 2
    tile[y[lines], x[lines]] = HATCH


def _draw_gazes(tile: Picture, gazes: Sequence[Fixation], scale: float) -> None:
    """Join each subject's gazes in their order; the first is the largest."""
    subjects: dict[str, list[Fixation]] = {}
    for gaze in sorted(gazes, key=lambda gaze: gaze.order):
        subjects.setdefault(gaze.subject, []).append(gaze)
    for path in subjects.values():
        points = [(round(gaze.x * scale), round(gaze.y * scale)) for gaze in path]
        for start, end in pairwise(points):
            cv2.line(tile, start, end, GAZE, 1, cv2.LINE_AA)
        for number, point in enumerate(points):
            cv2.circle(tile, point, 4 if number == 0 else 2, GAZE, -1, cv2.LINE_AA)


def _centered(tile: Picture, side: int) -> Picture:
    square = np.full((side, side, 3), 235, np.uint8)
    height, width = tile.shape[:2]
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = tile
    return square

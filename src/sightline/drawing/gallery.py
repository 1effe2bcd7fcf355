"""Maps over their images, in a notebook or as one picture file."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sightline.drawing.overlay import Picture, labelled, overlay, save, sheet
from sightline.errors import UsageError
from sightline.metrics.box import boxes_at, map_boxes
from sightline.metrics.protocol import Protocol, preset
from sightline.metrics.score_maps import as_scores, check_range

SIDE = 192


@dataclass(frozen=True, slots=True, eq=False)
class Gallery:
    """Tiles that show themselves in a notebook."""

    tiles: tuple[Picture, ...]
    columns: int

    def save(self, file: str | Path) -> Path:
        """Write one picture of all tiles."""
        save(sheet(list(self.tiles), self.columns), str(file))
        return Path(file)

    def _repr_html_(self) -> str:
        shown = []
        for number, tile in enumerate(self.tiles):
            _, data = cv2.imencode(".jpg", tile[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
            text = base64.b64encode(data.tobytes()).decode()
            shown.append(f"<img alt='image {number}' src='data:image/jpeg;base64,{text}'>")
        style = f"display:grid;grid-template-columns:repeat({self.columns},max-content);gap:4px"
        return f"<div style='{style}'>{''.join(shown)}</div>"


def gallery(
    images: Sequence[Any],
    maps: Sequence[Any],
    boxes: Sequence[Any] | None = None,
    *,
    threshold: float | None = None,
    labels: Sequence[str] | None = None,
    protocol: str | Protocol = "reference-v1",
    columns: int = 6,
) -> Gallery:
    """Lay maps in [0, 1] over their images; true boxes are dashed, those found solid.

    Args:
        images: arrays of height x width x 3, 0 to 255, red first; of any size.
        maps: one for each image, of any size.
        boxes: for each image rows of x0, y0, x1, y1 in the map's pixels, as `evaluate` takes them.
        threshold: draw the boxes that the protocol finds at this threshold.
        labels: a line under each image.
        protocol: how boxes are found.
        columns: tiles in a row.
    """
    for name, given in (("maps", maps), ("boxes", boxes), ("labels", labels)):
        if given is not None and len(given) != len(images):
            raise UsageError(f"{len(given)} {name} were given for {len(images)} images")
    if columns < 1:
        raise UsageError("columns: give 1 or more")
    chosen = preset(protocol) if isinstance(protocol, str) else protocol
    tiles = []
    for number, (image, raw) in enumerate(zip(images, maps, strict=True)):
        scores = as_scores(raw, image=f"image {number}")
        check_range(scores, image=f"image {number}")
        true: Any = [] if boxes is None else np.asarray(boxes[number], float).reshape(-1, 4)
        known = None if threshold is None else map_boxes(scores, chosen)
        found: Any = [] if known is None else boxes_at(known, float(threshold or 0), chosen)
        tile = _tile(np.asarray(image), scores, true, found)
        tiles.append(labelled(tile, labels[number]) if labels else tile)
    return Gallery(tuple(tiles), min(columns, max(1, len(tiles))))


def _tile(image: Any, scores: Any, true: Any, found: Any) -> Picture:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        what = f"an image is {image.dtype} of shape {image.shape}"
        raise UsageError(f"{what}; give uint8 of height x width x 3")
    scale = SIDE / max(image.shape[:2])
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    picture = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    to_tile = np.array([size[0] / scores.shape[1], size[1] / scores.shape[0]] * 2)
    tile = overlay(
        picture,
        scores,
        true=[box * to_tile for box in true],
        found=[np.add(box, [0, 0, 1, 1]) * to_tile for box in found],
    )
    square = np.full((SIDE, SIDE, 3), 255, np.uint8)
    y, x = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    square[y : y + size[1], x : x + size[0]] = tile
    return square

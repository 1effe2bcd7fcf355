"""Draw the contact sheet of docs/pond.md: every species in both settings, then what is known.

.venv/bin/python docs/pond_sheet.py
"""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from sightline.data.pond.dials import dials
from sightline.data.pond.known import know
from sightline.data.pond.painting import CUES, MOST_PARTS, paint
from sightline.data.pond.scene import Plan, plan
from sightline.data.pond.world import world
from sightline.drawing.annotated import Known, annotated
from sightline.drawing.overlay import Picture, sheet
from sightline.types import Fixation

SIDE, COLUMNS, SEED = 112, 8, 0
FILE = Path(__file__).parent / "pond.png"


def scenes(setting: str) -> Iterator[tuple[Plan, Picture, Known]]:
    """Draw one scene of each species."""
    chosen = dials(setting, {"size": SIDE})
    for number in range(len(world().species)):
        decided = plan(chosen, SEED, "docs", number, noisy=False)
        painted = paint(decided, SIDE)
        lines = know(decided, painted, chosen).lines
        gazes = [
            Fixation(s, int(i), float(x), float(y)) for s, i, x, y in cells(lines["fixations"])
        ]
        boxes = np.array([[int(end) for end in ends] for ends in cells(lines["localization"])])
        seen = np.unique(painted.owners[painted.owners < CUES["water"]])
        parts = [(str(v % MOST_PARTS), (painted.owners == v).astype(np.uint8)) for v in seen]
        mask = (painted.owners < CUES["water"]).astype(np.uint8)
        known = Known(boxes.astype(float), mask, parts, [g for g in gazes if g.subject == "s1"])
        yield decided, painted.picture, known


def cells(lines: list[str]) -> list[list[str]]:
    """Split lines, less the image's name."""
    return [line.split(",")[1:] for line in lines]


def main() -> None:
    """Write the sheet with few colours, so that it is small."""
    well, ill = list(scenes("well-posed")), list(scenes("ill-posed"))
    tiles = [picture for _, picture, _ in (*well, *ill)]
    tiles += [annotated(picture, known, SIDE) for _, picture, known in well[:COLUMNS]]
    whole = Image.fromarray(sheet(tiles, COLUMNS))
    palette = whole.quantize(256, kmeans=2)
    whole.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG).save(FILE, optimize=True)
    assert cv2.imread(str(FILE)) is not None


if __name__ == "__main__":
    main()

"""A generated example to try the evaluation on: pictures, boxes, masks and three kinds of maps.

It is made so that the answer is known: maps of the whole object beat maps of its head, which is
all that a classifier needs to look at. It says nothing of real images.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.types import ScoreMap

WIDTH, HEIGHT = 192, 144
HUES = (15, 60, 105, 150)  # one a class
CELLS = 7  # of a raw map, each way
NOISE = 0.3  # of a raw map, beside an object of 1
Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture, with what is known of it."""

    name: str
    label: int
    picture: Bits  # (height, width, 3), red first
    body: Bits  # 0 and 1, head included
    head: Bits


def scene(index: int, seed: int) -> Scene:
    """Draw a body with a head somewhere on a cloudy ground."""
    rng = np.random.default_rng([seed, index])
    label = index % len(HUES)
    center = rng.uniform((0.3, 0.3), (0.7, 0.7)) * (WIDTH, HEIGHT)
    axes = rng.uniform((22, 12), (52, 30))
    angle = rng.uniform(-40, 40)
    side = rng.choice([-1, 1])
    turn = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    neck = center + side * axes[0] * turn
    body, head = (np.zeros((HEIGHT, WIDTH), np.uint8) for _ in range(2))
    cv2.ellipse(body, _point(center), _point(axes), angle, 0, 360, 1, -1)
    cv2.circle(head, _point(neck), int(axes[1] * 0.6), 1, -1)
    return Scene(
        f"class_{label}/{index:04d}.png", label, _painted(rng, label, body, head), body | head, head
    )


def _point(values: NDArray[np.float64]) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def _painted(rng: np.random.Generator, label: int, body: Bits, head: Bits) -> Bits:
    clouds = cv2.resize(rng.random((6, 8)), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    hsv = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    hsv[..., 0] = np.where(head == 1, (HUES[label] + 20) % 180, np.where(body, HUES[label], 90))
    hsv[..., 1] = np.where(body | head, 170, 40)
    hsv[..., 2] = np.clip(120 + 80 * clouds + 30 * (body | head), 0, 255)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB), np.uint8)


def write(folder: Path, images: int, seed: int) -> list[Scene]:
    """Write pictures, masks and the four lists of the reference format."""
    scenes = [scene(i, seed) for i in range(images)]
    for one in scenes:
        for kind, pixels in (("images", one.picture[:, :, ::-1]), ("masks", 255 * one.body)):
            file = folder / kind / one.name
            file.parent.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(file), pixels)
    truth = folder / "truth"
    truth.mkdir(parents=True, exist_ok=True)
    lines = {
        "image_ids": [one.name for one in scenes],
        "class_labels": [f"{one.name},{one.label}" for one in scenes],
        "image_sizes": [f"{one.name},{WIDTH},{HEIGHT}" for one in scenes],
        "localization": [f"{one.name},{','.join(map(str, box_of(one.body)))}" for one in scenes],
    }
    for name, content in lines.items():
        (truth / f"{name}.txt").write_text("\n".join(content), encoding="utf-8")
    return scenes


def box_of(mask: Bits) -> tuple[int, int, int, int]:
    """Give the box around a mask."""
    x, y, width, height = cv2.boundingRect(mask)
    return x, y, x + width, y + height


def raw_map(one: Scene, kind: str, seed: int) -> ScoreMap:
    """Make a coarse map of the whole object or of its head."""
    rng = np.random.default_rng([seed, 1, int(one.name[-8:-4])])
    target = {"object": one.body, "head": one.head}[kind].astype(float)
    coarse = cv2.resize(target, (CELLS, CELLS), interpolation=cv2.INTER_AREA)
    return np.asarray(coarse + NOISE * rng.random((CELLS, CELLS)))

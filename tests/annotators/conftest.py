"""A small data set of pictures with a bright square in each, whose place is known."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

WIDTH, HEIGHT = 64, 48


@dataclass(frozen=True)
class Pictures:
    root: Path
    images: Path
    ids: list[str]
    boxes: list[tuple[int, int, int, int]]


def write_picture(file: Path, box: tuple[int, int, int, int], seed: int) -> None:
    dice = np.random.default_rng(seed)
    image = cv2.GaussianBlur(dice.integers(0, 120, (HEIGHT, WIDTH, 3)).astype(np.uint8), (7, 7), 2)
    x0, y0, x1, y1 = box
    image[y0:y1, x0:x1] = (230, 60 + 20 * seed, 40)
    file.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(file), image)


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    ids = [f"p{i}.png" for i in range(5)]
    boxes = [(8 + 4 * i, 6 + 2 * i, 36 + 4 * i, 30 + 3 * i) for i in range(5)]
    root, images = tmp_path / "data", tmp_path / "data" / "images"
    for i, (name, box) in enumerate(zip(ids, boxes, strict=True)):
        write_picture(images / name, box, i)
    folder = root / "val"
    folder.mkdir()
    lists = {
        "image_ids": ids,
        "class_labels": [f"{name},{i % 2}" for i, name in enumerate(ids)],
        "image_sizes": [f"{name},{WIDTH},{HEIGHT}" for name in ids],
        "localization": [f"{n},{','.join(map(str, b))}" for n, b in zip(ids, boxes, strict=True)],
    }
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(lines))
    (root / "class_names.txt").write_text("duck\nfrog\n")
    return Pictures(root, images, ids, boxes)

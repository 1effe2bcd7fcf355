"""Small part data that tests make: a COCO file of dogs and cats of four parts."""

import json
from pathlib import Path

import cv2
import numpy as np

WIDTH, HEIGHT = 60, 48
BODY, HEAD, EYE, TAIL = (12, 16, 40, 36), (34, 8, 48, 22), (42, 12, 44, 14), (6, 18, 13, 22)
PARTS = {"torso": BODY, "head": HEAD, "eye": EYE, "tail": TAIL}


def ring(x0: int, y0: int, x1: int, y1: int) -> list[list[int]]:
    return [[x0, y0, x1, y0, x1, y1, x0, y1]]


def picture(seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).integers(0, 255, (6, 8, 3)).astype(np.uint8)
    return cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


def write(root: Path, kinds: dict[str, tuple[str, ...]]) -> Path:
    """Write an image of one object for each kind, which has the parts named."""
    root.mkdir(parents=True, exist_ok=True)
    names = sorted({f"{kind.partition('-')[0]}:{part}" for kind in kinds for part in PARTS})
    categories = [{"id": number, "name": name} for number, name in enumerate(names, start=1)]
    known = {name: number for number, name in enumerate(names, start=1)}
    images, annotations = [], []
    for key, (kind, parts) in enumerate(kinds.items(), start=1):
        cv2.imwrite(str(root / f"{kind}.png"), picture(key))
        images.append({"id": key, "file_name": f"{kind}.png", "width": WIDTH, "height": HEIGHT})
        for part in parts:
            category = known[f"{kind.partition('-')[0]}:{part}"]
            corners = PARTS[part]
            box = [corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]]
            one = {"id": len(annotations) + 1, "image_id": key, "category_id": category}
            annotations.append({**one, "bbox": box, "segmentation": ring(*corners)})
    content = {"images": images, "categories": categories, "annotations": annotations}
    file = root / "parts.json"
    file.write_text(json.dumps(content))
    return file

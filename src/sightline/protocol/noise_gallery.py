"""A few images, one a row, with their ground truth at each level of noise, one a column.

Paper: Murtaza et al., A Realistic Protocol for Evaluation of Weakly Supervised Object
Localization, Figure S1.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sightline.data.dataset import read_dataset
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask
from sightline.data.photographs import read_photograph
from sightline.data.truth import read_truth
from sightline.drawing.annotated import Known, annotated
from sightline.drawing.overlay import Picture, labelled, save, sheet
from sightline.errors import UsageError

SIDE, GROUND = 144, 200


def draw(
    photographs: tuple[str, Path | None, str],
    folders: Mapping[int, Path],
    out: Path,
    *,
    kind: str,
    count: int,
    seed: int,
) -> Path:
    """Draw some images, chosen at random, and write the sheet as noise.png.

    Args:
        photographs: place and split of the ground truth, the folder of images between them. Where
            no photographs are known the ground truth is drawn alone.
        folders: what was written, by level.
        out: folder to write to.
        kind: boxes or masks.
        count: images to draw.
        seed: of the choice.
    """
    levels = sorted(folders)
    known = {level: _known(folders[level], kind) for level in levels}
    ids = sorted(known[levels[0]])
    chosen = np.random.default_rng(seed).permutation(len(ids))[:count]
    files = _photographs(*photographs)
    tiles = []
    for name in (ids[i] for i in sorted(chosen.tolist())):
        for level in levels:
            size, one = known[level][name]
            picture = _picture(files.get(name), size)
            tiles.append(labelled(annotated(picture, one, SIDE), f"{level} %"))
    file = out / "noise.png"
    save(sheet(tiles, len(levels)), str(file))
    return file


def _known(folder: Path, kind: str) -> dict[str, tuple[tuple[int, int], Known]]:
    """Read back what was written, with the size of each image."""
    truth, ledger = read_truth(folder, split=folder.name), Ledger()
    found = {}
    for item, name in enumerate(truth.split.ids):
        if kind == "boxes":
            boxes = truth.boxes("study", ledger)
            corners = boxes.corners[boxes.offsets[item] : boxes.offsets[item + 1]]
            width, height = map(int, truth.split.sizes[item])
            found[name] = (width, height), Known(boxes=corners)
        else:
            mask = read_mask(truth.masks("study", ledger), item, None)
            found[name] = (mask.shape[1], mask.shape[0]), Known(mask=mask)
    return found


def _photographs(place: str, images: Path | None, split: str) -> dict[str, Path]:
    try:
        data = read_dataset(place, split=split, images=images, skip_problems=True)
    except UsageError:
        return {}
    return dict(zip(data.split.ids, data.pictures, strict=True))


def _picture(file: Path | None, size: Sequence[int]) -> Picture:
    if file is None:
        return np.full((size[1], size[0], 3), GROUND, np.uint8)
    return np.asarray(read_photograph(file, size=(size[0], size[1])), np.uint8)

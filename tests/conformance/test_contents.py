"""Every content scheme shows revealed parts as they are, and more parts never show less."""

import numpy as np
import pytest

from sightline import registry
from sightline.parts import named
from sightline.parts.contents.contract import Scene

CONTENTS = [entry.name for entry in registry.describe("content") if entry.source == "sightline"]
HEIGHT, WIDTH = 36, 44


@pytest.mark.parametrize("name", CONTENTS)
def test_a_content_scheme_shows_what_is_revealed(name: str) -> None:
    chosen = named.read("content", name)
    assert chosen.module.CROP in ("tight", "context")
    picture = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    kept = picture.copy()
    paint = chosen.module.begin(Scene(picture, (6, 4, 38, 30)), chosen.options)
    masks = [np.zeros((HEIGHT, WIDTH), bool) for _ in range(3)]
    masks[1][10:20, 10:20] = masks[2][8:28, 8:30] = True
    shown = [paint(mask) for mask in masks]
    assert (picture == kept).all()
    for mask, one in zip(masks, shown, strict=True):
        assert one.shape == picture.shape
        assert one.dtype == np.uint8
        assert (one[mask] == picture[mask]).all()
        assert (paint(mask) == one).all()
    apart = [np.abs(one.astype(int) - picture).sum() for one in shown]
    assert apart[0] > apart[1] > apart[2]


@pytest.mark.parametrize("name", CONTENTS)
def test_a_content_scheme_takes_crops_of_a_few_pixels(name: str) -> None:
    chosen = named.read("content", name)
    for height, width in ((1, 1), (2, 7), (3, 40)):
        picture = np.full((height, width, 3), 90, np.uint8)
        paint = chosen.module.begin(Scene(picture, (0, 0, width, height)), chosen.options)
        assert paint(np.zeros((height, width), bool)).shape == picture.shape
        assert (paint(np.ones((height, width), bool)) == picture).all()

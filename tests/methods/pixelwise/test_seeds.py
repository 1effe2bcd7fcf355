"""Seeds: where they may lie, how many there are, and what is left out."""

import numpy as np
import pytest

from sightline.methods.pixelwise.seeds import (
    Seeding,
    background_region,
    object_region,
    scaled_side,
    seeds,
)


def disk(side: int = 32, radius: float = 10) -> np.ndarray:
    rows, columns = np.indices((side, side)) - (side - 1) / 2
    return (np.hypot(rows, columns) < radius).astype(np.float32)


def how(**changed: object) -> Seeding:
    usual = {"foreground": 1, "background": 1, "share": 0.1, "erosion": 3, "dilation": 1}
    return Seeding(**{**usual, **changed})  # type: ignore[arg-type]


def draw(scores: np.ndarray, seeding: Seeding, seed: int = 0) -> np.ndarray:
    return seeds(scores, seeding, np.random.default_rng(seed))


def test_the_region_of_the_object_is_above_otsu_without_its_margin():
    scores = disk()
    shrunk = disk(radius=9)  # the square of 3 reaches one pixel
    region = object_region(scores, 3)
    assert (region <= scores.astype(bool)).all()
    assert (region >= disk(radius=8).astype(bool)).all()
    assert abs(int(region.sum()) - int(shrunk.sum())) < 30
    assert object_region(scores, 1).sum() == scores.sum()


def test_a_region_that_would_vanish_keeps_its_margin():
    scores = np.zeros((20, 20), np.float32)
    scores[4:7, 5:8] = 1
    assert object_region(scores, 11).sum() == 9


@pytest.mark.parametrize("low", [0.0, 0.999])
def test_otsu_is_at_least_1_and_at_most_254(low):
    scores = np.full((8, 8), low, np.float32)
    scores[0, 0] = 1
    assert object_region(scores, 1).sum() == 1  # 255 is above any such threshold
    tiny = np.zeros((8, 8), np.float32)
    tiny[0, 0] = 1 / 255  # level 1, which 1 is not below
    assert object_region(tiny, 1).sum() == 0


def test_background_is_drawn_from_the_lowest_share():
    scores = np.arange(100, dtype=np.float32).reshape(10, 10)[::-1]
    assert (background_region(scores, 0.1) == (scores < 10)).all()
    assert background_region(scores, 0).sum() == 1
    assert background_region(scores, 1).all()


@pytest.mark.parametrize("count", [1, 4, 10])
def test_so_many_seeds_of_each_kind_where_they_belong(count):
    scores = disk() * 0.9 + 0.05 * np.linspace(0, 1, 32, dtype=np.float32)
    found = draw(scores, how(foreground=count, background=count))
    assert (found == 1).sum() == (found == 0).sum() == count
    assert object_region(scores, 3)[found == 1].all()
    assert background_region(scores, 0.1)[found == 0].all()
    assert set(np.unique(found)) == {0, 1, 255}


def test_no_more_seeds_than_there_are_pixels():
    scores = np.zeros((6, 6), np.float32)
    scores[2, 2] = 1
    found = draw(scores, how(foreground=5, background=3))
    assert ((found == 1).sum(), (found == 0).sum()) == (1, 3)


def test_every_pixel_of_the_region_has_the_same_chance():
    scores = np.zeros((6, 6), np.float32)
    scores[2:4, 2:4] = 1
    drawn = [np.argwhere(draw(scores, how(erosion=1), seed) == 1)[0] for seed in range(400)]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 4
    assert counts.min() > 60


def test_seeds_are_dilated_and_what_is_both_is_ignored():
    scores = np.zeros((1, 5), np.float32)
    scores[0] = [0, 0.2, 0.9, 1, 0.95]
    found = draw(scores, how(share=0.2, erosion=1, dilation=3, foreground=3))
    assert found.tolist() == [[0, 255, 1, 1, 1]]  # 1 is next to both


def test_a_map_that_is_the_same_everywhere_gives_no_seeds():
    for level in (0, 0.5, 1):
        assert (draw(np.full((9, 9), level, np.float32), how()) == 255).all()


def test_sides_follow_the_size_of_the_image_and_stay_odd():
    assert [scaled_side(11, side, 224) for side in (224, 160, 64, 8, 448)] == [11, 7, 3, 1, 21]
    assert [scaled_side(3, side, 224) for side in (224, 160, 64)] == [3, 3, 1]
    assert all(scaled_side(k, s, 224) % 2 for k in (1, 3, 5, 11) for s in range(16, 600, 7))

"""Eroded masks: the level is met, the outside goes first, the error is 1 - ROC-AUC."""

from itertools import pairwise

import numpy as np
import pytest

from sightline.protocol.noise_masks import LEVELS, confusion, eroded, mask_error, removal_order

SQUARE = np.zeros((20, 20), np.uint8)
SQUARE[5:15, 5:15] = 1  # 100 pixels, 36 of them on the rim


def worse(mask, level, seed=0):
    return eroded(mask, level, removal_order(mask, np.random.default_rng(seed)))


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_is_met_to_one_pixel(level):
    assert (worse(SQUARE, level) == 1).sum() == 100 - level


def test_the_rim_goes_before_anything_inside():
    core = np.zeros_like(SQUARE)
    core[6:14, 6:14] = 1
    assert (worse(SQUARE, 36) == core).all()
    assert (worse(SQUARE, 20)[6:14, 6:14] == 1).all()


def test_deeper_levels_remove_what_lighter_ones_do_and_more():
    masks = [worse(SQUARE, level) == 1 for level in LEVELS]
    for lighter, deeper in pairwise(masks):
        assert not (deeper & ~lighter).any()


def test_the_edge_of_the_image_does_not_erode():
    mask = np.zeros((10, 10), np.uint8)
    mask[:, :5] = 1
    assert (worse(mask, 20)[:, :4] == 1).all()
    assert (worse(mask, 20)[:, 4:] == 0).all()


def test_a_mask_of_the_whole_image_erodes_from_its_edge():
    found = worse(np.ones((10, 10), np.uint8), 36)
    assert (found[1:-1, 1:-1] == 1).all()
    assert found.sum() == 64


def test_regions_to_ignore_stay_and_an_empty_mask_stays_empty():
    mask = SQUARE.copy()
    mask[0] = 255
    assert (worse(mask, 50)[0] == 255).all()
    assert (worse(np.zeros((4, 4), np.uint8), 50) == 0).all()


def test_the_error_is_one_minus_the_area_under_the_curve():
    counts = np.array([30, 10, 90, 20])  # true positive rate .6, true negative rate .9
    assert mask_error(counts) == pytest.approx(1 - (0.6 + 0.9) / 2)
    assert mask_error(confusion(worse(SQUARE, 30), SQUARE)) == pytest.approx(0.15)
    assert mask_error(confusion(SQUARE, SQUARE)) == 0
    assert np.isnan(mask_error(np.array([0, 5, 5, 0])))


def test_ignored_pixels_do_not_count():
    truth = SQUARE.copy()
    truth[5, 5:15] = 255
    assert confusion(np.zeros_like(SQUARE), truth).tolist() == [0, 0, 300, 90]


def test_it_agrees_with_the_definition_of_the_area():
    """The share of pairs of an inner and an outer pixel that the mask orders rightly."""
    truth = SQUARE[3:16, 3:16]
    mask = np.roll(worse(truth, 40), 2, axis=1)
    inside, outside = mask[truth == 1], mask[truth == 0]
    pairs = inside[:, None].astype(int) - outside[None, :]
    area = ((pairs > 0) + 0.5 * (pairs == 0)).mean()
    assert mask_error(confusion(mask, truth)) == pytest.approx(1 - area)

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.data.pipeline.draws import CROP_X, FLIP, ORDER, below, drawn, order

MASK = 2**64 - 1
WORDS = st.integers(0, MASK)


def mixed(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


@given(WORDS, st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 2**62))
def test_a_draw_is_a_chain_of_hashes(seed, epoch, purpose, index):
    state = 0
    for coordinate in (seed, epoch, purpose, index):
        state = mixed((state + coordinate + 0x9E3779B97F4A7C15) & MASK)
    assert drawn(seed, epoch, purpose, np.array([index])).tolist() == [state]


@given(st.integers(1, 2**31), WORDS)
def test_below_scales_the_upper_half(limit, draw):
    assert below(limit, np.array([draw], np.uint64)).tolist() == [(draw >> 32) * limit >> 32]


def test_draws_are_the_same_for_ever():
    shuffled = order(seed=3, epoch=5, count=1000).astype("<i8").tobytes()
    assert hashlib.sha256(shuffled).hexdigest()[:16] == "dc6f3c889d05be9d"


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
def test_an_order_has_every_index_once(count):
    assert sorted(order(1, 2, count).tolist()) == list(range(count))


def test_coordinates_matter_each():
    indices = np.arange(100)
    drawings = [
        drawn(*coordinates, indices).tolist()
        for coordinates in ((0, 0, ORDER), (1, 0, ORDER), (0, 1, ORDER), (0, 0, CROP_X))
    ]
    assert len({draw for drawing in drawings for draw in drawing}) == 400


def test_draws_are_even():
    thrown = below(33, drawn(0, 0, CROP_X, np.arange(33_000)))
    counts = np.bincount(thrown, minlength=33)
    assert counts.min() > 1000 - 6 * 1000**0.5
    assert counts.max() < 1000 + 6 * 1000**0.5


def test_draws_of_different_purposes_are_independent():
    flips = below(2, drawn(0, 0, FLIP, np.arange(10_000)))
    crops = below(2, drawn(0, 0, CROP_X, np.arange(10_000)))
    assert abs(np.corrcoef(flips, crops)[0, 1]) < 0.05

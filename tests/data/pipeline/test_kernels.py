import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.pipeline.kernels import arrange, reference


@st.composite
def crops(draw):
    height, width = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    crop = draw(st.integers(1, height)), draw(st.integers(1, width))
    place = draw(st.integers(0, width - crop[1])), draw(st.integers(0, height - crop[0]))
    return (height, width), crop, place, draw(st.booleans()), draw(st.integers(0, 2**32))


@settings(deadline=None)
@given(crops())
def test_the_kernel_is_its_definition(given_crop):
    shape, crop, (x, y), flip, seed = given_crop
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (*shape, 3), np.uint8)
    picture.setflags(write=False)
    levels = rng.normal(size=(3, 256)).astype(np.float32)
    fast, slow = np.full((2, 3, *crop), np.nan, np.float32)
    arrange(picture, x, y, flip, levels, fast)
    reference(picture, x, y, flip, levels, slow)
    assert np.array_equal(fast, slow)


@pytest.mark.parametrize("flip", [False, True])
def test_by_hand(flip):
    picture = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    levels = np.add.outer([0, 100, 200], np.arange(256)).astype(np.float32)
    out = np.empty((3, 1, 2), np.float32)
    arrange(picture, 0, 1, flip, levels, out)
    expected = [[[6, 9]], [[107, 110]], [[208, 211]]]
    assert out.tolist() == (np.array(expected)[:, :, ::-1].tolist() if flip else expected)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sightline.data.pipeline.transforms import Geometry, Transform, geometries, levels, moved
from sightline.errors import UsageError


def test_defaults_are_the_papers():
    transform = Transform()
    assert (transform.resize, transform.crop, transform.test_resize) == (256, 224, 224)
    assert (transform.resized(True), transform.side(True)) == (256, 224)
    assert (transform.resized(False), transform.side(False)) == (224, 224)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"crop": 257}, "a crop of 257 does not fit"),
        ({"crop": 0}, "a crop of 0 does not fit"),
        ({"test_resize": 0}, "a test size of 0"),
        ({"std": (1.0, 0.0, 1.0)}, "three numbers each, std positive"),
        ({"mean": (1.0, 0.0)}, "three numbers each"),
    ],
)
def test_what_means_nothing_is_refused(options, words):
    with pytest.raises(UsageError, match=words):
        Transform(**options)


def test_levels_are_those_of_float32_arithmetic():
    transform = Transform(mean=(127 / 255,) * 3, std=(128 / 255, 0.5, 1.0))
    table = levels(transform)
    for channel, (mean, std) in enumerate(zip(transform.mean, transform.std, strict=True)):
        for value in range(256):
            scaled = np.float32(value) / np.float32(255)
            expected = (scaled - np.float32(mean)) / np.float32(std)
            assert table[channel, value] == expected
    assert table.dtype == np.float32


def test_crops_reach_every_place_and_no_further():
    drawn = geometries(Transform(resize=6, crop=4), 0, 0, np.arange(500))
    assert {part.x for part in drawn} == {part.y for part in drawn} == {0, 1, 2}
    assert {part.flip for part in drawn} == {False, True}


def test_a_crop_depends_on_its_index_alone():
    together = geometries(Transform(), 1, 2, np.array([5, 9, 7]))
    assert together[1:] == geometries(Transform(), 1, 2, np.array([9, 7]))
    assert together != geometries(Transform(), 1, 3, np.array([5, 9, 7]))
    assert together != geometries(Transform(), 2, 2, np.array([5, 9, 7]))


def test_flips_can_be_switched_off_and_leave_crops_alone():
    indices = np.arange(50)
    kept = geometries(Transform(flip=False), 0, 0, indices)
    assert not any(part.flip for part in kept)
    assert [part[:2] for part in kept] == [
        part[:2] for part in geometries(Transform(), 0, 0, indices)
    ]


SIDES = st.integers(1, 40)


@given(SIDES, SIDES, SIDES, st.data())
def test_a_mask_moves_as_its_definition(height, width, resized, data):
    side = data.draw(st.integers(1, resized))
    x, y = (data.draw(st.integers(0, resized - side)) for _ in range(2))
    part = Geometry(x, y, data.draw(st.booleans()))
    plane = np.arange(height * width).reshape(height, width)
    result = moved(plane, part, resized, side)
    for row in range(side):
        for column in range(side):
            from_left = side - 1 - column if part.flip else column
            source_y = int((row + y + 0.5) / resized * height + 1e-9)
            source_x = int((from_left + x + 0.5) / resized * width + 1e-9)
            assert result[row, column] == plane[source_y, source_x]


@given(st.integers(0, 2**32), st.booleans())
def test_a_mask_stays_on_its_pixels(seed, flip):
    """A photograph that is white inside its mask stays so, but for what the filter blurs."""
    rng = np.random.default_rng(seed)
    plane = np.zeros((90, 120), np.uint8)
    top, left = rng.integers(10, 40, 2)
    plane[top : top + 40, left : left + 60] = 1
    part = Geometry(*rng.integers(0, 32, 2).tolist(), flip)
    image = Image.fromarray(plane * np.uint8(255)).resize((256, 256), Image.Resampling.BILINEAR)
    seen = np.asarray(image)[part.y : part.y + 224, part.x : part.x + 224]
    seen = seen[:, ::-1] if flip else seen
    mask = moved(plane, part, 256, 224)
    assert mask[seen == 255].all()
    assert not mask[seen == 0].any()
    assert np.mean((seen > 0) & (seen < 255)) < 0.1

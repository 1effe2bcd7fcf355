"""Maps before they are scored: the papers' chain, and what is refused with one clear line."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.errors import DataError, UsageError
from sightline.metrics.score_maps import as_scores, check_range, normalized, prepare

RAW = np.random.default_rng(5).normal(0.3, 2, (14, 14))
FINITE = npst.arrays(
    np.float64,
    npst.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e6, 1e6, width=32),
)


def min_max(scores):
    shifted = scores - scores.min()
    return shifted / shifted.max()


def message(call, *arguments, **named):
    with pytest.raises(DataError) as caught:
        call(*arguments, **named)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_the_papers_chain_is_the_default():
    expected = min_max(cv2.resize(RAW, (224, 224), interpolation=cv2.INTER_CUBIC))
    assert prepare(RAW).tolist() == expected.tolist()


def test_the_range_is_exactly_0_to_1_after_the_overshoot_of_the_interpolation():
    prepared = prepare(RAW)
    assert (prepared.min(), prepared.max()) == (0.0, 1.0)


def test_normalizing_first_leaves_the_overshoot():
    expected = cv2.resize(min_max(RAW), (224, 224), interpolation=cv2.INTER_CUBIC)
    first = prepare(RAW, order="normalize-first")
    assert first.tolist() == expected.tolist()
    assert first.max() > 1
    assert first.min() < 0


@pytest.mark.parametrize(
    ("name", "code"),
    [("cubic", cv2.INTER_CUBIC), ("linear", cv2.INTER_LINEAR), ("area", cv2.INTER_AREA)],
)
def test_interpolations(name, code):
    found = prepare(RAW, size=28, interpolation=name, normalize="none")
    assert found.tolist() == cv2.resize(RAW, (28, 28), interpolation=code).tolist()


def test_sizes_are_width_and_height_or_a_side_or_kept():
    assert prepare(RAW[:5], size=(20, 10)).shape == (10, 20)
    assert prepare(RAW[:5], size=9).shape == (9, 9)
    assert prepare(RAW[:5], size=None).tolist() == min_max(RAW[:5]).tolist()
    assert prepare(RAW[:5], size=(14, 5), normalize="none").tolist() == RAW[:5].tolist()


@pytest.mark.parametrize("normalize", ["min-max", "max"])
@pytest.mark.parametrize("order", ["resize-first", "normalize-first"])
@pytest.mark.parametrize("level", [-3.0, 0.0])
def test_a_map_without_contrast_becomes_all_zero(normalize, order, level):
    flat = prepare(np.full((7, 7), level), normalize=normalize, order=order)
    assert flat.shape == (224, 224)
    assert not flat.any()


def test_a_constant_positive_map_is_all_one_by_its_maximum_and_zero_by_its_range():
    assert (prepare(np.full((7, 7), 4.0), normalize="max") == 1).all()
    assert not prepare(np.full((7, 7), 4.0)).any()


@given(FINITE)
def test_min_max_is_the_released_one(scores):
    found = normalized(scores, "min-max")
    if scores.min() == scores.max():
        assert not found.any()
    else:
        assert found.tolist() == min_max(scores).tolist()


@given(FINITE)
def test_the_maximum_alone_keeps_zero_in_its_place(scores):
    found = normalized(scores, "max")
    if scores.max() > 0:
        assert found.max() == 1
        assert (np.sign(found) == np.sign(scores)).all()
    else:
        assert not found.any()


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i4", "u8", "f2", "f4"])
def test_any_number_type_is_a_map(dtype):
    scores = np.array([[0, 1], [1, 0]]).astype(dtype)
    assert prepare(scores, size=None).tolist() == [[0, 1], [1, 0]]


def test_integers_keep_their_contrast():
    scores = np.array([[0, 128], [255, 51]], np.uint8)
    assert prepare(scores, size=None).tolist() == (scores / 255).tolist()


def test_the_map_given_is_left_as_it_was():
    raw = RAW.copy()
    prepare(raw)
    prepare(raw, size=None)
    assert raw.tolist() == RAW.tolist()


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (np.zeros((2, 3, 1)), "map has 3 dimensions (2, 3, 1) where 2 are needed"),
        (np.zeros(4), "map has 1 dimensions (4,) where 2 are needed"),
        (np.float64(1), "map has 0 dimensions () where 2 are needed"),
        (np.zeros((0, 5)), "map is empty, 0 x 5"),
        (np.zeros((5, 0)), "map is empty, 5 x 0"),
        (np.zeros((16_001, 1)), "map is 16001 x 1, over 16000 on a side"),
        (np.zeros((1, 70_000), np.uint8), "map is 1 x 70000, over 16000 on a side"),
        (np.array([[1j]]), "map holds complex128 where numbers are needed"),
        (np.array([["a"]]), "map holds <U1 where numbers are needed"),
        (np.array([[None]]), "map holds object where numbers are needed"),
        (np.array([[0.5, np.nan]]), "map holds NaN"),
        (np.array([[np.inf], [0.5]]), "map holds infinite values"),
        (np.array([[-np.inf, 0.5]], np.float32), "map holds infinite values"),
        (np.array([[np.inf, np.nan]]), "map holds NaN"),
    ],
)
def test_what_is_no_map_is_refused_with_one_line(scores, words):
    assert message(prepare, scores).startswith(words)
    assert message(as_scores, scores, file="maps/a.npy", image="a").startswith(
        f"maps/a.npy, a: {words}; "
    )


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([[0.0, 1.5]], "scores run from 0 to 1.5, outside [0, 1]"),
        ([[-0.25, 0.5]], "scores run from -0.25 to 0.5, outside [0, 1]"),
        ([[-3.0, 9.0]], "scores run from -3 to 9, outside [0, 1]"),
        ([[0.5, 1.0000001]], "scores run from 0.5 to 1.0000001, outside [0, 1]"),
    ],
)
def test_a_map_outside_the_range_is_refused_with_the_remedy(scores, words):
    text = message(check_range, np.array(scores), image="a")
    assert text.startswith(f"a: {words}")
    assert "--normalize" in text


def test_maps_of_bytes_are_told_how_they_become_scores():
    assert "--normalize max, as whole numbers" in message(check_range, np.array([[0.0, 255.0]]))
    assert "whole numbers" not in message(check_range, np.array([[0.0, 2.5]]))


def test_check_range_tells_a_constant_map():
    assert check_range(np.full((2, 2), 0.3))
    assert not check_range(np.array([[0.0, 1.0]]))


@pytest.mark.parametrize(
    "wrong",
    [{"interpolation": "nearest"}, {"normalize": "z-score"}, {"order": "both"}, {"size": 0}],
    ids=str,
)
def test_a_step_of_the_chain_that_does_not_exist_is_refused(wrong):
    with pytest.raises(UsageError):
        prepare(np.eye(7), **wrong)


def test_a_range_wider_than_the_largest_number_is_still_0_to_1():
    scores = np.array([[-1.5e308, 0.0, 1.5e308]])
    assert prepare(scores, size=None).tolist() == [[0.0, 0.5, 1.0]]


class Tensor:
    """Stands for one that lies on another device and takes part in training."""

    def __init__(self, values, steps=()):
        self.values, self.steps = values, steps

    def detach(self):
        return Tensor(self.values, (*self.steps, "detach"))

    def cpu(self):
        return Tensor(self.values, (*self.steps, "cpu"))

    def double(self):
        assert self.steps == ("detach", "cpu")
        return np.asarray(self.values, np.float64)


def test_a_tensor_is_taken_from_wherever_it_is():
    assert as_scores(Tensor([[0.25, 0.5]])).tolist() == [[0.25, 0.5]]

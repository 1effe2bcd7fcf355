"""Where boxes begin and end, in both readings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.errors import DataError
from sightline.metrics.geometry import (
    from_corner_and_size,
    from_one_based,
    iou,
    to_frame,
    true_boxes,
)


@st.composite
def boxes(draw, side=12):
    """Draw whole boxes within a square, both corners on pixels."""
    n = draw(st.integers(1, 3))
    corners = st.integers(0, side - 1)
    drawn = []
    for _ in range(n):
        x, y = (sorted(draw(st.tuples(corners, corners))) for _ in "xy")
        drawn.append((x[0], y[0], x[1], y[1]))
    return np.array(drawn, float)


def pixels_of(box, last):
    x0, y0, x1, y1 = box.astype(int)
    painted = np.zeros((14, 14), bool)
    painted[y0 : y1 + last, x0 : x1 + last] = True
    return painted


@pytest.mark.parametrize(("ends", "last"), [("reference", 1), ("true", 0)])
@given(first=boxes(), second=boxes())
def test_iou_counts_pixels(ends, last, first, second):
    found = iou(first, second, ends)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            one, other = pixels_of(a, last), pixels_of(b, last)
            union = (one | other).sum()
            assert found[i, j] == ((one & other).sum() / union if union else 0)


@given(boxes(), boxes(), st.sampled_from(["reference", "true"]))
def test_iou_is_symmetric(first, second, ends):
    assert iou(first, second, ends).tolist() == iou(second, first, ends).T.tolist()


@pytest.mark.parametrize(("ends", "expected"), [("reference", 1.0), ("true", 0.0)])
def test_a_box_without_extent_meets_itself_only_in_the_reference(ends, expected):
    point = np.array([[4.0, 4, 4, 4]])
    assert iou(point, point, ends).tolist() == [[expected]]


def test_touching_boxes_share_a_pixel_only_in_the_reference():
    left, right = np.array([[0.0, 0, 4, 4]]), np.array([[4.0, 0, 8, 4]])
    assert iou(left, right, "true").tolist() == [[0.0]]
    assert iou(left, right, "reference").tolist() == [[5 / 45]]


def test_no_boxes_give_an_empty_table():
    assert iou(np.zeros((0, 4)), np.zeros((2, 4)), "true").shape == (0, 2)


@given(
    st.integers(1, 500),
    st.integers(1, 500),
    st.integers(0, 499),
    st.integers(1, 300),
    st.booleans(),
)
def test_corners_are_scaled_one_by_one_and_cut(width, height, corner, frame, square):
    x, y = min(corner, width - 1), min(corner, height - 1)
    size = (frame, frame if square else 1)
    found = to_frame(np.array([[x, y, x, y]], float), (width, height), size, "reference")
    expected = [int(x * size[0] / width), int(y * size[1] / height)]
    assert found.tolist() == [expected * 2]


def test_true_boxes_are_scaled_without_cutting():
    scaled = to_frame(np.array([[1.0, 2, 4, 3]]), (10, 20), (35, 10), "true")
    assert scaled.tolist() == [[3.5, 1.0, 14.0, 1.5]]


@pytest.mark.parametrize(
    ("ends", "expected"), [("reference", [3, 2, 223, 223]), ("true", [3, 2, 224, 224])]
)
def test_corners_at_or_past_the_far_edge_are_clamped(ends, expected):
    assert to_frame(np.array([[3.0, 2, 224, 300]]), (224, 224), (224, 224), ends).tolist() == [
        expected
    ]


@given(boxes())
def test_the_same_frame_changes_nothing(given_boxes):
    for ends in ("reference", "true"):
        assert to_frame(given_boxes, (12, 12), (12, 12), ends).tolist() == given_boxes.tolist()


def test_conversions_of_other_formats():
    assert from_corner_and_size((3, 4, 10, 20)) == (3, 4, 13, 24)
    assert from_one_based((1, 1, 10, 20)) == (0, 0, 10, 20)


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ([], "image has no box"),
        ([[0, 0, 4, 4], [-1, 0, 3, 3]], "a box is inverted or negative"),
        ([[0, -2, 3, 3]], "a box is inverted or negative"),
        ([[5, 0, 3, 3]], "a box is inverted or negative"),
        ([[0, 5, 3, 3]], "a box is inverted or negative"),
        ([[0, 0, np.nan, 3]], "a box is not finite"),
        ([[0, 0, np.inf, 3]], "a box is not finite"),
        ([[20, 0, 21, 3]], "a box lies outside its image of 20 x 10"),
        ([[0, 10, 3, 11]], "a box lies outside its image of 20 x 10"),
    ],
)
def test_what_is_no_box_is_refused_with_one_line(corners, words):
    with pytest.raises(DataError) as caught:
        true_boxes(corners, (20, 10), "a")
    assert str(caught.value) == f"a: {words}; write x0, y0, x1, y1"


def test_boxes_past_the_far_edge_and_boxes_of_one_pixel_pass():
    boxes = [[0.0, 0, 20, 10], [3, 3, 99, 99], [4, 4, 4, 4]]
    assert true_boxes(boxes, (20, 10)).tolist() == boxes
    assert true_boxes(boxes[0], (20, 10)).tolist() == boxes[:1]

"""Answers on their way to a box: what is kept, what is clipped, what is none."""

import numpy as np
import pytest

from sightline.annotators.answers import packed, ranked, unpacked
from sightline.annotators.boxing import by_otsu, inside_of, largest_box
from sightline.annotators.contract import Heat, Nothing, Proposals, Region

SIZE = (40, 30)


@pytest.mark.parametrize(
    "answer",
    [
        Proposals(np.array([[1.5, 2, 3, 4]]), np.array([0.5])),
        Proposals(np.empty((0, 4)), np.empty(0)),
        Heat(np.arange(6.0).reshape(2, 3)),
        Region(np.eye(5, 7, dtype=bool)),
        Nothing("no reason, really"),
    ],
)
def test_an_answer_comes_back_as_it_was(answer):
    back = unpacked(packed(answer))
    assert type(back) is type(answer)
    for name in type(answer).__slots__:
        assert np.array_equal(getattr(back, name), getattr(answer, name))


def test_boxes_are_ranked_and_clipped_and_those_outside_are_counted():
    boxes = np.array(
        [
            [-5, 3, 10, 12],  # reaches out
            [50, 3, 60, 12],  # lies outside
            [5, 5, 5, 9],  # no area
            [9, 9, 4, 12],  # inverted
            [np.nan, 0, 4, 4],
            [1, 1, 39, 99],
            [0, 0, 2, 2],
        ],
        float,
    )
    found, dropped = ranked(Proposals(boxes, np.array([1, 9, 9, 9, 9, 2, 2.0])), *SIZE)
    assert found.boxes.tolist() == [[1, 1, 39, 30], [0, 0, 2, 2], [0, 3, 10, 12]]
    assert found.scores.tolist() == [2, 2, 1]
    assert dropped == 4


def test_a_box_is_around_the_largest_region_at_otsu_s_threshold():
    heat = np.zeros((30, 40))
    heat[5:10, 8:20] = 0.9
    heat[20:23, 30:33] = 1.0  # brighter, but smaller
    inside = inside_of(Heat(heat), SIZE)
    assert largest_box(inside).tolist() == [8, 5, 20, 10]
    assert by_otsu(heat).sum() == 60 + 9


def test_a_mask_of_another_size_is_brought_to_the_image():
    small = np.zeros((3, 4), bool)
    small[1, 1:3] = True
    assert largest_box(inside_of(Region(small), SIZE)).tolist() == [10, 10, 30, 20]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Heat(np.ones((4, 4))), "the map is the same everywhere"),
        (Heat(np.array([[0, np.nan]])), "the map is not finite"),
        (Region(np.zeros((4, 4), bool)), "the mask is empty"),
    ],
)
def test_what_shows_nothing_says_so(answer, reason):
    assert inside_of(answer, SIZE) == Nothing(reason)

"""Scores of one sequence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.parts.scores.hardness import cl_histogram
from sightline.parts.scores.weighing import cl_ratios, dissimilarity, weights


def test_weights_fall_from_one():
    assert weights(4).tolist() == [1, 0.75, 0.5, 0.25]
    assert weights(7).sum() == pytest.approx(4)  # (N + 1) / 2


@given(st.floats(0, 1), st.integers(1, 30))
def test_what_never_changes_is_worth_itself(value, length):
    assert dissimilarity(np.full(length, value)) == pytest.approx(1 - value)


def test_early_answers_count_more():
    assert dissimilarity(np.array([1.0, 0, 0])) == pytest.approx(0.5)  # 1 - 3 / 6
    assert dissimilarity(np.array([0, 0, 1.0])) == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("hits", "ratios"),
    [
        ("0011110000", [(3, 4 / 8)]),
        ("0001", [(4, 1)]),
        ("1111", [(1, 1)]),
        ("1011", [(1, 1 / 4), (3, 1)]),
        ("0000", []),
    ],
)
def test_cl_ratios(hits, ratios):
    found = cl_ratios(np.array([c == "1" for c in hits]))
    assert found == ratios


def test_a_run_from_the_first_image_is_a_choice():
    assert cl_ratios(np.array([True, False, True]), first=False) == [(3, 1)]


def test_the_histogram_counts_each_run():
    counts = cl_histogram(["01", "01", "10", "11"])
    assert counts.shape == (2, 10)
    assert counts[1, 9] == 2
    assert counts[0, 5] == 1  # one of two
    assert counts[0, 9] == 1
    assert counts.sum() == 4

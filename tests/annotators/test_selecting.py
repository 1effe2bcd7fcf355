"""Choosing one of many boxes, step by step, on boxes of which all is known."""

import numpy as np
import pytest

from sightline.annotators.contract import Proposals
from sightline.annotators.selecting import NO_HIT, Plan, choose, under, unpacked
from sightline.errors import UsageError

PEAK = (50.0, 50.0)
BOXES = np.array(
    [
        [0, 0, 20, 20],  # first by objectness, not under the peak
        [40, 40, 60, 60],
        [30, 30, 90, 90],
        [0, 0, 100, 100],
        [70, 70, 90, 90],
    ],
    float,
)
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
RESPONSES = np.array([0.1, 0.2, 0.8, 0.4, 0.99])


class Classifier:
    def __init__(self):
        self.asked = []

    def __call__(self, places):
        self.asked += places.tolist()
        return RESPONSES[places]


def run(plan, rank="objectness", boxes=BOXES, scores=SCORES):
    classifier = Classifier()
    found = choose(Proposals(boxes, scores), PEAK, plan, rank, classifier)
    return found, classifier.asked


def test_the_best_ranks_then_the_peak_then_the_response():
    found, asked = run(Plan(fraction=0.6))
    assert found.left["top"].tolist() == [0, 1, 2]
    assert found.left["pointing"].tolist() == [1, 2]
    assert found.place == 2
    assert sorted(asked) == [1, 2]  # nobody else was shown to the classifier
    assert np.isnan(found.responses[[0, 3, 4]]).all()
    assert found.best == 0
    assert found.hit.tolist() == [1, 2, 3]
    assert found.reserve == ""


def test_ranks_of_the_classifier_need_every_box_once():
    found, asked = run(Plan(fraction=0.4), rank="classifier")
    assert sorted(asked) == [0, 1, 2, 3, 4]
    assert found.left["top"].tolist() == [2, 4]
    assert (found.best, found.place) == (4, 2)


@pytest.mark.parametrize(
    ("order", "place"),
    [
        (("pointing", "top", "scoring"), 2),
        (("top", "pointing"), 1),  # by rank where nothing else decides
        (("pointing",), 1),
        (("top",), 0),
        (("scoring",), 4),
        ((), 0),
    ],
)
def test_steps_may_stand_in_any_order_or_be_left_out(order, place):
    assert run(Plan(order=order, fraction=0.6))[0].place == place


def test_a_peak_that_no_box_has_passes_the_step_over_or_gives_none():
    plan = Plan(fraction=0.2)
    found, _ = run(plan)
    assert (found.place, found.reserve) == (0, NO_HIT)
    none, _ = run(Plan(fraction=0.2, missed="none"))
    assert (none.place, none.reserve) == (-1, NO_HIT)


def test_one_proposal_is_the_one():
    found, _ = run(Plan(), boxes=BOXES[1:2], scores=SCORES[1:2])
    assert (found.place, found.reserve) == (0, "")
    assert found.left["top"].tolist() == [0]


def test_of_equal_ones_the_first_is_taken():
    found, _ = run(Plan(order=("top",), fraction=0.2), scores=np.ones(5))
    assert found.place == 0


def test_the_peak_lies_in_a_box_up_to_its_far_edge():
    boxes = np.array([[0, 0, 10, 10]], float)
    assert len(under(boxes, (0.5, 9.5))) == 1
    assert len(under(boxes, (10.0, 5.0))) == 0


def test_a_choice_comes_back_as_it_was():
    found, _ = run(Plan(fraction=0.6))
    back = unpacked(found.packed())
    assert (back.place, back.best, back.reserve, back.peak) == (2, 0, "", PEAK)
    assert np.array_equal(back.responses, found.responses, equal_nan=True)
    assert {k: v.tolist() for k, v in back.left.items()} == {
        k: v.tolist() for k, v in found.left.items()
    }


@pytest.mark.parametrize(
    "wrong",
    [{"order": ("top", "top")}, {"order": ("down",)}, {"fraction": 1.5}, {"missed": "never"}],
)
def test_a_plan_that_means_nothing_is_refused(wrong):
    with pytest.raises(UsageError):
        Plan(**wrong)

"""Which of overlapping boxes stay."""

import numpy as np
import pytest

from sightline.annotators.nms import suppressed
from sightline.metrics.geometry import iou


def slowly(boxes, scores, overlap):
    """Take the best that is left, and strike out what it overlaps."""
    left, kept = set(range(len(boxes))), []
    while left:
        best = min(left, key=lambda i: (-scores[i], i))
        kept.append(best)
        shared = iou(boxes[best][None], boxes, "true")[0]
        left = {i for i in left if i != best and shared[i] <= overlap}
    return kept


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.7])
def test_as_struck_out_one_by_one(seed, overlap):
    dice = np.random.default_rng(seed)
    corners = dice.integers(0, 30, (40, 2))
    boxes = np.concatenate([corners, corners + dice.integers(1, 20, (40, 2))], axis=1).astype(float)
    scores = dice.integers(0, 10, 40) / 10  # some are equal
    made = suppressed(boxes, scores, overlap)
    assert made.tolist() == slowly(boxes, scores, overlap)
    assert suppressed(boxes, scores, overlap, most=3).tolist() == made[:3].tolist()


def test_whole_overlap_is_allowed_at_one():
    boxes = np.tile([0.0, 0.0, 5.0, 5.0], (3, 1))
    assert suppressed(boxes, np.array([0.1, 0.3, 0.2]), 1.0).tolist() == [1, 2, 0]
    assert suppressed(boxes, np.array([0.1, 0.3, 0.2]), 0.99).tolist() == [1]


def test_none():
    assert suppressed(np.zeros((0, 4)), np.zeros(0), 0.5).tolist() == []

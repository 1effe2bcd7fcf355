"""The upper lines of maps, against thresholds tried one by one."""

import numpy as np
import pytest

from sightline.annotators.boxing import largest_box, scaled
from sightline.annotators.ceiling import CeilingSum
from sightline.annotators.contract import Heat, Nothing, Proposals
from sightline.metrics.geometry import iou

SIZE = (40, 30)


def smooth(seed):
    cells = np.random.default_rng(seed).random((6, 8))
    return Heat(scaled(Heat(cells), (20, 15)))


def truth(seed):
    x0, y0 = np.random.default_rng(seed).integers(0, 15, 2)
    return np.array([[x0, y0, x0 + 20.0, y0 + 12.0]])


def slowly(answers, truths):
    """Give IoU by image and threshold."""
    table = np.zeros((len(answers), 1000))
    for row, (answer, boxes) in enumerate(zip(answers, truths, strict=True)):
        scores = scaled(answer, SIZE)
        for column in range(1000):
            inside = scores >= column / 1000
            table[row, column] = iou(largest_box(inside)[None], boxes, "true").max()
    return table


def test_both_lines_are_what_trying_gives():
    answers, truths = [smooth(s) for s in range(4)], [truth(s) for s in range(4)]
    total = CeilingSum()
    for answer, boxes in zip(answers, truths, strict=True):
        total.add(answer, SIZE, boxes)
    made, table = total.compute(), slowly(answers, truths)
    assert made.one_for_all == pytest.approx(table.mean(0).max())
    assert made.threshold == pytest.approx(table.mean(0).argmax() / 1000)
    assert made.each_its_own == pytest.approx(table.max(1).mean())
    assert made.one_for_all < made.each_its_own
    assert made.images == 4


def test_what_has_no_map_counts_as_nothing():
    total = CeilingSum()
    total.add(smooth(0), SIZE, truth(0))
    alone = total.compute()
    for answer in (Nothing("no map"), Heat(np.ones((3, 3))), Heat(np.full((2, 2), np.nan))):
        total.add(answer, SIZE, truth(0))
    total.add(Proposals(np.zeros((0, 4)), np.zeros(0)), SIZE, truth(0))
    made = total.compute()
    assert made.images == 5
    assert made.one_for_all == pytest.approx(alone.one_for_all / 5)


def test_no_image_has_no_mean():
    assert np.isnan(CeilingSum().compute().one_for_all)

"""Maps are measured by several threads, in order, a bounded number ahead."""

import threading
import time

import pytest

from sightline.errors import DataError, Problem
from sightline.evaluation.measuring import CHUNK, Measured, Tally, measured


def test_items_come_in_their_order_whatever_each_takes():
    def measure(item):
        time.sleep(0.001 * (item % 3))
        return Measured(item, str(item))

    items = list(range(0, 10 * CHUNK, 3))
    assert [one.item for one in measured(measure, items, threads=4)] == items
    assert list(measured(measure, [], threads=4)) == []


def test_no_more_than_a_few_chunks_are_measured_ahead():
    begun = []

    def measure(item):
        begun.append(item)
        return Measured(item, "")

    source = measured(measure, range(100 * CHUNK), threads=2)
    next(source)
    time.sleep(0.05)
    assert len(begun) <= 6 * CHUNK
    source.close()


def test_a_bad_item_comes_as_its_problem_and_the_others_go_on():
    def measure(item):
        if item == 3:
            raise DataError([Problem("bad", image="three")])
        return Measured(item, "")

    found = list(measured(measure, range(6), threads=2))
    assert [one.problem.image if one.problem else None for one in found] == [
        *(None, None, None, "three", None, None)
    ]


def test_a_fault_of_our_own_is_not_taken_for_bad_input():
    def measure(item):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(measured(measure, range(6), threads=2))


def test_leaving_early_stops_the_threads_within_an_item():
    begun = []

    def measure(item):
        begun.append(item)
        time.sleep(0.01)
        return Measured(item, "")

    source = measured(measure, range(100 * CHUNK), threads=2)
    next(source)
    before = len(begun)
    source.close()
    assert len(begun) <= before + 4
    assert not [t for t in threading.enumerate() if t.name.startswith("measure")]


def test_what_is_left_out_is_counted_once_however_much_is_wrong_with_it():
    tally = Tally()
    tally.problems.extend(
        [
            Problem("inverted", "localization.txt", 1, "a.jpg"),
            Problem("negative", "localization.txt", 2, "a.jpg"),
            Problem("no score map", "maps", image="b.jpg"),
            Problem("unknown", "maps/x.npy"),
            Problem("unknown", "maps/y.npy"),
        ]
    )
    assert tally.left_out == 4

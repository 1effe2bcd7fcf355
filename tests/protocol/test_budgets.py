"""Methods are compared at the same budget."""

import pytest

from sightline.errors import UsageError
from sightline.protocol.budgets import refuse_unequal


def run(method, epochs, batch):
    return {"method": method, "plan": {"epochs": epochs, "batch": batch}}


def test_equal_budgets_may_be_compared_and_what_is_not_trained_has_none():
    refuse_unequal([run("cam", 10, 32), run("has", 10, 32), run("random", 0, 8), {}])


def test_unequal_budgets_are_refused():
    with pytest.raises(UsageError, match=r"same --epochs, but there are 10 \(cam\) and 20 \(has\)"):
        refuse_unequal([run("cam", 10, 32), run("has", 20, 32)])
    with pytest.raises(UsageError, match="same --batch"):
        refuse_unequal([run("cam", 10, 32), run("has", 10, 64)])

"""Freed memory is kept where the C library can be told so."""

import sys

import pytest

from sightline import allocation

FAULTS = """
import resource
import sys
import numpy as np
from sightline import allocation

if {keep} and not (allocation.keep_freed_memory() and allocation.keep_freed_memory()):
    sys.exit("cannot")
np.ones(40_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    np.ones(40_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_memory_is_taken_from_the_system_once(python) -> None:
    pytest.importorskip("resource")
    answers = [python("-c", FAULTS.format(keep=keep)) for keep in (False, True)]
    if "cannot" in answers[1].err:
        pytest.skip("this C library cannot be told to keep memory")
    given_back, kept = (int(answer.out) for answer in answers)
    if given_back < 1000:
        pytest.skip("this system does not count page faults, or has pages that are very large")
    assert kept < given_back / 10


@pytest.mark.parametrize(
    ("platform", "library"), [("darwin", "any"), ("win32", "any"), ("linux", "without")]
)
def test_other_systems_are_left_alone(platform, library, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    if library == "without":
        monkeypatch.setattr(allocation.ctypes, "CDLL", lambda _: object())
    assert allocation.keep_freed_memory() is False

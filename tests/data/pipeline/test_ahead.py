import threading

import pytest

from sightline.data.pipeline.ahead import ahead


def workers() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("sightline-loader")]


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_things_come_in_order(threads):
    made = ahead(lambda n: n * n, range(3, 20), threads, threading.Event())
    assert list(made) == [n * n for n in range(3, 20)]
    assert workers() == []


def test_only_so_much_is_made_ahead():
    seen = []
    made = ahead(seen.append, range(100), 2, threading.Event())
    next(made)
    next(made)
    assert len(seen) <= 7
    made.close()
    assert len(seen) <= 7


def test_nothing_starts_before_it_is_wanted():
    made = ahead(str, range(3), 2, threading.Event())
    assert workers() == []
    made.close()


@pytest.mark.parametrize("fault", [KeyboardInterrupt, GeneratorExit, ValueError])
def test_no_thread_outlives_whoever_asked(fault):
    stopped = threading.Event()

    def patient(number: int) -> int:
        if number:
            assert stopped.wait(60)
        return number

    made = ahead(patient, range(100), 3, stopped)
    assert next(made) == 0
    assert workers()
    with pytest.raises(fault):
        made.throw(fault)
    assert workers() == []


@pytest.mark.parametrize("threads", [0, 2])
def test_an_error_comes_in_its_turn(threads):
    def fail(number: int) -> int:
        return number // (2 - number)

    made = ahead(fail, range(5), threads, threading.Event())
    assert [next(made), next(made)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(made)
    assert workers() == []

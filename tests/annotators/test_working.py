"""Work on many images stops at the first failure when it is told to."""

from functools import partial

from sightline.annotators.store import Store
from sightline.annotators.working import Order, finish
from sightline.errors import SightlineError


def work_of(number):
    def work(what):
        if what == number:
            raise SightlineError(f"image {what} is broken")
        return b"done"

    return work


def test_it_stops_at_the_first_failure(tmp_path):
    store = Store(tmp_path)
    orders = [Order(f"{i:02d}" * 8, f"{i}.jpg", i) for i in range(60)]
    failed = finish(orders, partial(work_of, 3), store, workers=1, stop=True)
    assert failed == {"3.jpg": "image 3 is broken"}
    done = sum(store.has(order.key) for order in orders)
    assert done == 3  # those before it are kept, none behind it was begun


def test_otherwise_it_goes_on(tmp_path):
    store = Store(tmp_path)
    orders = [Order(f"{i:02d}" * 8, f"{i}.jpg", i) for i in range(10)]
    assert finish(orders, partial(work_of, 3), store, workers=1) == {"3.jpg": "image 3 is broken"}
    assert sum(store.has(order.key) for order in orders) == 9

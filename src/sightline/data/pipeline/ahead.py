"""Making things in threads before they are asked for."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


def ahead(
    make: Callable[[int], Made], numbers: Sequence[int], threads: int, stopped: threading.Event
) -> Iterator[Made]:
    """Give what is made of each number, in order; at most two for each thread are kept ready.

    When nobody wants more, be it for an error, Ctrl-C or because this generator is closed,
    `stopped` is set, and threads end as soon as what they are at notices it.
    """
    if not threads:
        yield from map(make, numbers)
        return
    pending: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(threads, "sightline-loader") as pool:
        try:
            for number in numbers:
                pending.append(pool.submit(make, number))
                if len(pending) > 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)

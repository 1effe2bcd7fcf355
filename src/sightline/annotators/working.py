"""The same work on many images, in this process or in several, each of one thread.

Results are kept as they come, so that whatever stops this, the same call goes on from there. What a
result is does not depend on how many processes there are, nor on the order they take images in.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from typing import Any

import cv2

from sightline import progress
from sightline.annotators.store import Store
from sightline.errors import SightlineError

Work = Callable[[Any], bytes]
AHEAD = 4  # images that wait for each process


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done for an image, as plain data, and under which key the result is kept."""

    key: str
    name: str
    what: Any


def finish(
    orders: Sequence[Order],
    opening: Callable[[], Work],
    store: Store,
    *,
    workers: int = 0,
    title: str = "annotate",
    show_progress: bool = True,
    stop: bool = False,
) -> dict[str, str]:
    """Do what is not done yet; give what went wrong, by the names of images.

    Args:
        orders: one for each image.
        opening: makes the work; a function of a module, or a partial application of one.
        store: where results are kept.
        workers: how many processes; 0 for one a processor. One is this process.
        title: of the line of progress.
        show_progress: tell on standard error how far it is.
        stop: leave the rest undone as soon as something goes wrong.
    """
    left = list({o.key: o for o in orders if not store.has(o.key)}.values())
    failed: dict[str, str] = {}
    count = min(workers or os.cpu_count() or 1, len(left))
    if not left:
        return failed
    running = _here(left, opening, store) if count < 2 else _apart(left, opening, store, count)
    with progress.shown(title, len(left)) as step, closing(running):
        for done, (order, reason) in enumerate(running, start=1):
            if reason:
                failed[order.key] = reason
                if stop:
                    break
            (step if show_progress else progress.silent)(done)
    return {order.name: failed[order.key] for order in orders if order.key in failed}


def _here(
    orders: Sequence[Order], opening: Callable[[], Work], store: Store
) -> Generator[tuple[Order, str], None, None]:
    with _one_thread():
        work = opening()
        _threads(1)  # of what was imported only now
        for order in orders:
            yield order, _done(work, order, store)


def _apart(
    orders: Sequence[Order], opening: Callable[[], Work], store: Store, count: int
) -> Generator[tuple[Order, str], None, None]:
    """Keep some processes busy, a few images ahead."""
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(orders))
    pool = ProcessPoolExecutor(count, context, _begin, (opening, store))
    busy: dict[Future[str], Order] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < AHEAD * count:
                order = waiting.pop()
                busy[pool.submit(_do, order)] = order
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                yield busy.pop(future), future.result()
    except BrokenProcessPool:
        raise SightlineError(
            "a process of the annotator ended by itself, for want of memory perhaps; what is done"
            " is kept: give the same command again, with fewer --workers"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_work: Work | None = None
_store: Store | None = None


def _begin(opening: Callable[[], Work], store: Store) -> None:
    global _work, _store
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    threading.Thread(target=_end_with_the_driver, daemon=True).start()
    _threads(1)
    _work, _store = opening(), store
    _threads(1)  # of what was imported only now


def _end_with_the_driver() -> None:
    """Wait for the end of the process that asks, however it ends, so that nobody is left behind."""
    driver = multiprocessing.parent_process()
    assert driver
    wait_for([driver.sentinel])
    os._exit(1)


def _do(order: Order) -> str:
    assert _work
    assert _store
    return _done(_work, order, _store)


def _done(work: Work, order: Order, store: Store) -> str:
    """Do it and keep the result; tell what is wrong with the image, if anything."""
    try:
        data = work(order.what)
    except SightlineError as error:
        return str(error)
    store.put(order.key, data)
    return ""


@contextmanager
def _one_thread() -> Iterator[None]:
    before = cv2.getNumThreads(), _torch_threads()
    _threads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before[0])
        if before[1] and "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(before[1])


def _torch_threads() -> int:
    return int(sys.modules["torch"].get_num_threads()) if "torch" in sys.modules else 0


def _threads(count: int) -> None:
    """Bound the threads of libraries, as rounding depends on them."""
    cv2.setNumThreads(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)

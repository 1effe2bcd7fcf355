"""Progress of long work on standard error: how far, how fast, how long still."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0  # seconds before anything is shown
LINE_EVERY = 10.0  # seconds between lines where there is no terminal

Step = Callable[[int], None]
Paint = Callable[[Callable[[], str]], None]


def silent(done: int) -> None:
    """Show nothing."""


@contextmanager
def painted() -> Iterator[Paint]:
    """Give a function to call often with what makes the text; it is shown now and then."""
    last = time.monotonic()
    started = last
    terminal = sys.stderr.isatty()
    drawn = False

    def paint(text: Callable[[], str]) -> None:
        nonlocal last, drawn
        now = time.monotonic()
        pause = 0.2 if terminal else LINE_EVERY
        if now - started < PATIENCE or now - last < pause:
            return
        last = now
        sys.stderr.write(f"\r{text()}\033[K" if terminal else f"{text()}\n")
        sys.stderr.flush()
        drawn = True

    try:
        yield paint
    finally:
        if drawn and terminal:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


@contextmanager
def shown(title: str, total: int) -> Iterator[Step]:
    """Give a function to call with the number of things done so far."""
    started = time.monotonic()
    with painted() as paint:

        def step(done: int) -> None:
            if done:
                paint(lambda: line(title, done, total, time.monotonic() - started))

        yield step


def line(title: str, done: int, total: int, seconds: float) -> str:
    """Say how far, how fast and how long still."""
    rate = done / seconds if seconds > 0 else 0.0
    left = (total - done) / rate if rate else 0.0
    share = 100 * done / total if total else 100.0
    return f"{title}: {done}/{total} ({share:.0f} %), {rate:.0f}/s, {span(left)} left"


def span(seconds: float) -> str:
    """Write a time as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

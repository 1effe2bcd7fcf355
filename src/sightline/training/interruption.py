"""Ctrl-C as a wish that is granted between two steps; the second one ends the process."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """Whether the user wants to stop."""

    def __init__(self) -> None:
        self.wanted = False

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Note the wish; a second one is not put off."""
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True


@contextmanager
def listening() -> Iterator[Stop]:
    """Take Ctrl-C as a wish for the time being, where signals can be taken at all."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, stop.ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def deaf() -> Iterator[None]:
    """Leave Ctrl-C to the processes that were started, which stop together and end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

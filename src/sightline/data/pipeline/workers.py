"""Where photographs are decoded: in the thread that asks, or in a process that it owns."""

import multiprocessing
import signal
from collections.abc import Sequence
from ctypes import c_uint8
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.data.pipeline.samples import Pictures
from sightline.errors import DataError, SightlineError

Bytes = NDArray[np.uint8]
Decoded = Bytes | DataError


class Decoder(Protocol):
    """Gives photographs in the order asked for, and the error of each that is broken."""

    def decode(self, indices: Sequence[int]) -> list[Decoded]:
        """Decode some photographs; they stay valid until the next call."""

    def close(self) -> None:
        """Let go of what it holds."""


class Local:
    """Decodes in the calling thread."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def decode(self, indices: Sequence[int]) -> list[Decoded]:
        """Decode one after the other."""
        return [_decoded(self._pictures, index) for index in indices]

    def close(self) -> None:
        """Hold nothing."""


class Remote:
    """Decodes in a process of its own, which starts with the first photograph not in the cache.

    The process writes pixels into memory that both share; only indices and errors are sent. It ends
    when the pipe is closed, or this process dies, and leaves Ctrl-C to this process.
    """

    def __init__(self, pictures: Pictures, most: int) -> None:
        self._pictures = pictures
        self._most = most
        self._process: Any = None

    def decode(self, indices: Sequence[int]) -> list[Decoded]:
        """Take what is in the cache, and have the process decode the rest."""
        found = [self._pictures.kept(index) for index in indices]
        missing = [index for index, kept in zip(indices, found, strict=True) if kept is None]
        fetched = iter(self._fetch(missing) if missing else ())
        return [next(fetched) if kept is None else kept for kept in found]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._pipe.close()
            self._process.join()
            self._process.close()
            self._process = None

    def _fetch(self, indices: Sequence[int]) -> list[Decoded]:
        if self._process is None:
            self._start()
        try:
            self._pipe.send(list(indices))
            errors = self._pipe.recv()
        except (EOFError, OSError):
            raise self._death() from None
        return [errors.get(place, self._shared[place]) for place in range(len(indices))]

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # threads make forks unsafe
        side = self._pictures.side
        memory = context.RawArray(c_uint8, self._most * side * side * 3)
        self._shared = _as_pictures(memory, side)
        self._shared.setflags(write=False)
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, self._pictures, memory)
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def _death(self) -> SightlineError:
        self._process.join()
        return SightlineError(
            f"a process that decodes photographs ended with code {self._process.exitcode};"
            " if memory is short, use fewer of them, or threads"
        )


def _serve(pipe: Connection, pictures: Pictures, memory: Any) -> None:
    """Decode what is asked for until nobody can ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    shared = _as_pictures(memory, pictures.side)
    while True:
        try:
            indices = pipe.recv()
        except EOFError:
            return
        errors = {}
        for place, index in enumerate(indices):
            decoded = _decoded(pictures, index)
            if isinstance(decoded, DataError):
                errors[place] = decoded
            else:
                shared[place] = decoded
        pipe.send(errors)


def _decoded(pictures: Pictures, index: int) -> Decoded:
    try:
        return pictures.get(index)
    except DataError as error:
        return error


def _as_pictures(memory: Any, side: int) -> Bytes:
    return np.frombuffer(memory, np.uint8).reshape(-1, side, side, 3)

"""Memory for batches, used again when nobody holds a batch any more.

Fresh memory costs as much as filling it: the system has to find and clear every page of it.
"""

import sys
import threading

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Buffers:
    """Arrays of one shape, a limited number of which is kept for reuse.

    What is handed out is a view. NumPy makes every view of a view refer to the array that owns the
    memory, and so does a tensor made from one; the owner's count of references therefore tells
    whether it is in use, whatever became of the batch.
    """

    def __init__(self, shape: tuple[int, ...], most: int) -> None:
        self._shape = shape
        self._most = most
        self._owners: list[Floats] = []
        self._unused = 0
        self._lock = threading.Lock()

    def take(self, count: int) -> Floats:
        """Give memory for the first `count` rows, not cleared."""
        with self._lock:
            for place in range(len(self._owners)):
                if self._references(place) == self._unused:
                    return self._owners[place][:count]
            if len(self._owners) == self._most:
                return np.empty((count, *self._shape[1:]), np.float32)
            self._owners.append(np.empty(self._shape, np.float32))
            self._unused = self._references(-1)
            return self._owners[-1][:count]

    def _references(self, place: int) -> int:
        return sys.getrefcount(self._owners[place])

"""The one way a kernel is compiled: cached on disk, and without the interpreter lock."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with Numba at the first call, keeping the signature that a type checker sees."""
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True)(function))

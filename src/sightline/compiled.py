"""The one way a kernel is compiled: cached on disk, and without the interpreter lock."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with Numba at the first call, keeping the signature that a type checker sees."""
    try:
        kernel = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # a read-only installation without a home: nowhere to keep what is made
        kernel = numba.njit(nogil=True)(function)
    return cast(Callable[P, R], kernel)

"""Kernels work where what is compiled cannot be kept."""

import numba

from sightline.compiled import compiled


def test_a_kernel_is_compiled_anew_where_nothing_can_be_written(monkeypatch):
    njit = numba.njit

    def nowhere_to_write(*given, **settings):
        if settings.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*given, **settings)

    monkeypatch.setattr(numba, "njit", nowhere_to_write)
    assert compiled(lambda x: x + 1)(2) == 3

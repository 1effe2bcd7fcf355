"""Out of memory, said with what to lower."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from sightline.errors import SightlineError
from sightline.training.plan import Plan

SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "alloc_cpu")


@contextmanager
def said_of_memory(plan: Plan) -> Iterator[None]:
    """Turn running out of memory into one line."""
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not any(sign in str(error) for sign in SIGNS):
            raise
        more = "" if plan.precision != "32-true" else ", or pass --precision bf16-mixed"
        raise SightlineError(
            f"out of memory with a batch of {plan.batch}; lower --batch{more}; with the same --out"
            " a run of another batch is another run, so name a new one"
        ) from None

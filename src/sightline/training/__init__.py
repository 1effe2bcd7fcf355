"""Training: one loop for every method, and the score maps of what it trained.

    row = training.train("cam", data="pets", backbone="small-resnet", out="run", epochs=5)

Nothing heavy is imported until it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.training.localizing import localize_run
    from sightline.training.run import train
    from sightline.training.trained import load_run

_HOMES = {"train": "run", "load_run": "trained", "localize_run": "localizing"}

__all__ = ["load_run", "localize_run", "train"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sightline.training' has no attribute '{name}'")
    return getattr(importlib.import_module(f"sightline.training.{_HOMES[name]}"), name)

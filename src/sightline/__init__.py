"""Sightline measures where an image classifier looks and how little it needs to see.

Nothing heavy is imported until it is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.attribution.localizing import localize
    from sightline.data.truth import read_truth
    from sightline.drawing.gallery import gallery
    from sightline.evaluation.evaluate import evaluate
    from sightline.metrics.box_accumulator import BoxAccumulator
    from sightline.metrics.mask import MaskAccumulator
    from sightline.metrics.protocol import Protocol, preset
    from sightline.metrics.score_maps import prepare
    from sightline.types import ResultRow

_HOMES = {
    "BoxAccumulator": "metrics.box_accumulator",
    "MaskAccumulator": "metrics.mask",
    "Protocol": "metrics.protocol",
    "ResultRow": "types",
    "evaluate": "evaluation.evaluate",
    "gallery": "drawing.gallery",
    "localize": "attribution.localizing",
    "prepare": "metrics.score_maps",
    "preset": "metrics.protocol",
    "read_truth": "data.truth",
}

__all__ = [
    "BoxAccumulator",
    "MaskAccumulator",
    "Protocol",
    "ResultRow",
    "evaluate",
    "gallery",
    "localize",
    "prepare",
    "preset",
    "read_truth",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sightline' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"sightline.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__

"""What tests of the commands share."""

from collections.abc import Callable

import pytest

NUMBERS = ("value", "per_delta", "threshold", "mean_iou", "pointing", "energy", "interval")


class Result(dict):
    """What `--json` gave."""

    @property
    def numbers(self) -> dict[str, float]:
        """Give all that is measured, flat, so that it can be compared at once."""
        flat = {}
        for name in NUMBERS:
            value = self.get(name, ())
            parts = value.items() if isinstance(value, dict) else enumerate([value])
            parts = enumerate(value) if isinstance(value, list) else parts
            flat |= {f"{name}.{key}": part for key, part in parts}
        return flat


@pytest.fixture
def evaluate(sightline, scene) -> Callable[..., Result]:
    """Evaluate the scene, or other maps or another truth, and give the JSON."""

    def call(*flags, maps=None, truth=None):
        places = maps or scene.maps, truth or scene.truth
        return Result(sightline("evaluate", *places, *flags, "--json", "-").json)

    return call

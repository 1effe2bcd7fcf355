"""Every ordering gives all parts of a category once, the same each time."""

from pathlib import Path

import numpy as np
import pytest

from sightline import registry
from sightline.parts import named
from sightline.parts.orderings.contract import Seen
from sightline.types import Fixation

ORDERINGS = [entry.name for entry in registry.describe("ordering") if entry.source == "sightline"]
PARTS = ("wheel", "door", "window", "roof")


def objects() -> list[Seen]:
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        parts = {part: rng.random((12, 16)) < 0.4 for part in PARTS[: 2 + seed % 2]}
        looked = tuple(Fixation("a", j, *(rng.random(2) * (16, 12))) for j in range(20))
        found.append(Seen(parts, np.logical_or.reduce(list(parts.values())), looked))
    return found


@pytest.mark.parametrize("name", ORDERINGS)
def test_an_ordering_gives_every_part_once(name: str, tmp_path: Path) -> None:
    file = tmp_path / "orders.csv"
    file.write_text("category,part\ncar,roof\ncar,door\n")
    chosen = named.read("ordering", f"given:file={file}" if name == "given" else name)
    assert chosen.module.NEEDS in ("", "masks", "fixations")
    made = [chosen.module.order("car", PARTS, objects(), chosen.options) for _ in range(2)]
    assert made[0] == made[1]
    assert sorted(one.part for one in made[0]) == sorted(PARTS)
    values = [one.value for one in made[0]]
    assert values == sorted(values, reverse=True)
    assert not any(values) or sum(values) == pytest.approx(1)
    if not chosen.module.NEEDS:
        assert chosen.module.order("car", PARTS, (), chosen.options) == made[0]

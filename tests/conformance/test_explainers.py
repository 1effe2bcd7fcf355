"""Every explainer gives one sound map an image, and leaves the network as it was."""

import numpy as np
import pytest
import torch
from torch import nn

import sightline as sl
from sightline import registry
from sightline.attribution.networks import ModuleNetwork

EXPLAINERS = [entry.name for entry in registry.describe("explainer") if entry.source == "sightline"]


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, 2, 1),
        nn.BatchNorm2d(6),
        nn.ReLU(inplace=True),
        nn.Conv2d(6, 8, 3, 2, 1),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(8, 4),
    )


@pytest.mark.parametrize("name", EXPLAINERS)
def test_it_gives_the_same_finite_maps_twice_and_changes_nothing(name: str) -> None:
    module, images = network().train(), torch.randn(3, 3, 40, 48)
    before = {key: value.clone() for key, value in module.state_dict().items()}
    first, second = (sl.localize(module, images, [0, 1, 3], method=name) for _ in range(2))
    assert first.shape == (3, 40, 48)
    assert first.tobytes() == second.tobytes()
    assert first.min() == 0
    assert first.max() == 1
    assert module.training
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items())
    assert all(parameter.grad is None for parameter in module.parameters())
    assert not any(part._forward_hooks or part._backward_hooks for part in module.modules())


@pytest.mark.parametrize("name", EXPLAINERS)
def test_an_image_s_map_does_not_depend_on_its_batch(name: str) -> None:
    module, images = network().eval(), torch.randn(3, 3, 40, 48)
    together = sl.localize(module, images, [0, 1, 3], method=name)
    apart = sl.localize(module, images, [0, 1, 3], method=name, batch=1)
    np.testing.assert_allclose(together, apart, atol=1e-4)


@pytest.mark.parametrize("name", EXPLAINERS)
def test_another_label_gives_another_map(name: str) -> None:
    module, images = network().eval(), torch.randn(1, 3, 40, 48)
    maps = [sl.localize(module, images, [label], method=name) for label in range(4)]
    assert any(not np.array_equal(maps[0], other) for other in maps[1:])


@pytest.mark.parametrize("name", EXPLAINERS)
def test_its_needs_and_options_are_stated(name: str) -> None:
    module = registry.load("explainer", name)
    assert module.NEEDS in ("answers", "gradients", "stages", "attention")
    assert module.Options() == module.Options()
    images, labels = torch.randn(2, 3, 40, 48), torch.tensor([0, 1])
    raw = module.explain(ModuleNetwork(network().eval()), images, labels, module.Options())
    assert raw.dim() == 3
    assert len(raw) == 2

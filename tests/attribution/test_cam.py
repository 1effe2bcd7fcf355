import importlib.util
from pathlib import Path

import pytest
import torch
from torch import nn

from sightline.attribution import cam
from sightline.attribution.networks import ModuleNetwork, evaluating
from sightline.errors import UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)

LABELS = torch.tensor([0, 3, 4])


def explained(module, batch, labels=LABELS, layer=""):
    return cam.explain(ModuleNetwork(module, layer), batch, labels, cam.Options())


def test_with_pooling_and_a_linear_layer_it_is_the_paper_s_map():
    network, batch = nets.pooled(), nets.images()
    wanted = nets.textbook_cam(network, batch, LABELS) / 64  # 8 x 8 cells
    torch.testing.assert_close(explained(network, batch), wanted, rtol=1e-5, atol=1e-7)


def test_a_hand_computed_map():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.stage = nn.Identity()

        def forward(self, x):
            pooled = self.stage(x).mean((2, 3))  # three channels as they are
            return torch.stack([2 * pooled[:, 0] - pooled[:, 1], pooled[:, 2]], 1)

    batch = torch.tensor([[[[1.0, 0], [0, 3]], [[0.0, 4], [0, 0]], [[5.0, 5], [5, 6]]]])
    first = explained(Two(), batch, torch.tensor([0]))
    assert first.tolist() == [[[0.5, -1.0], [0.0, 1.5]]]  # (2 a - b) / 4: nothing is cut off at 0
    second = explained(Two(), batch, torch.tensor([1]))
    assert second.tolist() == [[[1.25, 1.25], [1.25, 1.5]]]


def test_the_layer_is_found_named_or_refused():
    network, batch = nets.pooled(), nets.images()
    assert explained(network, batch).shape == (3, 8, 8)
    assert explained(network, batch, layer="early").shape == (3, 16, 16)
    with pytest.raises(UsageError, match="no layer 'nothing'"):
        explained(network, batch, layer="nothing")
    with pytest.raises(UsageError, match="layer 'head' gives no features"):
        explained(network, batch, layer="head")


def test_a_network_without_a_grid_is_refused():
    flat = nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 5))
    with pytest.raises(UsageError, match="no convolutional stage"):
        explained(flat, nets.images())


def test_a_network_that_turns_to_tokens_is_refused_rather_than_explained_by_its_first_layer():
    class Tokens(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 8, 8, stride=8)
            self.block = nn.Linear(8, 8)
            self.head = nn.Linear(8, 5)

        def forward(self, x):
            tokens = self.patches(x).flatten(2).transpose(1, 2)
            return self.head(self.block(tokens).mean(1))

    with pytest.raises(UsageError, match="tokens"):
        explained(Tokens(), nets.images())


def test_a_layer_that_runs_twice_is_refused():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3, padding=1)

        def forward(self, x):
            return self.conv(self.conv(x)).mean((2, 3))

    with pytest.raises(UsageError, match="runs 2 times"):
        explained(Twice(), nets.images(), torch.tensor([0, 1, 2]))


def test_it_leaves_the_network_as_it_was():
    network, batch = nets.pooled().train(), nets.images()
    network.act.eval()  # modes of parts are kept apart
    before = {name: value.clone() for name, value in network.state_dict().items()}
    with evaluating(network):
        assert not network.training
        explained(network, batch)
    assert network.training
    assert not network.act.training
    assert all(parameter.grad is None for parameter in network.parameters())
    assert not any(module._forward_hooks for module in network.modules())
    for name, value in network.state_dict().items():
        assert torch.equal(value, before[name])


def test_hooks_are_released_when_the_network_fails():
    class Broken(nets.Pooled):
        def forward(self, images):
            super().forward(images)
            raise RuntimeError("broken")

    network = Broken()
    with pytest.raises(RuntimeError, match="broken"):
        explained(network, nets.images(), layer="late")
    assert not any(module._forward_hooks for module in network.modules())

"""The faster copy says what the network says, and the network stays as it is."""

import pytest
import torch
from torch import nn

from sightline.methods import assembly
from sightline.methods.contract import given
from sightline.training.inference import for_inference


@pytest.mark.parametrize("backbone", ["efficientnet-lite0", "small-resnet", "small-plain"])
@pytest.mark.parametrize("method", ["cam", "spg", "few-shot"])
def test_the_copy_says_the_same(method, backbone):
    torch.manual_seed(0)
    network = assembly.build(method, backbone, 4)
    images = torch.randn(3, 3, 64, 64)
    with torch.no_grad():
        network.train()
        for _ in range(3):  # statistics that are not those of the beginning
            network(torch.randn(4, 3, 64, 64) * 2 + 1)
        before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        copy = for_inference(network)
        assert network.training
        assert not copy.training
        network.eval()
        wanted = network.localize(images, given(torch.arange(3)))
        found = copy.localize(images, given(torch.arange(3)))
    scale = wanted.maps.abs().max()
    assert torch.allclose(found.maps, wanted.maps, atol=1e-4 * float(scale))
    assert torch.allclose(found.logits, wanted.logits, atol=1e-4)
    after = network.state_dict()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())


def test_normalization_right_behind_a_convolution_is_folded():
    def left(network):
        return sum(isinstance(layer, nn.BatchNorm2d) for layer in for_inference(network).modules())

    pair = nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4)
    assert left(nn.Sequential(*pair)) == 0
    assert left(nn.Sequential(pair[0], nn.ReLU(), pair[1])) == 1
    twice = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
    assert left(nn.Sequential(twice[0], twice[1], nn.Sequential(twice[0]))) == 1
    assert (
        left(nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4, track_running_stats=False))) == 1
    )
    heard = nn.Sequential(*pair)
    pair[0].register_forward_hook(lambda *_: None)
    assert left(heard) == 1


def test_a_sequence_that_runs_otherwise_is_left_alone():
    class Backwards(nn.Sequential):
        def forward(self, x):
            return self[0](self[1](x))

    network = Backwards(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3))
    assert isinstance(for_inference(network)[1], nn.BatchNorm2d)

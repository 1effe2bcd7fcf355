"""Heads and branches have the shapes of the published networks, on each of their backbones."""

import pytest
import torch
from torch import nn

from sightline.methods import assembly


def built(method: str, backbone: str, **options: int) -> nn.Module:
    with torch.device("meta"):  # shapes alone
        return assembly.build(method, backbone, 200, options=options)


def convolutions(*parts: nn.Module) -> list[tuple[int, int]]:
    layers = [m for part in parts for m in part.modules() if isinstance(m, nn.Conv2d)]
    return [(layer.in_channels, layer.out_channels) for layer in layers]


@pytest.mark.parametrize(
    ("backbone", "features"), [("vgg16", 1024), ("inception-v3", 1024), ("resnet50", 2048)]
)
@pytest.mark.parametrize("method", ["cam", "has", "adl", "cutmix", "random"])
def test_cam_and_those_that_build_on_it_classify_the_last_features(method, backbone, features):
    assert built(method, backbone).classifier.weight.shape == (200, features)


@pytest.mark.parametrize(
    ("backbone", "features"), [("vgg16", 512), ("inception-v3", 768), ("resnet50", 2048)]
)
def test_both_classifiers_of_acol_read_the_published_features(backbone, features):
    network = built("acol", backbone)
    for head in (network.first, network.second):
        assert convolutions(head) == [(features, 1024), (1024, 1024), (1024, 200)]


@pytest.mark.parametrize(
    ("backbone", "early", "late", "width", "last"),
    [
        ("vgg16", 512, 512, 512, 512),
        ("inception-v3", 288, 768, 512, 1024),
        ("resnet50", 1024, 1024, 1024, 2048),
    ],
)
def test_the_branches_of_spg_are_as_published(backbone, early, late, width, last):
    network = built("spg", backbone)
    assert convolutions(network.early, network.late) == [(early, width), (late, width)]
    assert convolutions(network.shared) == [(width, width), (width, 1)]
    assert convolutions(network.final) == [(last, 512), (512, 1)]
    assert network.classifier.weight.shape == (200, last)


@pytest.mark.parametrize(
    ("backbone", "stages"),
    [
        ("vgg16", ("pool3", "conv4", "conv5")),
        ("inception-v3", ("Mixed_5d", "Mixed_6e", "head2")),
        ("resnet50", ("layer3_0", "layer4_0", "layer4_2")),
    ],
)
def test_adl_stands_behind_three_stages_without_other_dropout(backbone, stages):
    network = built("adl", backbone)
    assert tuple(network._layers(torch.Generator())) == stages
    assert not [m for m in network.modules() if isinstance(m, nn.Dropout)]

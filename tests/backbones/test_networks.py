"""Strides, pools and heads are those of the papers' networks."""

import pytest
import torch

from sightline.backbones import assembly
from sightline.backbones.contract import Design

CAM = ("classifier.weight", "classifier.bias")
HEADS = ("heads.0.weight", "heads.1.weight")


def made(name, side, design=None):
    with torch.device("meta"):
        return assembly.build(name, resolution=side, design=design)


def sides(backbone, size=224):
    images = torch.empty(1, 3, size, size, device="meta")
    taps = backbone.eval()(images, taps=backbone.stage_names).taps
    return {name: values.shape[-1] for name, values in taps.items()}


def fast(name, rule, outside=CAM, design=None):
    backbone = made(name, assembly.module_of(name).RESOLUTIONS[0], design)
    names = [f"backbone.{k}" for k, _ in backbone.named_parameters()] + list(outside)
    chosen = assembly.module_of(name).fast_layers(names, rule)
    return {assembly.stage_of(k) or k for k in chosen}


def test_vgg16_loses_its_last_pools():
    plain = Design(neck="none")
    five = [f"conv{n}" for n in range(1, 6)]
    assert [n for n in made("vgg16", 14, plain).stage_names if "pool" not in n] == five
    assert [n for n in sides(made("vgg16", 14, plain)) if "pool" in n] == [
        *("pool1", "pool2", "pool3", "pool4")
    ]
    assert "pool4" not in sides(made("vgg16", 28, plain))
    assert made("vgg16", 14).stage_names[-1] == "conv6"
    assert made("vgg16", 14).last_channels == 1024


def test_the_pools_of_acol_overlap_and_the_late_ones_keep_the_side():
    design = Design(neck="none", pooling="overlapping")
    for side, late in ((14, 14), (28, 28)):
        found = sides(made("vgg16", side, design))
        assert [found[f"pool{n}"] for n in range(1, 6)] == [112, 56, 28, late, side]
        assert list(found)[-1] == "average"
    pools = made("vgg16", 28, design).stages
    assert [(pools[f"pool{n}"].kernel_size, pools[f"pool{n}"].stride) for n in (3, 4, 5)] == [
        *((3, 2), (3, 1), (3, 1))
    ]
    average = pools["average"]
    assert (average.kernel_size, average.stride, average.padding) == (3, 1, 1)


def test_the_guided_vgg16_is_tapped_behind_its_overlapping_pool():
    backbone = made("vgg16", 14, Design(neck="guided"))
    assert backbone.roles.side == ("pool4", "conv5")
    assert backbone.stages["pool4"].kernel_size == 3
    assert backbone.stage_names[-2:] == ("guided1", "guided2")
    assert backbone.last_channels == 512
    assert made("vgg16", 28, Design(neck="guided")).roles.side == ("conv4", "conv5")


def test_the_sides_of_inception_are_the_published_chain():
    found = sides(made("inception-v3", 14))
    chain = [112, 110, 110, 56, 56, 54, 28, 28, 28, 28, 14, *[14] * 5]
    assert list(found.values())[: len(chain)] == chain
    assert sides(made("inception-v3", 28))["Mixed_6a"] == 28


def test_inception_drops_half_before_each_head_layer_and_the_classifier():
    names = made("inception-v3", 28).stage_names
    assert names[-5:] == ("drop1", "head1", "drop2", "head2", "drop3")
    assert made("inception-v3", 28).stages["drop3"].p == 0.5
    without = made("inception-v3", 28, Design(dropout=False))
    assert without.stage_names[-2:] == ("head1", "head2")
    assert without.roles.erasing == ("Mixed_5d", "Mixed_6e", "head2")
    assert made("inception-v3", 28, Design(neck="none")).stage_names[-1] == "Mixed_6e"
    assert made("inception-v3", 28).roles.side == ("Mixed_5d", "Mixed_6d")
    assert made("inception-v3", 14).roles.side == ("pool3", "Mixed_6d")


def test_the_stride_of_resnet50_sits_on_the_3x3_convolution():
    block = made("resnet50", 7).stages["layer4_0"]
    assert [block.conv1.stride, block.conv2.stride] == [(1, 1), (2, 2)]
    for side, strides in {7: (2, 2), 14: (2, 1), 28: (1, 1)}.items():
        stages = made("resnet50", side).stages
        assert tuple(stages[f"layer{n}_0"].conv2.stride[0] for n in (3, 4)) == strides
        assert tuple(stages[f"layer{n}_0"].downsample[0].stride[0] for n in (3, 4)) == strides
        assert all(block.conv2.dilation == (1, 1) for block in (stages["layer4_1"],))


@pytest.mark.parametrize("name", ["vgg16", "inception-v3", "resnet50", "efficientnet-lite0"])
def test_no_relu_works_in_place_and_none_is_used_twice(name):
    backbone = made(name, 14).eval()
    calls: list[int] = []
    for layer in backbone.modules():
        if isinstance(layer, torch.nn.ReLU | torch.nn.ReLU6):
            assert not layer.inplace
            layer.register_forward_hook(lambda module, *_: calls.append(id(module)))
    backbone(torch.empty(1, 3, 64, 64, device="meta"))
    assert len(calls) == len(set(calls)) > 0


def test_the_papers_fast_layers():
    assert fast("vgg16", "paper") == {"conv6", *CAM}
    assert fast("inception-v3", "paper") == {"head1", "head2", *CAM}
    assert fast("resnet50", "paper") == {"layer4_0", "layer4_1", "layer4_2", *CAM}
    assert fast("resnet50", "paper", HEADS) == {"layer4_0", "layer4_1", "layer4_2", *HEADS}


def test_the_released_codes_fast_layers():
    guided = Design(neck="guided")
    assert fast("vgg16", "released") == {"conv6", *CAM}
    assert fast("vgg16", "released", HEADS, guided) == {
        *("conv4", "conv5", "guided1", "guided2"),
        *HEADS,
    }
    assert fast("vgg16", "paper", HEADS, guided) == {"guided1", "guided2", *HEADS}
    assert fast("resnet50", "released") == {"layer4_0", "layer4_1", "layer4_2", *CAM}
    assert fast("resnet50", "released", HEADS) == {"layer4_0", "layer4_1", "layer4_2"}


@pytest.mark.parametrize(
    ("name", "design", "how"),
    [
        ("vgg16", Design(), "kaiming"),
        ("vgg16", Design(neck="guided"), "xavier"),
        ("vgg16", Design(neck="none", pooling="overlapping"), "xavier"),
        ("inception-v3", Design(), "xavier"),
        ("resnet50", Design(), "xavier"),
        ("resnet50", Design(neck="none", pooling="overlapping"), "kaiming"),
    ],
)
def test_how_new_layers_begin(name, design, how):
    assert made(name, 14, design).initialization == how


def test_what_the_initial_values_are():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(16, 64, 3), torch.nn.Linear(300, 200))
    assembly.initialize(network, "kaiming")
    assert network[0].weight.std().item() == pytest.approx((2 / (64 * 9)) ** 0.5, rel=0.05)
    assert network[1].weight.std().item() == pytest.approx(0.01, rel=0.05)
    assert not network[0].bias.any()
    assert not network[1].bias.any()
    assembly.initialize(network, "xavier")
    bound = (6 / (16 * 9 + 64 * 9)) ** 0.5
    assert 0.98 * bound < network[0].weight.abs().max() <= bound


@pytest.mark.parametrize("name", ["small-resnet", "small-plain"])
def test_the_small_networks_learn(name):
    """Tell bright left halves from bright right ones within a few steps."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    backbone = assembly.build(name, resolution=8)
    head = torch.nn.Linear(backbone.last_channels, 2)
    optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], 0.05, momentum=0.9)
    losses = []
    for _ in range(15):
        labels = torch.randint(0, 2, (16,))
        images = torch.randn(16, 3, 64, 64)
        images[labels == 0, :, :, :32] += 1
        images[labels == 1, :2, :, 32:] += 1
        loss = torch.nn.functional.cross_entropy(head(backbone(images).last.mean((2, 3))), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert sum(losses[-3:]) < 0.5 * sum(losses[:3]), losses


def test_the_small_plain_network_has_no_batch_normalization():
    layers = made("small-plain", 8).modules()
    assert not any(isinstance(layer, torch.nn.modules.batchnorm._BatchNorm) for layer in layers)

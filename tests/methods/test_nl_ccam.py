"""NL-CCAM: blocks that do nothing at first, and class maps combined by rank, by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from sightline.backbones.contract import Backbone
from sightline.errors import UsageError
from sightline.methods import assembly, cam, nl_ccam
from sightline.methods.contract import given, top
from sightline.methods.nl_ccam import NonLocal, Options, combination


def made(backbone: Backbone, classes: int = 4, **options: object) -> nl_ccam.Method:
    torch.manual_seed(0)
    method = nl_ccam.Method(backbone, classes, Options(**options))  # type: ignore[arg-type]
    nn.init.normal_(method.classifier.weight)
    nn.init.normal_(method.classifier.bias)
    return method.eval()


# Blocks


@pytest.mark.parametrize("training", [True, False])
def test_a_block_does_nothing_at_first(training):
    x = torch.randn(2, 16, 5, 7)
    assert torch.equal(NonLocal(16).train(training)(x), x)


def test_a_new_network_answers_as_cam_s_with_the_same_weights(seeing, images):
    method = made(seeing)
    plain = cam.Method(seeing, 4, cam.Options()).eval()
    plain.classifier = method.classifier
    assert torch.equal(method.classify(images), plain.classify(images))


def test_a_block_relates_every_position_to_all_others():
    torch.manual_seed(1)
    block = NonLocal(16).eval()
    nn.init.normal_(block.norm.weight)
    nn.init.normal_(block.norm.bias)
    block.norm.running_mean.normal_()
    block.norm.running_var.uniform_(0.5, 2)
    x = torch.randn(2, 16, 3, 5)

    def matrix(layer):
        return layer.weight.detach().double().numpy()[:, :, 0, 0], layer.bias.detach().numpy()

    expected = np.empty(x.shape)
    for n, image in enumerate(x.double().numpy().reshape(2, 16, 15)):
        q, k, v = (
            weight @ image + bias[:, None]
            for weight, bias in map(matrix, (block.query, block.key, block.value))
        )
        assert q.shape == (2, 15)  # an eighth of the channels
        scores = np.exp(q.T @ k)  # no scale
        scores /= scores.sum(1, keepdims=True)
        weight, bias = matrix(block.out)
        out = weight @ (v @ scores.T) + bias[:, None]
        mean, var = block.norm.running_mean.numpy(), block.norm.running_var.numpy()
        gain, shift = block.norm.weight.detach().numpy(), block.norm.bias.detach().numpy()
        normal = (out - mean[:, None]) / np.sqrt(var + block.norm.eps)[:, None]
        expected[n] = (image + gain[:, None] * normal + shift[:, None]).reshape(16, 3, 5)
    assert np.abs(block(x).detach().numpy() - expected).max() < 1e-5


def test_a_block_of_few_channels_keeps_one_for_queries():
    assert NonLocal(3).query.out_channels == 1
    assert torch.isfinite(NonLocal(3)(torch.zeros(1, 3, 2, 2))).all()


@pytest.mark.parametrize(
    ("backbone", "stages"),
    [
        ("vgg16", ("pool2", "pool3", "pool4", "conv5")),
        ("resnet50", ("layer1", "layer2", "layer3_5", "layer4_2")),
        ("efficientnet-lite0", ("block2", "block4", "block10", "head")),
    ],
)
def test_blocks_stand_where_the_backbone_says(backbone, stages):
    with torch.device("meta"):
        network = assembly.build("nl-ccam", backbone, 200)
    assert tuple(network.blocks) == stages


def test_vgg16_is_the_published_network():
    with torch.device("meta"):
        network = assembly.build("nl-ccam", "vgg16", 200)
    assert network.classifier.weight.shape == (200, 512)
    assert "conv6" not in network.backbone.stage_names
    kinds = [type(layer) for layer in network.backbone.modules()]
    assert kinds.count(nn.LeakyReLU) == 13
    assert nn.ReLU not in kinds
    inner = {s: b.query.weight.shape[:2] for s, b in network.blocks.items()}
    assert inner == {"pool2": (16, 128), "pool3": (32, 256), "pool4": (64, 512), "conv5": (64, 512)}


def test_a_backbone_that_names_no_stages_has_blocks_where_features_are_erased(seeing):
    assert tuple(made(seeing).blocks) == seeing.roles.erasing


# Combination


@pytest.mark.parametrize(
    ("kind", "classes", "positive", "weights"),
    [
        ("quadratic", 6, 0, [1, 0.25, 0, 0, -0.25, -1]),
        ("quadratic", 5, 3, [1, 0.25, 0, 0, -1]),
        ("quadratic", 4, 1, [1, 0, -0.25, -1]),
        ("quadratic", 3, 3, [1, 0.25, 0]),
        ("quadratic", 3, 2, [1, 0, 0]),  # one class alone below: linspace(0, -1, 1) is 0
        ("quadratic", 1, 0, [1]),
        ("linear", 5, 0, [1, 0.5, 0, -0.5, -1]),
        ("top-1", 3, 0, [1, 0, 0]),
        ("top-1-less-last", 3, 0, [1, 0, -1]),
    ],
)
def test_weights_of_ranks(kind, classes, positive, weights):
    assert combination(kind, classes, positive).tolist() == pytest.approx(weights)


def test_half_of_the_classes_are_positive_as_in_the_paper():
    assert torch.equal(combination("quadratic", 200), combination("quadratic", 200, 100))


def test_fewer_classes_than_positive_ones_are_refused(seeing):
    with pytest.raises(UsageError, match=r"--positive: 100 classes .* there are 4; give 4 at most"):
        made(seeing, positive=100)


@pytest.mark.parametrize("kind", ["quadratic", "linear", "top-1", "top-1-less-last"])
def test_the_map_is_the_sum_of_class_maps_by_rank(seeing, images, kind):
    method = made(seeing, combination=kind)
    answer = method.localize(images, top(1))
    weight = method.classifier.weight.detach().double().numpy()
    ranked = combination(kind, 4).double().numpy()
    for n in range(2):
        order = np.argsort(-answer.logits[n].detach().numpy(), kind="stable")
        maps = np.einsum("cd,dhw->chw", weight, images[n].double().numpy())  # no bias
        expected = sum(h * maps[c] for h, c in zip(ranked, order, strict=True))
        assert np.abs(answer.maps[n, 0].detach().numpy() - expected).max() < 1e-5


def test_the_class_asked_for_changes_nothing_unless_it_is_put_first(seeing, images):
    labels = given(torch.tensor([[0, 3], [1, 2]]))
    maps = made(seeing).localize(images, labels).maps
    assert torch.equal(maps[:, 0], maps[:, 1])
    first = made(seeing, first="label", combination="top-1").localize(images, labels).maps
    plain = made(seeing, combination="top-1")
    weight = plain.classifier.weight
    for n, pair in enumerate([[0, 3], [1, 2]]):
        expected = torch.einsum("kd,dhw->khw", weight[pair], images[n])
        assert torch.allclose(first[n], expected, atol=1e-6)


def test_a_label_that_is_put_first_leaves_the_order_of_the_others(seeing):
    method = made(seeing, first="label")
    order = method._order(torch.tensor([[1.0, 4.0, 2.0, 3.0]]), torch.tensor([[0, 1, 2]]))
    assert order.tolist() == [[[0, 1, 3, 2], [1, 3, 2, 0], [2, 1, 3, 0]]]


def test_equal_scores_rank_in_the_order_of_the_classes(seeing):
    order = made(seeing)._order(torch.zeros(1, 4), torch.tensor([[2]]))
    assert order.tolist() == [[[0, 1, 2, 3]]]


def test_blank_images_give_a_map_that_is_the_same_everywhere(seeing):
    maps = made(seeing).localize(torch.zeros(1, 3, 4, 4), top(1)).maps
    assert not maps.any()

"""F-CAM: its losses by their formulas, its two phases, and what is frozen when."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from sightline.backbones.contract import IMAGENET_MEAN, IMAGENET_STD, Backbone, Roles
from sightline.errors import SightlineError, UsageError
from sightline.methods import assembly, cam, f_cam
from sightline.methods.contract import Batch, given
from sightline.methods.f_cam import Options, log_barrier, seed_loss, size_loss
from sightline.methods.heads import enlarged, numpy_dice, scaled
from sightline.methods.pixelwise.decoder import sides, skips
from sightline.methods.pixelwise.filtering import bilateral_by_pairs
from sightline.methods.pixelwise.seeds import seeds

SIDE = 32


def layer(inputs: int, outputs: int, stride: int) -> nn.Module:
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())


@pytest.fixture
def backbone() -> Backbone:
    stages = {"one": layer(3, 4, 2), "two": layer(4, 5, 1), "three": layer(5, 6, 2)}
    channels = {"one": 4, "two": 5, "three": 6}
    return Backbone(stages, channels, Roles(("one",), ("one", "two")), resolution=8, input_size=32)


def made(backbone: Backbone, **options: object) -> f_cam.Method:
    torch.manual_seed(0)
    return f_cam.Method(backbone, 3, Options(**{"width": 16, **options}))  # type: ignore[arg-type]


def batch(epoch: float = 1, epochs: int = 2, seed: int = 0) -> Batch:
    images = torch.rand(2, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(1))
    mean, std = (torch.tensor(v)[:, None, None] for v in (IMAGENET_MEAN, IMAGENET_STD))
    dice = torch.Generator().manual_seed(seed)
    return Batch((images - mean) / std, torch.tensor([0, 2]), dice, epoch=epoch, epochs=epochs)


# The barrier


@pytest.mark.parametrize("t", [1.0, 2.5, 10.0])
@pytest.mark.parametrize("z", [-5000.0, -3.0, -1.0, -0.02, -0.01, -0.005, 0.0, 0.5, 7.0])
def test_the_barrier_and_its_derivative_follow_the_formula(t, z):
    point = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    value = log_barrier(point, t)
    value.backward()
    if z <= -1 / t**2:
        expected, slope = -math.log(-z) / t, -1 / (t * z)
    else:
        expected, slope = t * z - math.log(1 / t**2) / t + 1 / t, t
    assert value.item() == pytest.approx(expected, abs=1e-6)
    assert point.grad.item() == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("t", [1.0, 3.0, 10.0])
def test_the_barrier_is_smooth_where_its_two_parts_meet(t):
    points = torch.tensor([-1 / t**2 - 1e-9, -1 / t**2 + 1e-9], dtype=torch.float64)
    points.requires_grad_()
    values = log_barrier(points, t)
    values.sum().backward()
    assert values[0].item() == pytest.approx(values[1].item(), abs=1e-6)
    assert points.grad.tolist() == pytest.approx([t, t], rel=1e-5)


def test_the_size_loss_is_half_of_both_barriers():
    shares = torch.tensor([[[[0.25, 0.5]], [[0.75, 0.5]]]])  # background .75, object 1.25
    expected = (-math.log(1.25) + (-0.75 + 1)) / 2  # t = 1: beyond -1 the tangent z + 1
    assert size_loss(shares, 1.0).item() == pytest.approx(expected)
    assert size_loss(shares.repeat(3, 1, 1, 1), 1.0).item() == pytest.approx(expected)


# Seeds' loss


def test_the_seeds_loss_is_the_mean_over_seeds_of_the_whole_batch():
    scores = torch.tensor([[[[0.0, 2.0, 9.0]], [[0.0, 0.0, 1.0]]]]).repeat(2, 1, 1, 1)
    wanted = torch.tensor([[[0, 1, 255]], [[1, 255, 255]]])
    expected = (math.log(2) + math.log(1 + math.e**2) + math.log(2)) / 3
    assert seed_loss(scores, wanted).item() == pytest.approx(expected, rel=1e-6)


def test_no_seed_costs_nothing():
    scores = torch.zeros(1, 2, 3, 3, requires_grad=True)
    loss = seed_loss(scores, torch.full((1, 3, 3), 255))
    loss.backward()
    assert loss == 0
    assert not scores.grad.any()


# A step


def test_first_the_classifier_learns_and_then_the_decoder(backbone):
    method = made(backbone).train()
    for epoch, learns in ((0.0, "classifier"), (0.9, "classifier"), (1.0, "decoder")):
        method.zero_grad()
        step = method.step(batch(epoch))
        step.loss.backward()
        touched = {n.split(".")[0] for n, p in method.named_parameters() if p.grad is not None}
        assert touched == ({"backbone", "classifier"} if learns == "classifier" else {"decoder"})
        assert list(step.parts) == ["classification", "seeds", "crf", "size"]


def test_what_is_frozen_stays_as_it_is_running_means_too(backbone):
    method = made(backbone).train()
    optimizer = torch.optim.SGD(method.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
    for epoch in (0.0, 1.0):
        optimizer.zero_grad()
        method.step(batch(epoch)).loss.backward()
        before = {k: v.clone() for k, v in method.state_dict().items()}
        optimizer.step()
        method.step(batch(epoch))
    after = method.state_dict()
    frozen = [k for k in before if not k.startswith("decoder.")]
    assert all(torch.equal(before[k], after[k]) for k in frozen)
    assert any(not torch.equal(before[k], after[k]) for k in set(before) - set(frozen))
    assert method.backbone.training


def test_the_loss_of_a_step_is_its_parts_by_hand(backbone):
    method = made(backbone, crf_weight=1e-7, size_weight=0.3, background_share=0.3).train()
    nn.init.normal_(method.classifier.weight)
    given_batch = batch(7.0, 8)  # four epochs of the classifier: the decoder's fourth begins
    step = method.step(given_batch)
    method.backbone.eval()
    with torch.no_grad():
        features = method.backbone(given_batch.images, taps=method.decoder.skips)
        maps = method.classifier.maps(features.last, given_batch.labels[:, None])
        maps = enlarged(scaled(maps), given_batch.images).numpy()
        scores = method.decoder(features.last, features.taps, (SIDE, SIDE))
    dice = numpy_dice(torch.Generator().manual_seed(0))
    wanted = np.stack([seeds(one, method._seeding((SIDE, SIDE)), dice) for one in maps])
    assert {0, 1, 255} == set(np.unique(wanted))
    assert step.parts["seeds"].item() == pytest.approx(
        seed_loss(scores, torch.from_numpy(wanted)).item(), rel=1e-5
    )
    shares = scores.softmax(1).double().numpy()
    images = given_batch.images.permute(0, 2, 3, 1).double().numpy()
    images = images * np.array(IMAGENET_STD) + np.array(IMAGENET_MEAN)
    crf = 0.0
    for image, share in zip(images, shares.transpose(0, 2, 3, 1), strict=True):
        crf -= (share * bilateral_by_pairs(255 * image, share, 15, 100 * SIDE / 224)).sum() / 2
    assert step.parts["crf"].item() == pytest.approx(1e-7 * crf * (224 / SIDE) ** 4, rel=5e-3)
    totals = shares.sum((2, 3))
    size = np.mean(-np.log(totals) / 1.01**3)
    assert step.parts["size"].item() == pytest.approx(0.3 * size, rel=1e-5)
    total = sum(step.parts[name].item() for name in ("seeds", "crf", "size"))
    assert step.loss.item() == pytest.approx(total, rel=1e-5)


def test_seeds_are_drawn_anew_in_each_step(backbone):
    method = made(backbone).train()
    drawn = [method._seeds(torch.rand(2, 1, 8, 8), batch(seed=seed)) for seed in (0, 1)]
    assert not torch.equal(*drawn)


def test_maps_that_are_the_same_everywhere_give_no_seeds_and_no_nan(backbone):
    method = made(backbone).train()
    nn.init.zeros_(method.classifier.weight)
    step = method.step(batch())
    assert step.parts["seeds"] == 0
    assert torch.isfinite(step.loss)


def test_a_classifier_that_never_learned_is_refused(backbone):
    method = made(backbone, classifier_share=0).train()
    with pytest.raises(SightlineError, match=r"--weights .* or --classifier-share"):
        method.step(batch(0))
    nn.init.ones_(method.classifier.bias)
    assert torch.isfinite(method.step(batch(0)).loss)


def test_the_barrier_steepens_by_a_hundredth_an_epoch_up_to_ten(backbone, monkeypatch):
    seen = []
    monkeypatch.setattr(f_cam, "size_loss", lambda s, t: seen.append(t) or s.sum() * 0)
    method = made(backbone).train()
    for epoch in (50.0, 50.9, 60.0, 99.0):
        method.step(batch(epoch, 100))
    method.step(batch(999.0, 1000))
    assert seen == pytest.approx([1, 1, 1.01**10, 1.01**49, 10])


# Maps, network, options


def test_the_map_is_the_object_s_share_of_every_pixel_for_any_class(backbone):
    method = made(backbone).eval()
    images = batch().images
    with torch.no_grad():
        answer = method.localize(images, given(torch.tensor([[0, 1], [2, 0]])))
        features = method.backbone(images, taps=method.decoder.skips)
        scores = method.decoder(features.last, features.taps, (SIDE, SIDE))
    assert answer.maps.shape == (2, 2, SIDE, SIDE)
    assert torch.equal(answer.maps[:, 0], answer.maps[:, 1])
    assert torch.allclose(answer.maps[:, 0], scores.softmax(1)[:, 1])


def test_classes_are_those_of_cam_with_the_same_weights(backbone):
    method = made(backbone).eval()
    plain = cam.Method(backbone, 3, cam.Options()).eval()
    plain.load_state_dict({k: v for k, v in method.state_dict().items() if "decoder" not in k})
    assert torch.equal(method.classify(batch().images), plain.classify(batch().images))


def test_the_decoder_reads_the_last_stage_of_each_resolution(backbone):
    assert sides(backbone) == {"one": 16, "two": 16, "three": 8}
    assert skips(backbone) == ("two",)
    widths = [(b[0].in_channels, b[0].out_channels) for b in made(backbone).decoder.blocks]
    assert widths == [(6 + 5, 16), (16, 16)]  # from 8 to 16, and without a skip to 32


@pytest.mark.parametrize(
    ("name", "taps", "widths"),
    [
        ("vgg16", ["conv4", "conv3", "conv2", "conv1"], [256, 128, 64, 32]),
        ("resnet50", ["layer2", "layer1", "stem"], [256, 128, 64, 32]),
        ("efficientnet-lite0", ["block4", "block2", "block0"], [256, 128, 64, 32]),
        ("small-resnet", ["stem"], [256, 128]),
        ("inception-v3", ["Mixed_5d", "Conv2d_4a_3x3", "Conv2d_2b_3x3"], [256, 128, 64, 32]),
    ],
)
def test_every_backbone_has_a_decoder_up_to_the_image(name, taps, widths):
    with torch.device("meta"):
        network = assembly.build("f-cam", name, 200)
    assert list(network.decoder.skips) == taps
    assert [block[0].out_channels for block in network.decoder.blocks] == widths


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"classifier_share": 1.0}, "--classifier-share: 1 is not from 0 to below 1"),
        ({"classifier_share": -0.1}, "--classifier-share"),
        ({"erosion": 10}, "--erosion: 10 is not odd"),
        ({"dilation": 0}, "--dilation"),
        ({"background_share": 1.5}, "--background-share"),
        ({"foreground_seeds": 0}, "--foreground-seeds"),
        ({"crf_weight": -1.0}, "--crf-weight"),
    ],
)
def test_what_is_not_feasible_is_refused(wrong, said):
    with pytest.raises(UsageError, match=said):
        Options(**wrong)

"""ADL: both branches, how often each is drawn and where it stands; nothing in evaluation mode."""

import numpy as np
import pytest
import torch

from sightline.methods import adl, cam
from sightline.methods.adl import Drop, Options, Weigh
from sightline.methods.contract import given

FEATURES = torch.tensor(
    [
        [[[1.0, 2.0], [3.0, 4.0]], [[3.0, 0.0], [5.0, 6.0]]],  # means 2, 1, 4, 5
        [[[0.0, 8.0], [0.0, 0.0]], [[0.0, 8.0], [2.0, 4.0]]],  # means 0, 8, 1, 2
    ]
)


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        (0.8, [[[1, 1], [0, 0]], [[1, 0], [1, 1]]]),  # below 4 of 5, below 6.4 of 8
        (0.81, [[[1, 1], [1, 0]], [[1, 0], [1, 1]]]),
        (0.2, [[[0, 0], [0, 0]], [[1, 0], [1, 0]]]),  # below 1, below 1.6
        (0.0, [[[0, 0], [0, 0]], [[0, 0], [0, 0]]]),
    ],
)
def test_positions_from_a_share_of_the_maximum_on_are_dropped(threshold, kept):
    expected = FEATURES.numpy() * np.array(kept)[:, None]
    assert (Drop(threshold)(FEATURES).numpy() == expected).all()


def test_features_are_weighed_by_the_sigmoid_of_their_mean():
    means = np.array([[[2, 1], [4, 5]], [[0, 8], [1, 2]]], float)[:, None]
    expected = FEATURES.numpy() / (1 + np.exp(-means))
    assert np.abs(Weigh("sigmoid")(FEATURES).numpy() - expected).max() < 1e-6


def test_or_by_their_mean_stretched_over_0_to_1():
    weights = np.array([[[0.25, 0], [0.75, 1]], [[0, 1], [0.125, 0.25]]])[:, None]
    expected = FEATURES.numpy() * weights
    assert np.abs(Weigh("min-max")(FEATURES).numpy() - expected).max() < 1e-6


def test_gradients_flow_through_the_weight():
    """With one channel, f = x s(x): its slope is s + x s (1 - s)."""
    x = torch.tensor([[[[1.5]]]], requires_grad=True)
    Weigh("sigmoid")(x).backward()
    s = 1 / (1 + np.exp(-1.5))
    assert x.grad is not None
    assert x.grad.item() == pytest.approx(s + 1.5 * s * (1 - s), abs=1e-6)


def by_hand(x, drops):
    """Pass the early layer, then the last; between them the backbone doubles and halves."""
    for drop in drops:
        means = x.mean(1, keepdims=True)
        if drop:
            x = x * (means < 0.9 * means.max((2, 3), keepdims=True))
        else:
            x = x / (1 + np.exp(-means))
    return x


def test_each_layer_draws_by_itself_and_the_whole_batch_alike(seeing, images, batch):
    method = adl.Method(seeing, 2, Options(drop_rate=0.5)).train()
    seen = set()
    for seed in range(12):
        first, second = torch.rand(2, generator=torch.Generator().manual_seed(seed)).tolist()
        drops = (first < 0.5, second < 0.5)
        seen.add(drops)
        features = method.features(batch(images, [0, 1], seed)).numpy()
        assert np.abs(features - by_hand(images.numpy(), drops)).max() < 1e-6
    assert len(seen) == 4


@pytest.mark.parametrize(("rate", "drops"), [(0.0, (False, False)), (1.0, (True, True))])
def test_a_rate_of_0_always_weighs_and_of_1_always_drops(seeing, images, batch, rate, drops):
    method = adl.Method(seeing, 2, Options(drop_rate=rate)).train()
    for seed in range(5):
        features = method.features(batch(images, [0, 1], seed)).numpy()
        assert np.abs(features - by_hand(images.numpy(), drops)).max() < 1e-6


def test_the_rate_is_that_of_the_drop_mask(seeing):
    method = adl.Method(seeing, 2, Options())
    generator = torch.Generator().manual_seed(0)
    drawn = [layer for _ in range(500) for layer in method._layers(generator).values()]
    share = sum(isinstance(layer, Drop) for layer in drawn) / 1000
    assert abs(share - 0.75) < 4 * (0.75 * 0.25 / 1000) ** 0.5


def test_in_evaluation_mode_it_is_the_plain_network(seeing, images, batch):
    method = adl.Method(seeing, 2, Options()).eval()
    assert torch.equal(method.features(batch(images, [0, 1])), images)
    plain = cam.Method(seeing, 2, cam.Options())
    plain.classifier = method.classifier
    labels = given(torch.tensor([1, 0]))
    for training in (False, True):  # maps never pass the layers
        answer = method.train(training).localize(images, labels)
        assert torch.equal(answer.maps, plain.localize(images, labels).maps)
        assert torch.equal(answer.logits, plain.localize(images, labels).logits)


def test_an_image_whose_features_are_all_dropped_still_has_a_loss(seeing, batch):
    method = adl.Method(seeing, 2, Options(drop_rate=1.0)).train()
    step = method.step(batch(torch.zeros(1, 3, 4, 4), [0]))
    assert step.loss.item() == pytest.approx(np.log(2), abs=1e-6)

"""CAM: pooling and weighting may be swapped, and a class map's gradient is the head's weight."""

import numpy as np
import pytest
import torch

from sightline.methods import cam
from sightline.methods.contract import given, top


@pytest.fixture
def method(seeing):
    torch.manual_seed(0)
    made = cam.Method(seeing, 5, cam.Options())
    torch.nn.init.normal_(made.classifier.weight)
    torch.nn.init.normal_(made.classifier.bias)
    return made.eval()


def head(method):
    weight, bias = method.classifier.weight, method.classifier.bias
    return weight.detach().double().numpy(), bias.detach().double().numpy()


def test_scores_are_those_of_averaged_features_and_of_averaged_maps(method, images):
    weight, bias = head(method)
    features = images.double().numpy()
    pooled_first = features.reshape(2, 3, 16).mean(2) @ weight.T + bias  # equation 1
    labels = torch.arange(5).expand(2, 5)
    answer = method.localize(images, given(labels))
    weighted_first = answer.maps.mean((2, 3)).detach().numpy()  # equations 2 and 3
    assert np.abs(answer.logits.detach().numpy() - pooled_first).max() < 1e-6
    assert np.abs(weighted_first - pooled_first).max() < 1e-6


def test_a_map_weighs_the_features_at_each_position(method, images):
    weight, bias = head(method)
    features = images.double().numpy()
    maps = method.localize(images, given(torch.tensor([3, 1]))).maps.detach().numpy()
    assert maps.shape == (2, 1, 4, 4)
    for image, label in ((0, 3), (1, 1)):
        for i, j in np.ndindex(4, 4):
            value = sum(weight[label, d] * features[image, d, i, j] for d in range(3))
            assert maps[image, 0, i, j] == pytest.approx(value + bias[label], abs=1e-6)


def test_the_gradient_of_a_map_is_the_weight_and_of_a_score_its_share(method, images):
    weight, _ = head(method)
    images.requires_grad_()
    answer = method.localize(images, given(torch.tensor([4, 2])))
    (at_position,) = torch.autograd.grad(answer.maps[0, 0, 1, 2], images, retain_graph=True)
    assert np.abs(at_position[0, :, 1, 2].numpy() - weight[4]).max() < 1e-6
    at_position[0, :, 1, 2] = 0
    assert at_position.abs().sum() == 0
    (of_score,) = torch.autograd.grad(answer.logits[1, 2], images)
    for i, j in np.ndindex(4, 4):
        assert np.abs(of_score[1, :, i, j].numpy() - weight[2] / 16).max() < 1e-6
    assert of_score[0].abs().sum() == 0


def test_the_classes_of_the_maps_are_those_chosen_from_the_scores(method, images):
    everything = method.localize(images, given(torch.arange(5).expand(2, 5)))
    best = method.localize(images, top(2))
    order = np.argsort(-everything.logits.detach().numpy(), axis=1)[:, :2]
    for image in range(2):
        for rank in range(2):
            expected = everything.maps[image, order[image, rank]]
            assert torch.allclose(best.maps[image, rank], expected)
    assert torch.equal(method.classify(images), everything.logits)


def test_the_loss_is_the_cross_entropy_of_the_scores(method, images, batch):
    weight, bias = head(method)
    scores = images.double().numpy().mean((2, 3)) @ weight.T + bias
    labels = [4, 0]
    shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    expected = -np.log([shares[0, 4], shares[1, 0]]).mean()
    step = method.step(batch(images, labels))
    assert step.loss.item() == pytest.approx(expected, abs=1e-6)
    assert step.parts["classification"].item() == pytest.approx(expected, abs=1e-6)
    assert torch.allclose(step.logits, torch.tensor(scores, dtype=torch.float32), atol=1e-6)

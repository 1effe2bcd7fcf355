"""The few-shot baseline: a loss for each pixel of the image, and one map for all classes."""

import numpy as np
import pytest
import torch
from torch import nn

from sightline.backbones.contract import Backbone, Roles
from sightline.errors import SightlineError
from sightline.methods import few_shot
from sightline.methods.contract import given


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_every_pixel_that_is_not_ignored_is_compared_with_its_mask(seeing, images, batch):
    method = few_shot.Method(seeing, 5, few_shot.Options())
    nn.init.constant_(method.saliency.bias, 0.3)
    weight = method.saliency.weight.detach().double().numpy().reshape(3)
    scores = np.tensordot(weight, images.double().numpy(), (0, 1)) + 0.3
    masks = np.random.default_rng(0).choice([0, 1, 255], (2, 4, 4))
    terms = []
    for n, i, j in np.ndindex(2, 4, 4):
        if masks[n, i, j] != 255:
            p = sigmoid(scores[n, i, j])
            terms.append(-np.log(p if masks[n, i, j] else 1 - p))
    given_masks = torch.tensor(masks, dtype=torch.uint8)
    step = method.step(batch(images, [0, 1], masks=given_masks))
    assert step.loss.item() == pytest.approx(np.mean(terms), abs=1e-6)
    assert step.logits is None
    with torch.no_grad():
        maps = method.localize(images, given(torch.tensor([[0, 4], [1, 2]]))).maps.numpy()
    for k in range(2):  # whatever the class
        assert np.abs(maps[:, k] - sigmoid(scores)).max() < 1e-6


class Pooled(nn.Module):
    def forward(self, x):
        return nn.functional.avg_pool2d(x, 2)


@pytest.fixture
def halving():
    """Give a backbone whose features are half as large as the image."""
    return Backbone(
        {"only": Pooled()}, {"only": 3}, Roles(("only",), ("only", "only")), resolution=2
    )


def test_scores_are_brought_to_the_size_of_the_image_before_the_loss(halving, batch):
    """Features -4 and 4 become -4, -2, 2, 4 in each row."""
    method = few_shot.Method(halving, 2, few_shot.Options())
    nn.init.constant_(method.saliency.weight, 1 / 3)
    image = torch.tensor([-4.0, -4.0, 4.0, 4.0]).expand(1, 3, 4, 4).contiguous()
    mask = torch.tensor([0, 255, 1, 0], dtype=torch.uint8).expand(1, 4, 4)
    losses = [np.log1p(np.exp(-4)), np.log1p(np.exp(-2)), np.log1p(np.exp(4))]
    step = method.step(batch(image, [0], masks=mask))
    assert step.loss.item() == pytest.approx(np.mean(losses), abs=1e-6)
    answer = method.localize(image, given(torch.tensor([1])))
    row = answer.maps[0, 0, 0].detach().numpy()
    assert np.abs(row - sigmoid(np.array([-4.0, -2, 2, 4]))).max() < 1e-6
    assert answer.logits.tolist() == [[0, 0]]


def test_a_batch_of_ignored_pixels_costs_nothing(seeing, images, batch):
    method = few_shot.Method(seeing, 2, few_shot.Options())
    step = method.step(batch(images, [0, 1], masks=torch.full((2, 4, 4), 255)))
    step.loss.backward()
    assert step.loss.item() == 0
    assert method.saliency.weight.grad.abs().sum() == 0


def test_it_consumes_localization_labels_and_says_so(seeing, images, batch):
    method = few_shot.Method(seeing, 2, few_shot.Options())
    assert (method.needs, method.classifies, method.trained) == ("masks", False, True)
    with pytest.raises(SightlineError, match="masks"):
        method.step(batch(images, [0, 1]))

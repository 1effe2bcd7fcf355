"""ACoL: what is erased for the second classifier, both losses, and the fused map."""

import numpy as np
import pytest
import torch
from torch import nn

from sightline.methods import acol
from sightline.methods.acol import Options, erased
from sightline.methods.contract import given, top


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        (0.5, [[1, 1], [0, 0]]),  # scaled: 0, .25, .5, 1; from the threshold on, erased
        (0.51, [[1, 1], [1, 0]]),
        (0.25, [[1, 0], [0, 0]]),
        (1.0, [[1, 1], [1, 0]]),
        (0.0, [[0, 0], [0, 0]]),
    ],
)
def test_features_are_erased_where_the_scaled_map_is_high(threshold, kept):
    features = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]])
    class_map = torch.tensor([[[[-1.0, 0.0], [1.0, 3.0]]]])
    expected = features.numpy() * np.array(kept)
    assert (erased(features, class_map, threshold).numpy() == expected).all()


def test_a_map_that_is_the_same_everywhere_erases_nothing():
    features = torch.ones(1, 2, 3, 3)
    assert torch.equal(erased(features, torch.full((1, 1, 3, 3), 5.0), 0.5), features)


@pytest.fixture
def method(seeing):
    """Give two classifiers of three classes: A's maps are the channels, B's their sums."""
    made = acol.Method(seeing, 3, Options(erasing_threshold=0.6, width=2))
    made.first = nn.Identity()
    made.second = Sums()
    return made


class Sums(nn.Module):
    """Maps of class c: c + 1 times the sum of all channels."""

    def __init__(self):
        super().__init__()
        self.factors = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x):
        return x.sum(1, keepdim=True) * self.factors[:, None, None]


def stretched(values):
    return (values - values.min()) / (values.max() - values.min())


def both_maps(image, label, threshold=0.6):
    """Compute both classifiers' maps of an image: A's, and B's of what A's label leaves."""
    first = image[label]
    left = np.where(stretched(first) >= threshold, 0, image)
    second = np.stack([(c + 1) * left.sum(0) for c in range(3)])
    return first, second


def cross_entropy(scores, label):
    return np.log(np.exp(scores).sum()) - scores[label]


def test_the_loss_is_that_of_both_classifiers(method, images, batch):
    labels = [2, 0]
    first, second = [], []
    for image, label in zip(images.double().numpy(), labels, strict=True):
        first.append(cross_entropy(image.mean((1, 2)), label))
        second.append(cross_entropy(both_maps(image, label)[1].mean((1, 2)), label))
    step = method.step(batch(images, labels))
    assert step.parts["first"].item() == pytest.approx(np.mean(first), abs=1e-6)
    assert step.parts["second"].item() == pytest.approx(np.mean(second), abs=1e-6)
    assert step.loss.item() == pytest.approx(np.mean(first) + np.mean(second), abs=1e-6)


def test_the_best_class_may_erase_instead_of_the_label(method, images, batch, seeing):
    released = acol.Method(seeing, 3, Options(erase_by="prediction", width=2))
    released.first, released.second = method.first, method.second
    second = []
    for image, label in zip(images.double().numpy(), [2, 0], strict=True):
        best = image.mean((1, 2)).argmax()
        second.append(cross_entropy(both_maps(image, best)[1].mean((1, 2)), label))
    assert [i.mean((1, 2)).argmax() for i in images.numpy()] != [2, 0]
    step = released.step(batch(images, [2, 0]))
    assert step.parts["second"].item() == pytest.approx(np.mean(second), abs=1e-6)


def test_the_map_is_the_larger_of_both_scaled_maps(method, images):
    labels = [[0, 2], [1, 0]]
    maps = method.localize(images, given(torch.tensor(labels))).maps.detach().numpy()
    for n, image in enumerate(images.double().numpy()):
        for k, label in enumerate(labels[n]):
            first, second = both_maps(image, label)
            expected = np.maximum(stretched(first), stretched(second[label]))
            assert np.abs(maps[n, k] - expected).max() < 1e-6


def test_the_first_classifies_and_its_best_class_is_localized(method, images):
    scores = images.mean((2, 3))
    answer = method.localize(images, top(1))
    assert torch.allclose(answer.logits, scores)
    assert torch.allclose(method.classify(images), scores)
    known = method.localize(images, given(scores.argmax(1)))
    assert torch.equal(answer.maps, known.maps)


def test_a_constant_image_gives_a_map_of_zeros(method):
    maps = method.localize(torch.ones(1, 3, 4, 4), given(torch.tensor([1]))).maps
    assert maps.abs().sum() == 0


def test_what_is_erased_teaches_the_first_classifier_nothing(seeing, images, batch):
    torch.manual_seed(0)
    made = acol.Method(seeing, 3, Options(width=4))
    features = made.backbone(images).last
    maps = made.first(features)
    others = made.second(erased(features, maps[:, :1], 0.6))
    others.sum().backward()
    assert all(parameter.grad is None for parameter in made.first.parameters())
    assert all(parameter.grad is not None for parameter in made.second.parameters())


def test_both_classifiers_are_as_published(seeing):
    made = acol.Method(seeing, 7, Options())
    for head in (made.first, made.second):
        shapes = [tuple(layer.weight.shape) for layer in head if isinstance(layer, nn.Conv2d)]
        assert shapes == [(1024, 3, 3, 3), (1024, 1024, 3, 3), (7, 1024, 1, 1)]

"""SPG: the three masks, what they ignore, who learns from which, and that maps need no branch."""

import numpy as np
import pytest
import torch
from torch import nn

from sightline.errors import UsageError
from sightline.methods import cam, spg
from sightline.methods.contract import given
from sightline.methods.heads import enlarged, scaled
from sightline.methods.spg import Options, published_width, regions


def test_what_is_high_is_object_what_is_low_background_and_between_ignored():
    scores = torch.tensor([[[0.0, 0.049, 0.05], [0.3, 0.7, 0.701], [0.9, 1.0, 0.5]]])
    expected = [[0, 0, 255], [255, 255, 1], [1, 1, 255]]
    assert regions(scores, 0.05, 0.7, 0)[0].tolist() == expected


def ramp(high_pixels):
    """Make an 8 x 8 map of .2 with some pixels of .9 and five of .65."""
    values = np.full(64, 0.2, np.float32)
    values[:high_pixels] = 0.9
    values[high_pixels : high_pixels + 5] = 0.65
    return torch.tensor(values).reshape(1, 8, 8)


@pytest.mark.parametrize(
    ("high_pixels", "objects"),
    [
        (30, 30),  # 30 are enough
        (29, 34),  # fewer: .7 of the maximum, .63, takes those of .65 too
    ],
)
def test_fewer_than_30_object_pixels_make_room_for_the_likely_ones(high_pixels, objects):
    mask = regions(ramp(high_pixels), 0.3, 0.7, 30)
    assert (mask == 1).sum() == objects
    assert (mask == 0).sum() == 64 - high_pixels - 5
    assert (mask == 255).sum() == 5 - (objects - high_pixels)


def test_the_room_is_made_for_each_image_by_itself():
    both = torch.cat([ramp(29), ramp(30)])
    mask = regions(both, 0.3, 0.7, 30)
    assert [(m == 1).sum().item() for m in mask] == [34, 30]


def test_background_wins_where_both_would_hold():
    scores = torch.tensor([[[0.5, 0.4], [0.36, 0.1]]])  # 30 wanted: object from .35 on
    assert regions(scores, 0.45, 0.9, 30)[0].tolist() == [[1, 0], [0, 0]]


def test_a_map_of_zeros_is_all_background_and_one_that_is_unsure_all_ignored():
    assert (regions(torch.zeros(1, 3, 3), 0.05, 0.7, 30) == 0).all()
    assert (regions(torch.full((1, 3, 3), 0.5), 0.05, 0.7, 0) == 255).all()
    assert (regions(torch.zeros(1, 3, 3), 0.0, 0.7, 30) == 255).all()


class Channel(nn.Module):
    """Takes a channel, stretched and shifted, for a branch's output."""

    def __init__(self, index, factor=1.0):
        super().__init__()
        self.index, self.factor = index, factor

    def forward(self, x):
        return self.factor * x[:, self.index : self.index + 1]


def with_known_branches(seeing, options):
    """B1 is channel 0, B2 twice channel 0 (the late stage doubles), C channel 2."""
    torch.manual_seed(0)
    method = spg.Method(seeing, 3, options)
    nn.init.normal_(method.classifier.weight)
    method.early, method.late = nn.Identity(), nn.Identity()
    method.shared, method.final = Channel(0), Channel(2)
    return method


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def mask_by_hand(scores, low, high, fewest):
    mask = []
    for image in scores:
        limit = high if (image > high).sum() >= fewest else 0.7 * image.max()
        mask.append([[_kind(s, low, limit) for s in row] for row in image])
    return np.array(mask, float)


def _kind(score, low, limit):
    if score < low:
        return 0
    return 1 if score > limit else np.nan


def bce(scores, mask):
    losses = np.where(mask == 1, -np.log(sigmoid(scores)), -np.log(1 - sigmoid(scores)))
    return losses[~np.isnan(mask)].mean()


OPTIONS = Options(
    low_b1=0.4, high_b1=0.6, low_b2=0.2, high_b2=0.7, low_c=0.45, high_c=0.55, fewest=3
)


@pytest.mark.parametrize("guided_by", ["label", "prediction"])
def test_each_branch_learns_the_mask_of_the_one_before(seeing, images, batch, guided_by):
    fields = {name: getattr(OPTIONS, name) for name in OPTIONS.__slots__}
    method = with_known_branches(seeing, Options(**{**fields, "guided_by": guided_by}))
    weight = method.classifier.weight.detach().double().numpy()
    x = images.double().numpy()
    scores = x.mean((2, 3)) @ weight.T
    labels = [1, 2]
    assert scores.argmax(1).tolist() != labels
    guiding = labels if guided_by == "label" else scores.argmax(1)
    class_map = np.stack([np.tensordot(weight[c], x[n], 1) for n, c in enumerate(guiding)])
    low, high = class_map.min((1, 2), keepdims=True), class_map.max((1, 2), keepdims=True)
    b1, b2, c = x[:, 0], 2 * x[:, 0], x[:, 2]
    expected = {
        "classification": np.mean(
            [np.log(np.exp(s).sum()) - s[y] for s, y in zip(scores, labels, strict=True)]
        ),
        "B2": bce(b2, mask_by_hand((class_map - low) / (high - low), 0.2, 0.7, 3)),
        "B1": bce(b1, mask_by_hand(sigmoid(b2), 0.4, 0.6, 3)),
        "C": bce(c, mask_by_hand((sigmoid(b1) + sigmoid(b2)) / 2, 0.45, 0.55, 3)),
    }
    step = method.step(batch(images, labels))
    assert {k: v.item() for k, v in step.parts.items()} == pytest.approx(expected, abs=1e-5)
    assert step.loss.item() == pytest.approx(sum(expected.values()), abs=1e-5)


def test_masks_are_made_at_the_size_of_the_image():
    """A 1 x 2 map of 0 and 1 becomes 0, 1/4, 3/4, 1 at twice the size: one pixel is unsure."""
    scores = torch.tensor([[[[0.0, 1.0]]]])
    attention = scaled(enlarged(scores, torch.zeros(1, 3, 1, 4)))
    assert regions(attention, 0.1, 0.7, 0).tolist() == [[[0, 255, 1, 1]]]


def test_masks_without_a_sure_pixel_cost_nothing(seeing, batch):
    unsure = Options(low_b1=0, high_b1=1, low_b2=0, high_b2=1, low_c=0, high_c=1, fewest=0)
    method = with_known_branches(seeing, unsure)
    step = method.step(batch(torch.ones(1, 3, 4, 4), [0]))
    assert step.parts["B1"] == step.parts["B2"] == step.parts["C"] == 0
    assert step.loss == step.parts["classification"]


def test_the_map_is_the_class_map_and_needs_no_branch(seeing, images):
    method = with_known_branches(seeing, Options())
    plain = cam.Method(seeing, 3, cam.Options())
    plain.classifier = method.classifier
    method.early = method.late = method.shared = method.final = None
    labels = given(torch.tensor([2, 0]))
    assert torch.equal(method.localize(images, labels).maps, plain.localize(images, labels).maps)


@pytest.mark.parametrize(("channels", "width"), [(512, 512), (1024, 1024), (768, 512), (12, 8)])
def test_branches_are_as_wide_as_published(channels, width):
    assert published_width(channels) == width


def test_a_chosen_width_is_that_of_all_branches(seeing):
    method = spg.Method(seeing, 2, Options(width=6))
    layers = [m for m in method.modules() if isinstance(m, nn.Conv2d)]
    assert [layer.out_channels for layer in layers] == [6, 6, 6, 1, 6, 1]


def test_a_high_threshold_below_its_low_one_is_refused():
    with pytest.raises(UsageError, match="--high-c"):
        Options(low_c=0.8, high_c=0.7)

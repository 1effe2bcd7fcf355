"""Maps are scaled, picked and enlarged, and pixels compared, as computed by hand."""

import numpy as np
import pytest
import torch

from sightline.methods.heads import enlarged, picked, pixel_loss, scaled


def test_maps_are_stretched_over_0_to_1_each_by_itself():
    maps = torch.tensor([[[0.0, 1.0], [2.0, 4.0]], [[-2.0, -2.0], [0.0, 2.0]]])
    expected = [[[0, 0.25], [0.5, 1]], [[0, 0], [0.5, 1]]]
    assert scaled(maps).tolist() == expected


@pytest.mark.parametrize("value", [0.0, -3.0, 1e30])
def test_a_map_that_is_the_same_everywhere_becomes_0(value):
    assert scaled(torch.full((1, 2, 2), value)).tolist() == [[[0, 0], [0, 0]]]


def test_each_image_gives_the_maps_of_its_own_labels():
    maps = torch.arange(12.0).reshape(2, 3, 1, 2)
    expected = [[[[4, 5]], [[0, 1]]], [[[6, 7]], [[8, 9]]]]
    assert picked(maps, torch.tensor([[2, 0], [0, 1]])).tolist() == expected


def test_enlarging_is_bilinear_between_the_centers_of_pixels():
    small = torch.tensor([[[[0.0, 4.0]]]])
    assert enlarged(small, torch.zeros(1, 3, 1, 4))[0].tolist() == [[0, 1, 3, 4]]


def test_pixels_that_are_ignored_do_not_count():
    scores = torch.tensor([[[2.0, -1.0], [0.5, 9.0]]])
    masks = torch.tensor([[[1, 0], [0, 255]]], dtype=torch.uint8)
    expected = (np.log1p(np.exp(-2)) + np.log1p(np.exp(-1)) + np.log1p(np.exp(0.5))) / 3
    assert pixel_loss(scores, masks).item() == pytest.approx(expected, abs=1e-6)


def test_where_all_pixels_are_ignored_the_loss_is_0_and_so_is_its_gradient():
    scores = torch.randn(1, 2, 2, requires_grad=True)
    loss = pixel_loss(scores, torch.full((1, 2, 2), 255))
    loss.backward()
    assert loss.item() == 0
    assert scores.grad is not None
    assert scores.grad.abs().sum() == 0

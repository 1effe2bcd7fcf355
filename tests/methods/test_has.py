"""Hide-and-seek: where cells lie, how many are hidden, and what the network then sees."""

import numpy as np
import pytest
import torch

from sightline.errors import UsageError
from sightline.methods import has
from sightline.methods.contract import given
from sightline.methods.has import Options, cell_sides, hidden_pixels


def dice(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("area", "height", "width", "sides"),
    [
        (1.0, 224, 224, (224, 224)),
        (0.0625, 224, 224, (56, 56)),
        (0.25, 224, 112, (112, 56)),
        (16 / 224**2, 224, 224, (4, 4)),
        (0.1, 224, 224, (71, 71)),  # sqrt(.1) 224 = 70.8
        (0.0, 224, 224, (0, 0)),
    ],
)
def test_the_side_of_a_cell_is_the_root_of_its_area(area, height, width, sides):
    assert cell_sides(Options(drop_area=area), height, width, dice()) == sides


def by_hand(drawn, side, height, width, rate):
    """Hide pixel by pixel, the cell looked up by division."""
    hidden = np.zeros((height, width), bool)
    for i in range(height):
        for j in range(width):
            hidden[i, j] = drawn[i // side, j // side] < rate
    return hidden


@pytest.mark.parametrize(
    ("options", "side", "cells"),
    [
        (Options(drop_area=0.25), 4, (2, 2)),
        (Options(grid="pixels", cell_pixels=3), 3, (3, 3)),  # the last cells are cut: 3, 3, 2
        (Options(grid="pixels", cell_pixels=1), 1, (8, 8)),
        (Options(grid="pixels", cell_pixels=50), 50, (1, 1)),
    ],
)
def test_cells_are_hidden_by_one_draw_each(options, side, cells):
    answer = hidden_pixels(torch.zeros(9, 3, 8, 8), options, dice(3)).numpy()
    again = dice(3)
    seen = set()
    for image in range(9):
        drawn = torch.rand(cells, generator=again).numpy()
        expected = by_hand(drawn, side, 8, 8, 0.5)
        assert (answer[image] == expected).all()
        seen.add(expected.tobytes())
    assert len(seen) > 1


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.7, 1.0])
def test_the_rate_is_the_share_of_cells_that_are_hidden(rate):
    options = Options(drop_rate=rate, drop_area=1 / 16)
    share = hidden_pixels(torch.zeros(250, 3, 16, 16), options, dice()).double().mean().item()
    spread = (rate * (1 - rate) / (250 * 16)) ** 0.5
    assert abs(share - rate) <= 4 * spread


@pytest.mark.parametrize("options", [Options(drop_area=0.0), Options(grid="pixels", cell_pixels=0)])
def test_no_cell_hides_nothing(options):
    assert not hidden_pixels(torch.zeros(3, 3, 8, 8), options, dice()).any()


def test_a_mixed_grid_draws_each_of_the_five_sides_for_each_image():
    options = Options(grid="mixed")
    generator = dice()
    sides = [cell_sides(options, 224, 224, generator)[0] for _ in range(500)]
    assert set(sides) == {0, 16, 32, 44, 56}
    assert all(70 < sides.count(side) < 130 for side in set(sides))


def test_hidden_pixels_are_0_in_every_channel_and_the_batch_stays_as_it_was(seeing, images, batch):
    method = has.Method(seeing, 2, Options(drop_area=1 / 4))
    kept = images.clone()
    features = method.features(batch(images, [0, 1], seed=5)).numpy()
    again = torch.Generator().manual_seed(5)
    for image in range(2):
        hidden = by_hand(torch.rand((2, 2), generator=again).numpy(), 2, 4, 4, 0.5)
        expected = np.where(hidden, 0, kept[image].numpy())
        assert (features[image] == expected).all()
    assert torch.equal(images, kept)


def test_maps_see_the_whole_image(seeing, images):
    method = has.Method(seeing, 2, Options(drop_rate=1.0, drop_area=1.0))
    maps = method.localize(images, given(torch.tensor([0, 1]))).maps
    weighted = (method.classifier.weight[0][:, None, None] * images[0]).sum(0)
    assert torch.allclose(maps[0, 0], weighted, atol=1e-6)


def test_the_loss_of_hidden_images(seeing, images, batch):
    method = has.Method(seeing, 2, Options(drop_rate=1.0, drop_area=1.0))
    assert method.step(batch(images, [0, 1])).loss.item() == pytest.approx(np.log(2), abs=1e-6)


@pytest.mark.parametrize(
    "wrong", [{"drop_rate": 1.1}, {"drop_area": -0.1}, {"grid": "cells"}, {"cell_pixels": -1}]
)
def test_what_is_not_feasible_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(UsageError, match=name.replace("_", "-")):
        Options(**wrong)

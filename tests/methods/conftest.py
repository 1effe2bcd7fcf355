"""A backbone whose features are the images themselves, so that everything follows by hand."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from sightline.backbones.contract import Backbone, Roles
from sightline.methods.contract import Batch

torch.set_num_threads(1)


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * x


@pytest.fixture
def seeing() -> Backbone:
    """Give stages that pass the three channels on: once as they are, once doubled and halved."""
    stages = {"early": nn.Identity(), "late": Doubled(), "last": Halved()}
    roles = Roles(erasing=("early", "last"), side=("early", "late"))
    return Backbone(stages, dict.fromkeys(stages, 3), roles, resolution=4, input_size=4)


class Halved(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x / 2


@pytest.fixture
def batch() -> Callable[..., Batch]:
    """Make a batch of images and labels, with a generator that is seeded."""

    def make(images: Tensor, labels: list[int], seed: int = 0, masks: Tensor | None = None):
        dice = torch.Generator().manual_seed(seed)
        return Batch(images, torch.tensor(labels), dice, masks)

    return make


@pytest.fixture
def images() -> Tensor:
    """Give two images of 4 x 4 with three channels."""
    return torch.randn(2, 3, 4, 4, generator=torch.Generator().manual_seed(7))

import pytest
import torch

from sightline.attribution import occlusion
from sightline.attribution.networks import ModuleNetwork
from sightline.errors import UsageError


class Watching(torch.nn.Module):
    """Its first answer is the sum of one pixel; its second one is always the same."""

    def forward(self, images):
        seen = images[:, :, 5, 20].sum(1)
        return torch.stack([seen, torch.ones_like(seen)], 1)


def explained(label, **options):
    image = torch.zeros(1, 3, 24, 30)
    image[0, :, 5, 20] = 1.0
    network = ModuleNetwork(Watching())
    return occlusion.explain(network, image, torch.tensor([label]), occlusion.Options(**options))[0]


def test_the_score_falls_where_the_patch_hides_what_counts():
    fall = explained(0, patch=0.2, steps=9)
    assert fall.shape == (24, 30)
    assert fall[5, 20] == pytest.approx(3 * (1 - 1 / 720))  # hidden pixels get the mean colour
    assert fall[20, 2] == 0
    assert fall.argmax() == 5 * 30 + 20 or fall[5, 20] == fall.max()


def test_a_label_that_does_not_look_gives_a_constant_map():
    assert torch.equal(explained(1), torch.zeros(24, 30, dtype=torch.float64))


def test_patches_cover_the_image():
    for height, width in ((24, 30), (7, 224), (224, 224)):
        for options in (occlusion.Options(), occlusion.Options(patch=0.02, steps=5)):
            times = torch.zeros(height, width)
            for rows, columns in occlusion.patches(height, width, options):
                times[rows, columns] += 1
            assert times.min() >= 1
            assert times[0, 0] == times[-1, -1] == 1


def test_options_out_of_range_are_refused():
    with pytest.raises(UsageError, match="--patch"):
        occlusion.Options(patch=0)
    with pytest.raises(UsageError, match="--steps"):
        occlusion.Options(steps=1)

"""The family of CAM on features and gradients that are chosen by hand."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from sightline.attribution import cam, eigen_cam, grad_cam, grad_cam_plus_plus, layer_cam, score_cam
from sightline.attribution.networks import ModuleNetwork
from sightline.attribution.stages import features_and_gradients
from sightline.errors import UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)

LABELS = torch.tensor([0, 3, 4])
WEIGHTS = torch.tensor([[[1.0, -2], [3, 0]], [[-1.0, 0.5], [0, 2]]])  # of class 0, for 2 channels


class Known(nn.Module):
    """Features are the first two channels; the score's gradients are what is written above."""

    def __init__(self):
        super().__init__()
        self.stage = nn.Identity()

    def forward(self, images):
        features = self.stage(images[:, :2])
        first = (features * WEIGHTS).sum((1, 2, 3))
        return torch.stack([first, features.mean((1, 2, 3))], 1)


IMAGE = torch.tensor([[[[1.0, 2], [0, 4]], [[3.0, 0], [1, 2]], [[0.0, 0], [0, 0]]]])


def explained(module, network=None, images=IMAGE, labels=None, layer="stage", **options):
    labels = torch.tensor([0]) if labels is None else labels
    wrapped = ModuleNetwork((network or Known()).eval(), layer)
    return module.explain(wrapped, images, labels, module.Options(**options))


def test_features_and_gradients_are_those_of_the_stage():
    features, gradients = features_and_gradients(
        ModuleNetwork(Known(), "stage"), IMAGE, torch.tensor([0]), "logit"
    )
    assert torch.equal(features, IMAGE[:, :2])
    assert torch.equal(gradients[0], WEIGHTS)


def test_grad_cam_is_cam_cut_off_at_zero():
    plain = explained(cam)
    wanted = 0.5 * IMAGE[0, 0] + 0.375 * IMAGE[0, 1]  # the mean gradients are 2/4 and 1.5/4
    torch.testing.assert_close(plain[0], wanted)
    network, images = nets.pooled(), nets.images()
    signed = explained(cam, network, images, LABELS, "late")
    assert signed.min() < 0
    assert torch.equal(explained(grad_cam, network, images, LABELS, "late"), signed.clamp(min=0))
    assert torch.equal(explained(grad_cam, network, images, LABELS, "late", cut=False), signed)


def test_layer_cam_weights_every_cell_by_its_positive_gradient():
    wanted = [[1.0, 0 + 0], [0, 0 + 4]]  # 1*1 + 0*3, 0*2 + .5*0, 3*0 + 0*1, 0*4 + 2*2
    assert explained(layer_cam)[0].tolist() == wanted


def test_grad_cam_plus_plus_by_its_formula():
    wanted = torch.zeros(2, 2, dtype=torch.float64)
    for channel in range(2):
        a, weight = IMAGE[0, channel].double(), 0.0
        for g in WEIGHTS[channel].flatten().double():
            if g != 0:
                weight += max(0.0, g) * g**2 / (2 * g**2 + g**3 * a.sum())
        wanted += weight * a
    torch.testing.assert_close(explained(grad_cam_plus_plus)[0].double(), wanted, rtol=1e-4, atol=0)


def test_score_cam_tries_every_channel_as_a_mask():
    masks = [IMAGE[0, 0] / 4, IMAGE[0, 1] / 3]
    scores = torch.stack([Known()(IMAGE * mask)[0, 0] for mask in masks])
    weights = scores.softmax(0)
    wanted = weights[0] * IMAGE[0, 0] + weights[1] * IMAGE[0, 1]
    torch.testing.assert_close(explained(score_cam, limit=0)[0], wanted)


def test_score_cam_s_limit_bounds_the_forward_passes_and_keeps_the_most_active():
    class Counting(Known):
        passes = 0

        def forward(self, images):
            Counting.passes += len(images)
            return super().forward(images)

    made = explained(score_cam, Counting(), limit=1)
    assert Counting.passes == 1 + 1  # the features, and one channel
    assert torch.equal(made[0], IMAGE[0, 0])  # its sum is 7, the other's 6


def test_score_cam_in_half_precision_survives_a_channel_that_is_empty():
    image = IMAGE.clone()
    image[:, 1] = 0
    made = explained(score_cam, Known().half(), image)
    assert torch.isfinite(made).all()
    wanted = explained(score_cam, Known(), image)
    torch.testing.assert_close(made.float(), wanted, rtol=1e-2, atol=1e-2)


def test_eigen_cam_is_the_first_singular_vector_with_the_sign_of_the_features():
    network, images = nets.pooled(), nets.images()
    with torch.no_grad():
        features = network.late(torch.relu(network.early(images)))
    for centered in (False, True):
        made = explained(eigen_cam, network, images, LABELS, "late", centered=centered)
        for one, map_ in zip(features.double().numpy(), made.numpy(), strict=True):
            cells = one.reshape(8, -1).T
            summed = cells.sum(1)
            if centered:
                cells, summed = cells - cells.mean(0), summed - summed.mean()
            u, s, _ = np.linalg.svd(cells, full_matrices=False)
            first = u[:, 0] * s[0]
            first = first * np.sign(first @ summed)
            np.testing.assert_allclose(map_.ravel(), first, atol=1e-5)
            assert map_.ravel() @ summed > 0


def test_eigen_cam_on_a_grid_with_more_cells_than_channels_and_the_reverse():
    class Wide(nn.Module):
        def __init__(self):
            super().__init__()
            self.stage = nn.Conv2d(3, 90, 8, stride=8)

        def forward(self, images):
            return self.stage(images).mean((2, 3))

    network, images = Wide(), nets.images()
    made = explained(eigen_cam, network, images)[0].detach().numpy().ravel()
    cells = network.stage(images)[0].detach().double().numpy().reshape(90, -1).T
    u, s, _ = np.linalg.svd(cells, full_matrices=False)
    assert abs(made @ u[:, 0]) == pytest.approx(s[0], rel=1e-6)
    assert np.linalg.norm(made) == pytest.approx(s[0], rel=1e-6)


def test_the_backbone_is_not_recorded_which_saves_its_memory():
    seen = {}

    class Noting(nets.Pooled):
        def forward(self, images):
            early = torch.relu(self.early(images))
            seen["early"] = early.requires_grad
            features = self.act(self.late(early))
            seen["late"] = features.requires_grad
            return self.head(features.mean((2, 3)))

    explained(cam, Noting(), nets.images(), LABELS, "late")
    assert seen == {"early": False, "late": True}
    assert torch.is_grad_enabled()


def test_labels_out_of_range_are_refused():
    for module in (cam, grad_cam, layer_cam, score_cam):
        with pytest.raises(UsageError, match="label 7 is out of range"):
            explained(module, labels=torch.tensor([7]))

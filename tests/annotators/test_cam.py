"""A classifier's map as an annotator's answer."""

import numpy as np
import pytest

from sightline.annotators import cam
from sightline.annotators.classifier import Asking, Classifier
from sightline.annotators.contract import Heat, Item, Region
from sightline.errors import UsageError
from sightline.types import Split

SPLIT = Split("own", "val", ("a",), ("a",), np.array([1]), np.array([[80, 60]]), ("house", "tabby"))


def picture():
    image = np.random.default_rng(0).integers(0, 90, (60, 80, 3), np.uint8)
    image[20:45, 30:60] = (220, 160, 60)
    return image


@pytest.fixture(scope="module")
def seen():
    return Classifier(Asking(), SPLIT).see(picture(), 1).scores


def test_the_map_is_the_classifier_s(seen):
    source = cam.open(cam.Options(), SPLIT)
    made = source.propose(picture(), Item("a", 1, "tabby"))
    assert isinstance(made, Heat)
    np.testing.assert_array_equal(made.scores, seen)
    assert source.origin == {"classifier": "efficientnet-lite0, imagenet"}


@pytest.mark.parametrize("threshold", [0.2, 0.6])
def test_a_threshold_makes_a_mask(seen, threshold):
    made = cam.open(cam.Options(threshold=threshold), SPLIT).propose(picture(), Item("a", 1))
    assert isinstance(made, Region)
    np.testing.assert_array_equal(made.inside, seen >= threshold)


def test_a_run_that_is_none(tmp_path):
    with pytest.raises(UsageError) as caught:
        cam.open(cam.Options(run=str(tmp_path / "absent")), SPLIT)
    assert str(tmp_path / "absent") in str(caught.value)
    assert "\n" not in str(caught.value)

"""Anything that explains can be used; what is none is refused by name."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

import sightline as sl
from sightline.attribution.adapters import adapted
from sightline.attribution.smoothing import as_maps
from sightline.errors import DataError, UsageError

spec = importlib.util.spec_from_file_location("nets", Path(__file__).parent / "networks.py")
nets = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nets)
LABELS = torch.tensor([0, 3, 4])


def through(explain, **options):
    return sl.localize(nets.pooled(), nets.images(), LABELS, method=explain, **options)


def test_a_callable_s_maps_go_through_the_papers_chain():
    seen = []

    def brightness(images, labels):
        seen.append(labels.tolist())
        return images.mean(1)[:, ::4, ::4].numpy()

    made = through(brightness, batch=2)
    assert seen == [[0, 3], [4]]
    raw = nets.images().mean(1)[:, ::4, ::4].numpy()
    np.testing.assert_allclose(made, [sl.prepare(one, size=32) for one in raw], atol=1e-6)


def test_options_of_a_callable_go_to_its_call():
    made = through(lambda images, labels, power: images[:, 0] ** power, power=2)
    wanted = through(lambda images, labels: images[:, 0] ** 2)
    assert np.array_equal(made, wanted)


def test_channels_become_one_and_are_smoothed_as_asked():
    pixels = nets.images()
    for channels in ("sum-abs", "max-abs", "sum"):
        explain = adapted(lambda images, labels: pixels, {"channels": channels, "blur": 5})
        assert torch.equal(explain(pixels, LABELS), as_maps(pixels, channels, 5, 0))
    single = adapted(lambda images, labels: -pixels[:, :1], {})  # a map with a channel keeps signs
    assert torch.equal(single(pixels, LABELS), -pixels[:, 0])


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (torch.zeros(2, 8, 8), UsageError, r"gave \(2, 8, 8\) where \(3, h, w\).*at image 0"),
        (torch.zeros(8, 8), UsageError, r"gave \(8, 8\)"),
        (torch.zeros(3, 3, 8, 8, 8), UsageError, r"gave \(3, 3, 8, 8, 8\)"),
        ("a map", UsageError, "gave str where maps"),
        (None, UsageError, "gave NoneType where maps"),
        (torch.tensor([[[1.0]], [[float("nan")]], [[0.0]]]), DataError, "image 1: map holds NaN"),
        (torch.tensor([[[1.0]], [[0.0]], [[float("inf")]]]), DataError, "image 2"),
    ],
)
def test_what_is_no_map_is_named(given, error, said):
    with pytest.raises(error, match=said):
        through(lambda images, labels: given)


def test_what_explains_nothing_is_refused():
    with pytest.raises(UsageError, match="int explains nothing"):
        through(3)


def test_an_unknown_option_of_a_registered_explainer_is_refused():
    with pytest.raises(UsageError, match="explainer 'vb' has no option 'samples'; it has target"):
        through("vb", samples=3)
    with pytest.raises(UsageError, match="explainer 'cam' has no option 'blur'; it has none"):
        through("cam", blur=3)

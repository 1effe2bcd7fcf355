"""A method is put on a backbone by name, and what cannot be built is refused in a line."""

import pytest
import torch

from sightline import registry
from sightline.errors import UsageError
from sightline.methods import adl, assembly, has, random


class Body:
    """Stands for a backbone's file."""

    RESOLUTIONS = (4, 8)

    def __init__(self, backbone):
        self.backbone, self.asked = backbone, []

    def build(self, *, resolution, design):
        self.asked.append((resolution, design))
        return self.backbone


@pytest.fixture
def body(seeing, monkeypatch):
    """Register a backbone for the time of a test."""
    made, load = Body(seeing), registry.load
    monkeypatch.setattr(
        registry, "load", lambda kind, name: made if kind == "backbone" else load(kind, name)
    )
    return made


def test_a_method_gets_the_backbone_that_it_asks_for(body):
    method = assembly.build("adl", "seeing", 7, options={"drop_rate": 0.25})
    assert isinstance(method, adl.Method)
    assert method.options == adl.Options(drop_rate=0.25)
    assert (method.classes, method.classifier.out_features) == (7, 7)
    assert body.asked == [(4, adl.Method.design)]
    assembly.build("adl", "seeing", 7, resolution=8)
    assert body.asked[1][0] == 8


def test_options_are_an_object_or_a_mapping_or_the_defaults(body):
    chosen = has.Options(drop_rate=0.1)
    assert assembly.build("has", "seeing", 2, options=chosen).options is chosen
    assert assembly.build("has", "seeing", 2).options == has.Options()
    assert isinstance(assembly.build("random", "seeing", 2), random.Method)


def test_the_seed_decides_the_weights(body):
    weights = []
    for seed in (3, 3, 4):
        torch.manual_seed(seed)
        weights.append(assembly.build("cam", "seeing", 3).classifier.weight)
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"method": "camm"}, "unknown method 'camm'; did you mean cam"),
        ({"resolution": 5}, "backbone 'seeing' has no resolution 5; choose 4 or 8"),
        ({"classes": 0}, "0 classes"),
        ({"options": {"drop_rat": 1}}, "no option 'drop_rat'; did you mean 'drop_rate'"),
        ({"options": {"xyz": 1}}, "no option 'xyz'; known: drop_rate"),
        ({"options": {"drop_rate": 3}}, "--drop-rate: 3 is not from 0 to 1"),
        ({"method": "cam", "options": {"xyz": 1}}, "known: none"),
    ],
)
def test_what_cannot_be_built_is_refused(body, words, said):
    asked = {"method": "has", "backbone": "seeing", "classes": 2, **words}
    with pytest.raises(UsageError, match=said):
        assembly.build(**asked)


def test_an_unknown_backbone_is_refused():
    with pytest.raises(UsageError, match="unknown backbone 'vgg61'"):
        assembly.build("cam", "vgg61", 2)

"""Published weights land where they belong, and give the answers of other implementations."""

import pytest
import torch

from sightline.backbones import assembly
from sightline.backbones.contract import Design

from . import others
from .known import CASES, KEPT, TABLES, answers, image, shapes, weights

LEFT_OUT = {
    "torchvision-vgg16": {
        f"classifier.{n}.{kind}" for n in (0, 3, 6) for kind in ("weight", "bias")
    },
    "torchvision-inception_v3": {"fc.weight", "fc.bias"},
}
GOES_ON = ("Mixed_7", "AuxLogits")  # what Inception has behind its features


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def ours(name):
    """Give our names and shapes, without new layers."""
    with torch.device("meta"):
        state = assembly.build(name, design=Design(neck="none")).state_dict()
    return {k: tuple(v.shape) for k, v in state.items()}


@pytest.mark.parametrize("table", TABLES)
def test_every_published_tensor_has_its_place(table):
    name = TABLES[table]
    module, known = assembly.module_of(name), shapes(table)
    published = {k: torch.empty(shape, device="meta") for k, shape in known.items()}
    found = module.reorganized(published)
    placed = {k: tuple(v.shape) for k, v in found.items() if k.startswith("stages.")}
    assert placed == ours(name)
    if table != "timm-lite0":  # timm lists projections before what it lists last
        assert list(placed) == list(ours(name))
    classifier = {k: tuple(v.shape) for k, v in found.items() if k not in placed}
    channels = {"resnet50": 2048, "efficientnet-lite0": 1280}.get(name)
    expected = {"classifier.weight": (1000, channels), "classifier.bias": (1000,)}
    assert classifier == (expected if channels else {})
    rest = {k for k, v in published.items() if not any(v is kept for kept in found.values())}
    assert {k for k in rest if not k.startswith(GOES_ON)} == LEFT_OUT.get(table, set())


@pytest.mark.parametrize("name", sorted(set(TABLES.values())))
def test_unknown_names_stay(name):
    strange = {"queue": torch.zeros(1), "layer9.0.weight": torch.zeros(1)}
    assert assembly.module_of(name).reorganized(strange).keys() == strange.keys()


@torch.no_grad()
def answered(naming, side):
    """Give our mean features, or for ResNet logits, with the weights and image of the answers."""
    name = TABLES[naming]
    module = assembly.module_of(name)
    with torch.device("meta"):
        backbone = module.build(resolution=side, design=Design(neck="none")).eval()
    backbone.to_empty(device="cpu")
    tensors = weights(shapes(naming))
    found = module.reorganized(tensors)
    classifier = {k: found.pop(k) for k in list(found) if k.startswith("classifier.")}
    backbone.load_state_dict(found)
    features = backbone(image()).last.mean((2, 3))
    if classifier:
        features = features @ classifier["classifier.weight"].T + classifier["classifier.bias"]
    return features[0], tensors


@pytest.mark.parametrize(("naming", "side"), CASES)
def test_answers_are_those_that_torchvision_gave(naming, side):
    found, _ = answered(naming, side)
    wanted = torch.tensor(answers()[f"{naming} {side}"])
    assert wanted.std() > 1e-3
    torch.testing.assert_close(found[:KEPT], wanted, rtol=1e-3, atol=1e-4 * wanted.abs().max())


@pytest.mark.parametrize(("naming", "side"), CASES)
def test_answers_are_torchvisions_where_it_is_installed(naming, side):
    try:
        others.torchvision_networks()
    except ImportError:
        pytest.skip("needs torchvision")
    found, tensors = answered(naming, side)
    wanted = others.answer(naming, side, tensors, image())
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5 * wanted.abs().max())

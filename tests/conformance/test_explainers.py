"""Every explainer gives one sound map an image, and leaves the network as it was."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import sightline as sl
from sightline import registry
from sightline.attribution.networks import ModuleNetwork
from sightline.errors import UsageError
from sightline.methods.assembly import build

EXPLAINERS = [entry.name for entry in registry.describe("explainer") if entry.source == "sightline"]
FEW = {"samples": 4}  # N = 50 is the default, and takes its time


def convolutional() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, 2, 1),
        nn.BatchNorm2d(6),
        nn.ReLU(inplace=True),
        nn.Conv2d(6, 8, 3, 2, 1),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(8, 4),
    )


class Transformer(nn.Module):
    """Patches of 8 pixels, a class token, two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 16))
        self.places = nn.Parameter(torch.randn(1, 31, 16))
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 4)

    def forward(self, images: Tensor) -> Tensor:
        patches = self.patches(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(images), -1, -1), patches], 1)
        scores: Tensor = self.head(self.layers(tokens + self.places)[:, 0])
        return scores


def transformer() -> nn.Module:
    torch.manual_seed(0)
    return Transformer()


def vision_transformer() -> nn.Module:
    """Make one of another library, whose answer is wrapped."""
    library = pytest.importorskip("transformers", reason="needs transformers")
    torch.manual_seed(0)
    config = library.ViTConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        image_size=(40, 48),
        patch_size=8,
        num_labels=4,
        initializer_range=0.3,
    )
    module: nn.Module = library.ViTForImageClassification(config)
    return module


def trained() -> nn.Module:
    """Make CAM's network on our own transformer, which has attention, a stage and a ReLU."""
    torch.manual_seed(0)
    return build("cam", "small-vit", 4)


def defined(name: str, kind: str) -> bool:
    if kind == "trained":
        return True
    needs = registry.load("explainer", name).NEEDS
    guided = name.endswith("gb")
    return needs != "attention" if kind == "convolutional" else needs != "stages" and not guided


NETWORKS = {
    "convolutional": convolutional,
    "transformer": transformer,
    "vision-transformer": vision_transformer,
    "trained": trained,
}
CASES = [(name, kind) for name in EXPLAINERS for kind in NETWORKS if defined(name, kind)]
UNDEFINED = [(n, kind) for n in EXPLAINERS for kind in NETWORKS if not defined(n, kind)]
over_cases = pytest.mark.parametrize(("name", "kind"), CASES)


def options(name: str) -> dict[str, int]:
    known = registry.load("explainer", name).Options.__dataclass_fields__
    return {option: value for option, value in FEW.items() if option in known}


@over_cases
def test_it_gives_the_same_finite_maps_twice_and_changes_nothing(name: str, kind: str) -> None:
    module, images = NETWORKS[kind]().train(), torch.randn(3, 3, 40, 48)
    before = {key: value.clone() for key, value in module.state_dict().items()}
    first, second = (
        sl.localize(module, images, [0, 1, 3], method=name, **options(name)) for _ in range(2)
    )
    assert first.shape == (3, 40, 48)
    assert first.tobytes() == second.tobytes()
    assert first.min() == 0
    assert first.max() == 1
    assert all(part.training for part in module.modules())
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items())
    assert all(parameter.grad is None for parameter in module.parameters())
    assert all(parameter.requires_grad for parameter in module.parameters())
    assert not any(part._forward_hooks or part._backward_hooks for part in module.modules())


@over_cases
def test_an_image_s_map_does_not_depend_on_its_batch(name: str, kind: str) -> None:
    module, images = NETWORKS[kind]().eval(), torch.randn(3, 3, 40, 48)
    together = sl.localize(module, images, [0, 1, 3], method=name, **options(name))
    apart = sl.localize(module, images, [0, 1, 3], method=name, batch=1, **options(name))
    np.testing.assert_allclose(together, apart, atol=1e-4)


@over_cases
def test_another_label_gives_another_map_unless_it_says_so(name: str, kind: str) -> None:
    module, images = NETWORKS[kind]().eval(), torch.randn(1, 3, 40, 48)
    maps = [
        sl.localize(module, images, [label], method=name, **options(name)) for label in range(4)
    ]
    same = all(np.array_equal(maps[0], other) for other in maps[1:])
    assert same == getattr(registry.load("explainer", name), "ANY_LABEL", False)


@over_cases
def test_half_precision_gives_maps_too(name: str, kind: str) -> None:
    module, images = NETWORKS[kind]().eval().to(torch.bfloat16), torch.randn(2, 3, 40, 48)
    made = sl.localize(module, images, [0, 1], method=name, **options(name))
    assert made.shape == (2, 40, 48)
    assert (made.min(), made.max()) == (0, 1)
    assert all(parameter.dtype == torch.bfloat16 for parameter in module.parameters())


@over_cases
def test_a_label_out_of_range_is_refused(name: str, kind: str) -> None:
    with pytest.raises(UsageError, match="label 4 is out of range: the network has 4 classes"):
        sl.localize(NETWORKS[kind](), torch.randn(2, 3, 40, 48), [0, 4], method=name)


@pytest.mark.parametrize(("name", "kind"), UNDEFINED)
def test_where_it_is_not_defined_it_says_so(name: str, kind: str) -> None:
    with pytest.raises(UsageError, match=r"choose|another"):
        sl.localize(NETWORKS[kind](), torch.randn(2, 3, 40, 48), [0, 1], method=name)


@pytest.mark.parametrize("name", EXPLAINERS)
def test_its_needs_and_options_are_stated(name: str) -> None:
    module = registry.load("explainer", name)
    assert module.NEEDS in ("answers", "gradients", "stages", "attention")
    assert module.Options() == module.Options()
    build = next(NETWORKS[kind] for which, kind in CASES if which == name)
    images, labels = torch.randn(2, 3, 40, 48), torch.tensor([0, 1])
    chosen = module.Options(**options(name))
    raw = module.explain(ModuleNetwork(build().eval()), images, labels, chosen)
    assert raw.dim() == 3
    assert len(raw) == 2

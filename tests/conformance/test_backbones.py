"""Every backbone, at every side of its maps and for every design, is what the contract says."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest
import torch
from torch import nn

from sightline import registry
from sightline.backbones import assembly, weights
from sightline.backbones.contract import Backbone, Design, Normalization
from sightline.errors import SightlineError, UsageError

NAMES = registry.names("backbone")
DESIGNS = [
    Design(neck=neck, pooling=pooling, dropout=dropout, activation=activation)
    for neck, pooling, dropout, activation in product(
        ("none", "class-maps", "guided"),
        ("plain", "overlapping"),
        (True, False),
        ("relu", "leaky"),
    )
]
SIDES = [(name, side) for name in NAMES for side in assembly.module_of(name).RESOLUTIONS]
SMALL = 64  # pixels; large networks are slow at their own size


def small(name: str) -> int:
    return min(SMALL, assembly.module_of(name).INPUT_SIZE)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@cache
def made(name: str, side: int) -> Backbone:
    torch.manual_seed(0)
    return assembly.build(name, resolution=side).eval()


def on_no_device(name: str, side: int, design: Design) -> Backbone:
    """Make the network without values, at no cost."""
    with torch.device("meta"):
        return assembly.build(name, resolution=side, design=design)


@cache
def different(name: str, side: int) -> list[tuple[Design, Backbone]]:
    """Give the networks that differ, each with the first design that asks for it."""
    made = [(design, on_no_device(name, side, design).eval()) for design in DESIGNS]
    return list({f"{b.stages} {b.roles}": (design, b) for design, b in reversed(made)}.values())


class Kept(nn.Module):
    """Lets features through, and keeps a copy."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.found = x.detach().clone()
        return x


class Net(nn.Module):
    """What parameters of a method are called."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.classifier = nn.Linear(backbone.last_channels, 5)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_says_what_there_is(name: str) -> None:
    module = assembly.module_of(name)
    assert len(set(module.RESOLUTIONS)) == len(module.RESOLUTIONS) >= 1
    assert issubclass(getattr(module, "KIND", Backbone), Backbone)
    assert all(module.INPUT_SIZE % side == 0 for side in module.RESOLUTIONS)
    assert isinstance(module.NORMALIZATION, Normalization)
    assert all(p.startswith(("https://", "package:")) for p in module.PUBLISHED.values())
    with pytest.raises(UsageError, match="choose"):
        module.build(resolution=5, design=Design())
    default = on_no_device(name, module.RESOLUTIONS[0], Design())
    assert default.normalization == module.NORMALIZATION
    assert default.input_size == module.INPUT_SIZE
    assert type(default) is getattr(module, "KIND", Backbone)


@pytest.mark.parametrize(("name", "side"), SIDES)
def test_sides_and_channels_are_as_promised_for_every_design(name: str, side: int) -> None:
    size = assembly.module_of(name).INPUT_SIZE
    for design, backbone in different(name, side):
        names = backbone.stage_names
        assert backbone.resolution == side
        assert tuple(backbone.channels) == names
        for pixels, wanted in ((size, side), (2 * size, 2 * side)):
            images = torch.empty(1, 3, pixels, pixels, device="meta")
            features = backbone(images, taps=names)
            assert features.last.shape == (1, backbone.last_channels, wanted, wanted), design
            assert {k: v.shape[1] for k, v in features.taps.items()} == backbone.channels
            assert features.taps[names[-1]] is features.last


@pytest.mark.parametrize(("name", "side"), SIDES)
def test_roles_name_real_stages_in_order(name: str, side: int) -> None:
    for design, backbone in different(name, side):
        names = backbone.stage_names
        roles = backbone.roles
        for chosen in (roles.erasing, roles.side, roles.relating, roles.new):
            assert set(chosen) <= set(names), design
            assert [names.index(stage) for stage in chosen] == sorted(map(names.index, chosen))
        assert len(backbone.roles.erasing) >= 2
        assert len(set(backbone.roles.side)) == 2


@pytest.mark.parametrize(("name", "side"), SIDES)
def test_the_gradient_of_a_map_reaches_every_pixel_and_parameter(name: str, side: int) -> None:
    backbone, size = made(name, side), small(name)
    images = torch.randn(2, 3, size, size, requires_grad=True)
    stage = backbone.roles.erasing[0]
    kept = Kept()
    features = backbone(images, taps=[stage], after={stage: kept})
    assert torch.equal(features.taps[stage], kept.found)  # later stages did not overwrite it
    features.last.square().sum().backward()
    assert images.grad is not None
    assert images.grad.isfinite().all()
    assert (images.grad != 0).float().mean() > 0.9
    assert all(p.grad is not None for p in backbone.parameters())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_put_behind_a_stage_changes_what_follows(name: str) -> None:
    backbone, size = made(name, min(assembly.module_of(name).RESOLUTIONS)), small(name)
    images = torch.randn(1, 3, size, size)
    stage = backbone.roles.erasing[1]
    plain = backbone(images, taps=[stage])
    same = backbone(images, taps=[stage], after={stage: nn.Identity()})
    changed = backbone(images, taps=[stage], after={stage: nn.Threshold(1e9, 0)})
    assert torch.equal(plain.last, same.last)
    assert not changed.taps[stage].any()
    assert not torch.equal(plain.last, changed.last)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", assembly.RULES)
def test_fast_layers_are_some_and_include_the_classifier(name: str, rule: str) -> None:
    module = assembly.module_of(name)
    for design, backbone in different(name, module.RESOLUTIONS[0]):
        names = [parameter for parameter, _ in Net(backbone).named_parameters()]
        fast = module.fast_layers(names, rule)
        assert set() < fast < set(names), design
        assert {"classifier.weight", "classifier.bias"} <= fast
        assert {n for n in names if assembly.stage_of(n) in backbone.roles.new} <= fast
        assert assembly.of_stages(names, [backbone.stage_names[0]]) & fast == set()
    with pytest.raises(UsageError, match="paper or released"):
        module.fast_layers(names, "another")


@pytest.mark.parametrize("name", NAMES)
def test_own_weights_make_a_round_trip(name: str, tmp_path) -> None:
    one = Net(made(name, assembly.module_of(name).RESOLUTIONS[0]))
    file = tmp_path / "weights.pth"
    torch.save(one.state_dict(), file)
    with torch.device("meta"):
        other = Net(assembly.build(name)).to_empty(device="cpu")
    report = weights.fill(other, weights.read(name, str(file)), whole=True)
    assert set(report.loaded) == set(one.state_dict())
    assert all(torch.equal(v, other.state_dict()[k]) for k, v in one.state_dict().items())


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_every_other_backbone_are_refused(name: str, tmp_path) -> None:
    for other in NAMES:
        if other != name:
            backbone = on_no_device(other, assembly.module_of(other).RESOLUTIONS[0], Design())
            file = tmp_path / f"{other}.pth"
            state = backbone.state_dict()
            torch.save({k: torch.zeros(()).expand(v.shape) for k, v in state.items()}, file)
            with pytest.raises(SightlineError, match=f"looks like {other}"):
                weights.read(name, str(file))

"""What the files of backbones are put together with, and a backbone by its name."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import cast

from torch import Tensor, nn

from sightline import registry
from sightline.backbones.contract import Backbone, BackboneModule, Design, Initialization
from sightline.errors import UsageError

RULES = ("paper", "released")  # which layers learn ten times faster
OF_BACKBONE = "backbone.stages."


def module_of(name: str) -> BackboneModule:
    """Import the file of a backbone."""
    return cast(BackboneModule, registry.load("backbone", name))


def build(name: str, *, resolution: int | None = None, design: Design | None = None) -> Backbone:
    """Make a backbone with random weights.

    Args:
        name: as registered.
        resolution: side of its features at its input size; its default if None.
        design: what the method asks for.
    """
    module = module_of(name)
    side = module.RESOLUTIONS[0] if resolution is None else resolution
    return module.build(resolution=side, design=design or Design())


def refuse_other_than(known: tuple[int, ...], resolution: int) -> None:
    """Refuse a resolution that a backbone does not have."""
    if resolution not in known:
        choices = " or ".join(map(str, sorted(known)))
        raise UsageError(f"no feature maps of side {resolution} here; choose {choices}")


def initialize(network: nn.Module, how: Initialization) -> None:
    """Fill layers with random values as the papers' code does.

    Convolutions are normal with He's deviation for the outputs (`kaiming`) or uniform with Glorot's
    (`xavier`), linear layers normal with deviation .01; biases are zero.
    """
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d) and how == "kaiming":
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(layer, nn.Conv2d):
            nn.init.xavier_uniform_(layer.weight)
        elif isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, 0, 0.01)
        elif isinstance(layer, nn.BatchNorm2d):
            nn.init.ones_(layer.weight)
        if isinstance(layer, nn.Conv2d | nn.Linear | nn.BatchNorm2d) and layer.bias is not None:
            nn.init.zeros_(layer.bias)


def reorganize(
    published: Mapping[str, Tensor], rename: Callable[[str], str | None]
) -> dict[str, Tensor]:
    """Rename tensors; those without a name are left out."""
    named = ((rename(name), tensor) for name, tensor in published.items())
    return {name: tensor for name, tensor in named if name is not None}


def of_the_method(names: Iterable[str]) -> set[str]:
    """Choose the parameters that do not belong to the backbone."""
    return {name for name in names if not name.startswith("backbone.")}


def of_stages(names: Iterable[str], stages: Collection[str]) -> set[str]:
    """Choose the parameters of some stages."""
    return {name for name in names if stage_of(name) in stages}


def stage_of(name: str) -> str:
    """Name the stage that a parameter belongs to; none for those of the method."""
    if not name.startswith(OF_BACKBONE):
        return ""
    return name.removeprefix(OF_BACKBONE).partition(".")[0]


def refuse_unknown_rule(rule: str) -> None:
    """Refuse a rule for the fast layers that nobody wrote down."""
    if rule not in RULES:
        raise UsageError(f"unknown rule '{rule}' for the fast layers; choose {' or '.join(RULES)}")

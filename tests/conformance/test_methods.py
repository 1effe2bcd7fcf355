"""Every method on every backbone: whatever is registered keeps the contract of a method."""

import ast
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import torch
from torch import nn

from sightline import registry
from sightline.backbones.contract import Backbone, Design, Roles
from sightline.backbones.vision_transformer import Embedding, Transformer
from sightline.errors import UsageError
from sightline.hyperparameters import Uniform, space
from sightline.methods import assembly
from sightline.methods.contract import Batch, Method, given, top
from sightline.training.plan import Plan

torch.set_num_threads(1)
ROOT = Path(__file__).resolve().parents[2]
CLASSES, SIDE = 4, 64
LARGE = {"vgg16", "inception-v3", "resnet50"}  # minutes for all methods
LARGE |= {"deit-tiny", "deit-small", "deit-base"}


def own(kind: str) -> list[str]:
    return [entry.name for entry in registry.describe(kind) if entry.source == "sightline"]


METHODS, BACKBONES = own("method"), ["tiny", "tiny-transformer", *own("backbone")]
EXAMPLE = "the example of CONTRIBUTING.md"


# A backbone with everything that a method may ask for


def _layer(inputs: int, outputs: int, stride: int = 1) -> nn.Module:
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())


def _build(*, resolution: int, design: Design) -> Backbone:
    stages: dict[str, nn.Module] = {
        "stem": _layer(3, 6, 2),
        "early": _layer(6, 8, 2),
        "late": _layer(8, 12, 2 if resolution == 8 else 1),
    }
    channels = {"stem": 6, "early": 8, "late": 12}
    if design.neck != "none":
        stages["neck"] = nn.Sequential(_layer(12, 10), nn.Dropout(0.5 if design.dropout else 0))
        channels["neck"] = 10
    roles = Roles(erasing=("early", "late"), side=("early", "late"))
    return Backbone(stages, channels, roles, resolution=resolution, input_size=SIDE)


def _build_transformer(*, resolution: int, design: Design) -> Transformer:
    embedding = Embedding(16, SIDE // resolution, resolution)
    return Transformer(embedding, 16, 4, 2, design.stochastic_depth, input_size=SIDE)


TINY: Mapping[str, Any] = {
    "tiny": SimpleNamespace(RESOLUTIONS=(8, 16), build=_build),
    "tiny-transformer": SimpleNamespace(
        RESOLUTIONS=(8, 16), build=_build_transformer, KIND=Transformer
    ),
}


def example() -> ModuleType:
    """Load the method that CONTRIBUTING.md shows, as it stands there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = (c for c in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Method(" in c)
    spec = importlib.util.spec_from_loader("shown_method", None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    exec(compile(code, "CONTRIBUTING.md", "exec"), vars(module))
    return module


def module_of(method: str) -> Any:
    return example() if method == EXAMPLE else registry.load("method", method)


def body_of(backbone: str) -> Any:
    return TINY[backbone] if backbone in TINY else registry.load("backbone", backbone)


def tiny_for(method: str) -> str:
    """Name the first of the tiny backbones that a method runs on."""
    return next(name for name in TINY if assembly.fits(module_of(method), TINY[name]))


def make(method: str, backbone: str) -> Method:
    torch.manual_seed(0)
    module, body = module_of(method), body_of(backbone)
    return assembly.combine(
        module, body, CLASSES, options=narrow(module), resolution=body.RESOLUTIONS[0]
    )


def narrow(module: Any) -> dict[str, Any]:
    """Choose narrow layers where a method lets one choose: the published ones take long."""
    return {item.name: 16 for item in fields(module.Options) if item.name == "width"}


def fit(method: str, backbone: str) -> bool:
    return assembly.fits(module_of(method), body_of(backbone))


def pairs() -> list[Any]:
    found = [(m, b) for b in BACKBONES for m in METHODS if fit(m, b)] + [(EXAMPLE, "tiny")]
    return [
        pytest.param(pair, id="-on-".join(pair), marks=[pytest.mark.long] * (pair[1] in LARGE))
        for pair in found
    ]


@pytest.fixture(scope="module", params=pairs())
def network(request: pytest.FixtureRequest) -> Method:
    return make(*request.param)


def batch(count: int = 2, seed: int = 0) -> Batch:
    dice = torch.Generator().manual_seed(1)
    images = torch.randn(count, 3, SIDE, SIDE, generator=dice)
    masks = torch.randint(0, 2, (count, SIDE, SIDE), generator=dice, dtype=torch.uint8)
    masks[:, :5] = 255
    labels = torch.arange(count) % CLASSES
    return Batch(images, labels, torch.Generator().manual_seed(seed), masks)


def state(network: nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}


def unchanged(network: nn.Module, before: dict[str, torch.Tensor]) -> bool:
    now = network.state_dict()
    return now.keys() == before.keys() and all(torch.equal(now[k], before[k]) for k in now)


# Networks


def test_steps_give_a_finite_loss_that_reaches_every_parameter(network: Method) -> None:
    """A method may train a part of its network at a time, and all of it from first to last."""
    reached = set()
    names = set()
    for epoch in (0, 1):
        network.train().zero_grad()
        torch.manual_seed(0)
        step = network.step(replace(batch(), epoch=epoch, epochs=2))
        assert step.loss.shape == ()
        assert torch.isfinite(step.loss)
        assert all(torch.isfinite(part) and not part.requires_grad for part in step.parts.values())
        names.add(tuple(step.parts))
        if network.trained:
            step.loss.backward()
            found = {n: p.grad for n, p in network.named_parameters() if p.grad is not None}
            assert all(torch.isfinite(gradient).all() for gradient in found.values())
            assert any(gradient.abs().sum() > 0 for gradient in found.values())
            reached |= found.keys()
    assert len(names) == 1, "the columns of an epoch's line"
    if network.trained:
        assert reached == {name for name, _ in network.named_parameters()}


def test_the_same_seed_gives_the_same_loss(network: Method) -> None:
    network.train()
    for epoch in (0, 1):
        losses = []
        for _ in range(2):
            torch.manual_seed(5)  # for dropout, which has no generator
            step = network.step(replace(batch(seed=3), epoch=epoch, epochs=2))
            losses.append(step.loss.item())
        assert losses[0] == losses[1]


def test_chance_comes_from_the_generator_of_the_step(network: Method) -> None:
    network.train()
    torch.manual_seed(5)
    before = torch.get_rng_state()
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.eval()
    for epoch in (0, 1):
        network.step(replace(batch(), epoch=epoch, epochs=2))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("size", [(SIDE, SIDE), (SIDE, SIDE + 32)], ids=["square", "oblong"])
def test_it_localizes_what_is_asked_for_in_images_of_any_size(network: Method, size: Any) -> None:
    network.eval()
    images = torch.randn(3, 3, *size, generator=torch.Generator().manual_seed(0))
    before = state(network)
    with torch.no_grad():
        known = network.localize(images, given(torch.tensor([0, 2, 1])))
        best = network.localize(images, top(3))
        logits = network.classify(images)
    assert known.logits.shape == best.logits.shape == logits.shape == (3, CLASSES)
    assert known.maps.shape[:2] == (3, 1)
    assert best.maps.shape == (3, 3, *known.maps.shape[2:])
    assert known.maps.shape[3] * size[0] == known.maps.shape[2] * size[1]
    for values in (known.maps, best.maps, logits):
        assert torch.isfinite(values).all()
    assert torch.allclose(known.logits, logits, atol=1e-5)
    assert unchanged(network, before)


def test_maps_of_several_labels_are_those_of_each_alone(network: Method) -> None:
    network.eval()
    images = batch().images
    with torch.no_grad():
        both = network.localize(images, given(torch.tensor([[3, 0], [1, 2]]))).maps
        first = network.localize(images, given(torch.tensor([3, 1]))).maps
        second = network.localize(images, given(torch.tensor([0, 2]))).maps
    assert torch.allclose(both, torch.cat([first, second], 1), atol=1e-5)


def test_evaluation_mode_leaves_parameters_and_buffers_as_they_were(network: Method) -> None:
    network.eval()
    before = state(network)
    for epoch in (0, 1):
        network.step(replace(batch(), epoch=epoch, epochs=2))
    with torch.no_grad():
        network.localize(batch().images, top(1))
    assert unchanged(network, before)


@pytest.mark.parametrize("fill", [0.0, 1.0], ids=["zeros", "ones"])
def test_a_batch_of_one_blank_image_is_no_trouble(network: Method, fill: float) -> None:
    blank = torch.full((1, 3, SIDE, SIDE), fill)
    ignored = torch.full((1, SIDE, SIDE), 255)
    for epoch in (0, 1):
        given_batch = Batch(blank, torch.tensor([1]), torch.Generator(), ignored, epoch, 2)
        assert torch.isfinite(network.train().step(given_batch).loss)
    with torch.no_grad():
        assert torch.isfinite(network.eval().localize(blank, top(2)).maps).all()


@pytest.mark.parametrize("method", METHODS)
def test_mixed_precision_and_another_order_in_memory_are_no_trouble(method: str) -> None:
    network = make(method, tiny_for(method)).train().to(memory_format=torch.channels_last)
    given_batch = batch()
    images = given_batch.images.to(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        loss = network.step(replace(given_batch, images=images, epoch=1, epochs=2)).loss
        answer = network.eval().localize(images, top(2))
    assert torch.isfinite(loss)
    assert torch.isfinite(answer.maps).all()
    if network.trained:
        loss.backward()


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_network_is_the_same_after_loading(method: str) -> None:
    first, second = (make(method, tiny_for(method)).eval() for _ in range(2))
    nn.init.normal_(next(iter(first.parameters())))
    second.load_state_dict(first.state_dict())
    with torch.no_grad():
        maps = [n.localize(batch().images, top(2)).maps for n in (first, second)]
    assert torch.equal(*maps)


# What a method asks for


@pytest.mark.parametrize("method", METHODS)
def test_a_recipe_is_one_of_a_training_plan(method: str) -> None:
    recipe = module_of(method).Method.recipe
    plan = Plan(**recipe)
    assert all(getattr(plan, name) != getattr(Plan(), name) for name in recipe)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_backbone_and_refuses_one_of_another_kind(method: str) -> None:
    fitting = [name for name in own("backbone") if fit(method, name)]
    assert fitting
    for name in set(BACKBONES) - {"tiny-transformer", "tiny", *fitting}:
        with pytest.raises(UsageError, match=f"--backbone: this method needs .*{fitting[0]}"):
            make(method, name)


# Options


@pytest.mark.parametrize("method", [*METHODS, EXAMPLE])
def test_whatever_a_search_draws_is_feasible(method: str) -> None:
    options = module_of(method).Options
    dice = Random(0)
    for _ in range(300):
        drawn: dict[str, Any] = {}
        for name, distribution in space(options).items():
            drawn[name] = distribution.draw(dice.random(), drawn)
        made = options(**drawn)
        assert all(getattr(made, name) == value for name, value in drawn.items())


@pytest.mark.parametrize("method", [*METHODS, EXAMPLE])
def test_options_have_sound_defaults_and_refuse_what_is_not_feasible(method: str) -> None:
    options = module_of(method).Options
    options()
    hints = get_type_hints(options, include_extras=True)
    for item in fields(options):
        kind, meaning, *_ = get_args(hints[item.name])
        assert isinstance(meaning, str)
        wrong: list[Any] = []
        if get_origin(kind) is Literal:
            assert item.name not in space(options)
            wrong = ["something else"]
        elif isinstance(distribution := space(options).get(item.name), Uniform):
            wrong = [-0.1, float("nan")] + [distribution.high + 0.1] * (distribution.high == 1)
        for value in wrong:
            with pytest.raises(UsageError, match=item.name.replace("_", "-")):
                options(**{item.name: value})


@pytest.mark.parametrize("method", METHODS)
def test_a_step_is_finite_wherever_a_search_may_go(method: str) -> None:
    dice = Random(1)
    module, body = module_of(method), TINY[tiny_for(method)]
    for quantile in (0.0, 0.999, None, None, None):
        drawn = narrow(module)
        for name, distribution in space(module.Options).items():
            drawn[name] = distribution.draw(dice.random() if quantile is None else quantile, drawn)
        network = assembly.combine(module, body, CLASSES, options=drawn, resolution=16).train()
        for epoch in (0, 1):
            assert torch.isfinite(network.step(replace(batch(), epoch=epoch, epochs=2)).loss)


# Files


@pytest.mark.parametrize("method", [*METHODS, EXAMPLE])
def test_a_card_is_complete(method: str) -> None:
    text = (module_of(method).__doc__ or "").strip()
    for part in ("Paper: ", "Formula:\n", "Released code: "):
        assert text.count(f"\n\n{part}") == 1, part
    title, paper, idea, *_ = text.split("\n\n")
    assert title.endswith((".", "!"))
    assert re.search(r"https://\S+$", paper) or paper == "Paper: none"
    assert len(re.findall(r"[.!?](?=\s|$)", idea)) == 3, "the idea in three sentences"
    if method != EXAMPLE:
        page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
        assert f"## {method}\n\n{title}\n" in page
        for item in fields(module_of(method).Options):
            assert f"| `{item.name}` | {item.default} |" in page


@pytest.mark.parametrize(("kind", "other"), [("method", "backbone"), ("backbone", "method")])
def test_no_file_names_a_file_of_the_other_kind(kind: str, other: str) -> None:
    names = set(own(other)) | {name.replace("-", "_") for name in own(other)}
    for name in own(kind):
        file = registry.ROOT / registry.PACKAGES[kind] / f"{name.replace('-', '_')}.py"
        tree = ast.parse(file.read_text(encoding="utf-8"))
        said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        imported = {
            alias.name.rpartition(".")[2]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            and f"{registry.PACKAGES[other]}" in ast.unparse(node)
            for alias in node.names
        }
        assert not names & (said | imported), file.name

"""What a plan refuses, and the learning rate of each epoch."""

import pytest
import torch
from torch import nn

from sightline.errors import UsageError
from sightline.hyperparameters import space
from sightline.training import optimizing
from sightline.training.plan import Conduct, Places, Plan, divided


@pytest.mark.parametrize(
    ("declared", "settings", "said"),
    [
        (Plan, {"epochs": -1}, "--epochs: -1 is not from 0 on"),
        (Plan, {"batch": 0}, "--batch: 0 is not from 1 on"),
        (Plan, {"lr": float("nan")}, "--lr: nan is not positive"),
        (Plan, {"momentum": 1.0}, "--momentum: 1 is not below 1"),
        (Plan, {"decay_factor": 2.0}, "--decay-factor: 2 is not from 0 to 1"),
        (Plan, {"optimizer": "adam"}, "--optimizer: adam is none of sgd, adamw"),
        (Plan, {"keep": ("first",)}, "--keep: 'first' is neither last, every nor best:METRIC"),
        (Plan, {"resolution": 0}, "--resolution: 0 is not from 1 on"),
        (Plan, {"size": 4}, "--size: 4 is not from 8 on"),
        (Conduct, {"workers": -1}, "--workers: -1 is not from 0 on"),
        (Places, {"data": "d", "hold_out": 1.0}, "--hold-out: 1 is not between 0 and 1"),
    ],
)
def test_what_is_not_feasible_is_refused(declared, settings, said):
    with pytest.raises(UsageError) as refused:
        declared(**settings)
    assert str(refused.value) == said


def test_only_the_learning_rate_is_searched():
    assert set(space(Plan)) == {"lr"}


def test_settings_go_where_they_belong():
    assert divided({"epochs": 2, "threads": 1}, Plan, Conduct) == [{"epochs": 2}, {"threads": 1}]
    with pytest.raises(UsageError, match="no setting 'epoch'"):
        divided({"epoch": 2}, Plan, Conduct)


def rates(**settings):
    plan = Plan(epochs=7, lr=1.0, decay_every=3, **settings)
    return [optimizing.learning_rate(plan, epoch) for epoch in range(7)]


def test_the_paper_decays_after_three_epochs_and_released_code_one_earlier():
    assert rates() == pytest.approx([1, 1, 1, 0.1, 0.1, 0.1, 0.01])
    assert rates(schedule="released") == pytest.approx([1, 1, 0.1, 0.1, 0.1, 0.01, 0.01])
    assert rates(schedule="constant") == [1] * 7
    assert rates(lr_floor=0.05) == pytest.approx([1, 1, 1, 0.1, 0.1, 0.1, 0.05])
    cosine = rates(schedule="cosine")
    assert cosine[0] == 1
    assert cosine == sorted(cosine, reverse=True)
    assert cosine[-1] > 0


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.slow, self.quick = nn.Linear(2, 2), nn.Linear(2, 2)


def test_fast_layers_learn_ten_times_faster():
    network = Two()
    optimizer = optimizing.make_optimizer(network, {"quick.weight", "quick.bias"}, Plan())
    optimizing.set_rate(optimizer, 0.5)
    fast, slow = optimizer.param_groups
    assert (fast["lr"], slow["lr"]) == (5.0, 0.5)
    assert fast["params"] == list(network.quick.parameters())
    assert slow["params"] == list(network.slow.parameters())
    usual = ("momentum", "nesterov", "dampening", "weight_decay")
    assert [slow[name] for name in usual] == [0.9, True, 0, 1e-4]


class Staged(nn.Module):
    """Three stages, one of them with a token; and a layer of the method."""

    def __init__(self):
        super().__init__()
        self.backbone = nn.Module()
        self.backbone.stages = nn.ModuleDict({n: nn.Linear(2, 2) for n in ("a", "b", "c")})
        self.backbone.stages["a"].token = nn.Parameter(torch.zeros(1, 1, 2))
        self.backbone.stages["a"].undecayed = ("token",)
        self.head = nn.Linear(2, 2)


def settings(network, plan, fast=()):
    optimizer = optimizing.make_optimizer(network, fast, plan)
    optimizing.set_rate(optimizer, 1.0)
    names = {id(p): name for name, p in network.named_parameters()}
    return {
        names[id(p)].removeprefix("backbone.stages."): (group["lr"], group["weight_decay"])
        for group in optimizer.param_groups
        for p in group["params"]
    }


def test_earlier_stages_learn_slower_by_the_layer_decay():
    plan = Plan(layer_decay=0.5, weight_decay=0.1)
    found = settings(Staged(), plan, {"head.weight", "backbone.stages.b.weight"})
    rates = {name: rate for name, (rate, _) in found.items()}
    assert rates["head.bias"] == rates["c.weight"] == 1
    assert rates["head.weight"] == 10
    assert (rates["b.weight"], rates["b.bias"]) == (5, 0.5)
    assert rates["a.weight"] == rates["a.token"] == 0.25
    assert {decay for _, decay in found.values()} == {0.1}


@pytest.mark.parametrize(
    ("undecayed", "free"),
    [("none", set()), ("vectors", {"bias"}), ("tokens", {"bias", "token"})],
)
def test_what_weight_decay_spares(undecayed, free):
    plan = Plan(undecayed=undecayed, weight_decay=0.1, optimizer="adamw")
    found = settings(Staged(), plan)
    assert len(found) == 9
    for name, (_, decay) in found.items():
        assert decay == (0.0 if name.rpartition(".")[2] in free else 0.1), name


@pytest.mark.parametrize("value", [0.0, 1.1, float("nan")])
def test_a_layer_decay_that_is_none_is_refused(value):
    with pytest.raises(UsageError, match="--layer-decay"):
        Plan(layer_decay=value)


@pytest.mark.parametrize("kind", ["sgd", "adamw"])
def test_an_optimizer_is_restored_to_the_bit(kind):
    def stepped(network, optimizer, count):
        for i in range(count):
            optimizer.zero_grad()
            (network.quick(network.slow(torch.ones(1, 2) + i)) ** 2).sum().backward()
            optimizer.step()

    torch.manual_seed(0)
    plan = Plan(optimizer=kind)
    network = Two()
    optimizer = optimizing.make_optimizer(network, {"quick.weight"}, plan)
    stepped(network, optimizer, 3)
    copy = Two()
    copy.load_state_dict(network.state_dict())
    other = optimizing.make_optimizer(copy, {"quick.weight"}, plan)
    tensors = optimizing.state_of(optimizer, network)
    optimizing.restore(other, copy, {name: tensor.clone() for name, tensor in tensors.items()})
    stepped(network, optimizer, 2)
    stepped(copy, other, 2)
    for one, two in zip(network.parameters(), copy.parameters(), strict=True):
        assert torch.equal(one, two)

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

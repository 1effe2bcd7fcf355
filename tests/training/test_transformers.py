"""Methods on transformers pass through training, search, selection and explainers as all do."""

import json

import numpy as np
import pytest
import torch

from sightline import registry, rows
from sightline.errors import UsageError
from sightline.methods import assembly
from sightline.methods.contract import Batch, given
from sightline.training import optimizing
from sightline.training.plan import Plan

METHODS = ("ts-cam", "scm", "sat")
BODY = ("--backbone", "small-vit", "--size", 32, "--epochs", 1, "--batch", 4)
HERE = ("--accelerator", "cpu", "--weights", "none")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def recipe(method):
    return registry.load("method", method).Method.recipe


@pytest.mark.parametrize("method", METHODS)
def test_a_method_s_recipe_is_followed_unless_something_else_is_given(trained, tmp_path, method):
    plan = trained(method, backbone="small-vit", size=32).result["plan"]
    assert {name: plan[name] for name in recipe(method)} == recipe(method)
    given_plan = trained(
        method, backbone="small-vit", size=32, optimizer="sgd", lr=0.5, out=tmp_path / "sgd"
    ).result["plan"]
    assert (given_plan["optimizer"], given_plan["lr"]) == ("sgd", 0.5)
    assert given_plan["weight_decay"] == recipe(method)["weight_decay"]


def test_the_command_shows_and_follows_the_recipe(sightline, photographs, tmp_path):
    assert "(default: adamw)" in sightline("train", "sat", "--help").out
    assert "(default: sgd)" in sightline("train", "cam", "--help").out
    row = sightline(
        *("train", "sat", "--data", photographs, "--out", tmp_path / "run", "--json", "-"),
        *(*BODY, *HERE, "--weight-decay", 0.2),
    ).json
    assert (row["plan"]["optimizer"], row["plan"]["lr"]) == ("adamw", 1e-4)
    assert row["plan"]["weight_decay"] == 0.2


@pytest.mark.parametrize("command", ["train", "search"])
def test_another_kind_of_backbone_is_refused_before_anything_is_read(sightline, tmp_path, command):
    answer = sightline(
        *(command, "ts-cam", "--data", tmp_path / "nowhere", "--backbone", "small-plain"),
        *("--out", tmp_path / "run"),
    )
    assert "--backbone: this method needs" in answer.refusal()
    assert "small-vit" in answer.refusal()
    assert not (tmp_path / "run" / "config.json").exists()


def test_sizes_that_are_no_patches_are_one_line(trained):
    with pytest.raises(UsageError, match="--size: images of 36 x 36 pixels do not divide"):
        trained("ts-cam", backbone="small-vit", size=36)


def test_a_search_draws_the_table_s_ranges_and_keeps_the_recipe(sightline, photographs, tmp_path):
    told = sightline(
        *("search", "sat", "--data", photographs, "--out", tmp_path / "search"),
        *(*BODY, *HERE, "--space", "realistic", "--trials", 1, "--own-draws", 2, "--json", "-"),
    ).json
    draws = [one["draw"] for one in told["trials"]]
    assert set(draws[0]) == {"lr", "weight_decay", "decay_factor", "decay_every", "area"}
    assert draws[0]["lr"] == draws[1]["lr"]
    assert draws[0]["area"] != draws[1]["area"]
    for file in rows.find([tmp_path / "search"]):
        plan = rows.load(file).result["plan"]
        assert plan["optimizer"] == "adamw"
        assert plan["undecayed"] == "tokens"
        assert plan["weight_decay"] != 0.05  # drawn


@pytest.mark.parametrize("method", METHODS)
def test_explainers_of_attention_and_of_gradients_take_such_a_run(
    sightline, trained, photographs, tmp_path, method
):
    trained(method, backbone="small-vit", size=32)
    names = ("attention-rollout", "attention-gradients", "vb", "grad-cam")
    told = sightline(
        *("explain", *names, "--data", photographs, "--split", "val", "--run", tmp_path / "run"),
        *("--json", "-"),
    ).json
    text = json.dumps(told)
    assert all(name in text for name in names)


# What is learned


def scenes(count, seed):
    """Put a square of one of three colours on noise, and tell where."""
    dice = np.random.default_rng(seed)
    images = dice.normal(0, 0.5, (count, 3, 64, 64)).astype(np.float32)
    labels = dice.integers(0, 3, count)
    masks = np.zeros((count, 8, 8), bool)
    for image, label, mask in zip(images, labels, masks, strict=True):
        y, x = dice.integers(0, 5, 2)
        image[label, 8 * y : 8 * y + 24, 8 * x : 8 * x + 24] += 2
        mask[y : y + 3, x : x + 3] = True
    return torch.from_numpy(images), torch.from_numpy(labels), masks


def learned(method, steps, **options):
    """Train for some steps, and give the share of maps whose peak is on the square."""
    torch.manual_seed(0)
    network = assembly.build(method, "small-vit", 3, options=options).train()
    plan = Plan(**{**network.recipe, "lr": 1e-3})
    optimizer = optimizing.make_optimizer(network, (), plan)
    optimizing.set_rate(optimizer, plan.lr)
    for number in range(steps):
        images, labels, _ = scenes(16, number)
        optimizer.zero_grad()
        network.step(Batch(images, labels, torch.Generator())).loss.backward()
        optimizer.step()
    images, labels, masks = scenes(64, 1000)
    with torch.no_grad():
        maps = network.eval().localize(images, given(labels)).maps[:, 0].flatten(1)
    return masks.reshape(64, -1)[np.arange(64), maps.argmax(1).numpy()].mean()


@pytest.mark.parametrize(
    ("method", "steps", "options"),
    [("ts-cam", 40, {}), ("scm", 40, {}), ("sat", 60, {"area": 9 / 64})],
)
def test_it_learns_within_seconds_where_a_class_is(method, steps, options):
    after = learned(method, steps, **options)
    assert after > 0.5  # a square covers 9 of 64 places
    assert after > learned(method, 0, **options) + 0.1


@pytest.fixture(scope="session")
def pond(tmp_path_factory):
    """Generate a Pond from which a transformer learns something."""
    from sightline.cli.main import main

    place = tmp_path_factory.mktemp("pond") / "pond"
    flags = ("--out", str(place), "--images", "1200", "--size", "64", "--seed", "0")
    assert main(["data", "make", "pond", *flags, "--json", str(place.parent / "made.json")]) == 0
    return place


@pytest.fixture(scope="session")
def untrained(pond, tmp_path_factory):
    from sightline.training import train

    out = tmp_path_factory.mktemp("untrained") / "run"
    return train("random", pond, "small-vit", out, accelerator="cpu").result["metrics"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "options"), [("ts-cam", {}), ("scm", {}), ("sat", {"area": 0.1})]
)
def test_on_pond_it_beats_the_network_untrained(
    trained, pond, untrained, tmp_path, method, options
):
    found = trained(
        method,
        data=pond,
        backbone="small-vit",
        out=tmp_path / "pond-run",
        options=options,
        epochs=10,
        batch=32,
        size=64,
        lr=1e-3,
        evaluate_every=10,
    ).result["metrics"]
    assert found["MaxBoxAccV2"] > untrained["MaxBoxAccV2"] + 5
    assert found["PxAP"] > untrained["PxAP"] + 3
    assert found["top1"] > 2 * 100 / 16

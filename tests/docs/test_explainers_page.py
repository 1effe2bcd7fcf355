"""The examples of the page on explainers work as they are written."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline import registry

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "explainers.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
OWN, BEGIN, *EXAMPLES, NEW = BLOCKS


def read(name, folder):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Give what the page goes on from, in an empty folder."""
    from sightline.data import example
    from sightline.data.dataset import read_dataset

    monkeypatch.chdir(tmp_path)
    (tmp_path / "maps").mkdir()
    example.write(tmp_path / "scenes", 4, 1)
    nets = read("networks", "attribution")
    return {
        "model": nets.pooled().eval(),
        "images": nets.images(),
        "labels": torch.tensor([0, 3, 4]),
        "maps": np.random.default_rng(0).random((1, 48, 48)),
        "dataset": read_dataset(tmp_path / "scenes/truth", images=tmp_path / "scenes/images"),
    }


@pytest.mark.filterwarnings("ignore")  # what other libraries warn of is not ours
@pytest.mark.parametrize("code", EXAMPLES, ids=lambda code: code.split("\n")[0])
def test_an_example_works(code, names):
    peers = read("peers", "attribution")
    for name in re.findall(r"^from (captum|pytorch_grad_cam|torchcam)\b", code, re.MULTILINE):
        peers.library(name)
    exec(BEGIN, names)
    exec(code, names)
    assert names["maps"].shape in ((3, 32, 32), (1, 48, 48))
    if "found" in names:
        assert [one.explainer.name for one in names["found"]] == ["cam", "captum"]
    if "result" in names:
        assert names["result"].result["images"] == 1


def test_a_network_of_one_s_own_is_explained_as_written(names, tmp_path, sightline):
    (tmp_path / "net.py").write_text(OWN)
    lines = [line for line in OWN.splitlines() if "load_state_dict" not in line]
    made: dict = {}
    exec("\n".join(lines), made)
    torch.save(made["make"]().state_dict(), tmp_path / "weights.pth")
    (command,) = re.findall(r"^sightline (explain gb .*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
    words = command.replace("\\\n", " ").replace("pets --split test", "scenes/truth").split()
    more = ["--images", tmp_path / "scenes" / "images", "--samples", 2, "--resamples", 10]
    answer = sightline(*words, *more)
    assert answer.code == 0, answer.err
    assert "net.py:make names the class of" in answer.out


def test_the_beginning_works(names):
    exec(BEGIN, names)
    assert names["maps"].shape == (3, 32, 32)


def test_the_new_explainer_is_one(names):
    space: dict = {"__name__": "brightness"}
    exec(NEW, space)
    made = space["explain"](None, names["images"], names["labels"], space["Options"]())
    assert torch.equal(made, names["images"].mean(1))
    assert space["NEEDS"] == "answers"


def test_every_explainer_is_listed():
    table = PAGE.partition("## Which")[0]
    named = set(re.findall(r"`([\w-]+)`", table))
    own = {entry.name for entry in registry.describe("explainer") if entry.source == "sightline"}
    assert own == named


def test_every_flag_that_is_shown_exists(sightline):
    known = sightline("explain", "sg-vb", "ig-vb", "--help").out
    shown = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert shown
    for flag in shown:
        assert flag in known, flag

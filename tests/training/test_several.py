"""Two processes that share every batch do what one does."""

import pytest
import safetensors.torch
import torch

from sightline import rows
from sightline.errors import SightlineError
from sightline.training import loop

SCRIPT = """
import sys
from sightline.training import train

if __name__ == "__main__":
    method, backbone, data, out, devices, batch = sys.argv[1:]
    train(method, data, backbone, out, epochs=2, batch=int(batch), workers=0, accelerator="cpu",
          cache=False, show_progress=False, lr=0.01, devices=int(devices), size=32)
"""


@pytest.fixture
def pair(python, tmp_path, photographs):
    """Train with one process and with two, and give the largest difference of any weight."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def call(method, backbone, batch=5):
        for devices in (1, 2):
            out = tmp_path / f"{method}-{devices}"
            done = python(script, method, backbone, photographs, out, devices, batch)
            assert (done.code, done.out) == (0, ""), done.err
        one, two = (
            safetensors.torch.load_file(tmp_path / f"{method}-{n}/last.safetensors") for n in (1, 2)
        )
        return max(
            float((one[name] - two[name]).abs().max())
            for name in one
            if one[name].is_floating_point() and "running" not in name
        )

    return call


@pytest.mark.long
@pytest.mark.parametrize("method", ["cam", "few-shot"])  # few-shot: where no pixel is ignored
def test_two_processes_train_as_one_with_the_same_batches(pair, method, tmp_path):
    assert pair(method, "small-plain") < 1e-5  # batches of 5, 5 and 2: shares are not equal
    one, two = (rows.load(tmp_path / f"{method}-{n}/train.row.json").result for n in (1, 2))
    assert two["loss"] == pytest.approx(one["loss"], abs=1e-5)
    assert two["metrics"] == pytest.approx(one["metrics"], abs=1e-2)
    assert two["metrics"].get("top1") == one["metrics"].get("top1")


@pytest.mark.long
def test_batch_normalization_makes_a_difference(pair, tmp_path):
    difference = pair("cam", "small-resnet", 6)  # docs/training.md states what is measured here
    one, two = (rows.load(tmp_path / f"cam-{n}/train.row.json").result["loss"] for n in (1, 2))
    print(f"weights differ by up to {difference:.2g}, losses are {one:.3f} and {two:.3f}")
    assert 1e-4 < difference < 0.5
    assert two == pytest.approx(one, abs=1)


@pytest.mark.long
def test_what_is_wrong_in_a_process_is_said_in_one_line(sightline, data, tmp_path):
    broken = sorted((data / "images/train").rglob("*.png"))[3]
    broken.write_bytes(broken.read_bytes()[:100])
    flags = ["--data", data, "--backbone", "small-plain", "--out", tmp_path / "run"]
    flags += ["--devices", 2, "--accelerator", "cpu", "--batch", 4, "--no-show-progress"]
    assert broken.name in sightline("train", "cam", *flags).refusal()


def test_a_share_without_images_has_a_share_of_nothing():
    from sightline.training.sharing import Sharing

    network = torch.nn.Linear(2, 1)
    Sharing().combine(network, 1.0)
    assert network.weight.grad is None
    assert Sharing().total([3, 0.5]) == [3, 0.5]
    assert Sharing().gathered("x") == ["x"]
    assert issubclass(SightlineError, Exception)
    assert loop.STEP != 0

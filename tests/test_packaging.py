"""What an installation brings, by its extras, and what the commands say of them."""

import tomllib
from pathlib import Path

from sightline.cli.main import EXTRAS

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
NAMED = {"browser", "torch", "pseudo", "report", "ray", "adapters", "dev", "all"}
HEAVY = (
    "transformers",
    "altair",
    "torch",
    "lightning",
    "ray",
    "matplotlib",
    "onnxruntime",
    "safetensors",
)


def test_the_base_installation_is_lean():
    assert [name for name in PROJECT["dependencies"] if name.startswith(HEAVY)] == []


def test_every_extra_is_there_and_all_is_all_of_them():
    extras = PROJECT["optional-dependencies"]
    assert extras.keys() >= NAMED
    (everything,) = extras["all"]
    listed = everything.removeprefix("sightline[").removesuffix("]").split(",")
    assert set(listed) == extras.keys() - {
        "all",
        "browser",
        "dev",
    }  # the last two are for our tests


def test_the_extra_that_a_command_names_brings_the_module():
    for module, extra in EXTRAS.items():
        brought = PROJECT["optional-dependencies"][extra]
        assert any(one.replace("-", "_").startswith(module) for one in brought), module

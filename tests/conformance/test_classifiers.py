"""Every classifier says what it needs, in one line."""

from dataclasses import MISSING, fields

import pytest

from sightline import registry
from sightline.errors import SightlineError, UsageError
from sightline.parts import named

CLASSIFIERS = [e.name for e in registry.describe("classifier") if e.source == "sightline"]
NOWHERE = {  # an option that leads nowhere
    "alexnet": "weights=nowhere.pth",
    "callable": "file=nowhere.py",
    "file": "file=nowhere.onnx",
    "googlenet": "weights=nowhere.pth",
    "nin": "weights=nowhere.caffemodel",
    "people": "file=nowhere.csv",
    "run": "folder=nowhere",
    "timm": "model=no_such_model",
    "torchvision": "model=no_such_model",
    "vgg19": "weights=nowhere.pth",
}
PACKAGED = {"lite0", "lite1", "lite2"}


def test_every_classifier_is_checked() -> None:
    assert set(CLASSIFIERS) == set(NOWHERE) | PACKAGED


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_must_be_given_is_named(name: str) -> None:
    options = registry.load("classifier", name).Options
    needed = [one.name for one in fields(options) if one.default is MISSING]
    if needed:
        with pytest.raises(UsageError, match=f"needs {needed[0]}: write {name}:{needed[0]}="):
            named.read("classifier", name)


@pytest.mark.parametrize("name", NOWHERE)
def test_what_leads_nowhere_is_one_line(name: str) -> None:
    chosen = named.read("classifier", f"{name}:{NOWHERE[name]}")
    with pytest.raises(SightlineError) as error:
        chosen.module.load(chosen.options)
    assert "\n" not in str(error.value)

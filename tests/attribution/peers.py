"""Other libraries' explainers, for comparison where they are installed."""

import importlib
import importlib.util
from pathlib import Path

import pytest


def _others():
    file = Path(__file__).parents[1] / "backbones" / "others.py"
    spec = importlib.util.spec_from_file_location("others", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(name):
    """Import a library, or skip what needs it; torchvision may need its operators named first."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"needs {name.partition('.')[0]}, which is not installed")
    if importlib.util.find_spec("torchvision") is not None:
        _others().torchvision_networks()
    return importlib.import_module(name)

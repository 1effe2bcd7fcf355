"""The documentation is what the code says, and leads nowhere that is not there."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from sightline import registry

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    for name in re.findall(r"`((?:src|tests|docs|benchmarks|recipes)/[\w/.]+)`", page.read_text()):
        if "my_" not in name:
            assert (ROOT / name).exists(), name


def test_the_example_of_a_baseline_works_as_written(tmp_path: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code
    (tmp_path / "ramp_package.py").write_text(code[1])
    folder = tmp_path / "ramp_package-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: ramp-package\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[sightline.baseline]\nramp = ramp_package\n")
    truth = tmp_path / "truth.csv"
    truth.write_text("image,x0,y0,x1,y1,width,height\nx.jpg,20,0,40,30,40,30\n")
    words = ["evaluate", "baseline:ramp", str(truth), "--size", "112"]
    done = subprocess.run(
        [sys.executable, "-m", "sightline", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "MaxBoxAccV2 100.00" in done.stdout


def test_commands_that_build_splits_are_those_that_exist() -> None:
    """Every recipe has a section with an example whose flags it knows."""
    text = (ROOT / "docs" / "building.md").read_text().replace("\\\n", " ")
    shown = dict(re.findall(r"^\$ sightline data make ([\w-]+)(.*)$", text, re.MULTILINE))
    documented = set(re.findall(r"^## ([\w-]+):", text, re.MULTILINE))
    assert documented == set(shown)
    assert documented | {"pond"} >= set(registry.names("builder"))
    for name, flags in shown.items():
        options = {item.name for item in fields(registry.load("builder", name).Options)}
        known = options | {"out", "seed", "workers", "json"}
        for flag in re.findall(r"--([\w-]+)", flags):
            assert flag.replace("-", "_") in known, (name, flag)

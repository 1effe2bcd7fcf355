"""Engines, and a driver in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline import execution

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # so that tests and the processes they start find the work by name


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes find the work of these tests."""
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), known]))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Give a folder that is claimed."""
    place = tmp_path / "rows"
    with execution.claimed(place):
        yield place


@pytest.fixture
def drive() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start drivers; none outlives the test."""
    started: list[subprocess.Popen[str]] = []

    def start(
        folder: Path, count: int, pause: float, engine: str = "local"
    ) -> subprocess.Popen[str]:
        command = [sys.executable, HERE / "driver.py", engine, folder, str(count), str(pause)]
        started.append(
            subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")  # type: ignore[arg-type]
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()

"""What tests of several folders share."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from sightline import progress

SIZE = WIDTH, HEIGHT = 32, 24


@pytest.fixture(scope="session")
def shared() -> Path:
    """Find the folder of data for checks beside the repository, or skip."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared with data for checks")
    return folder


@pytest.fixture(autouse=True)
def openings_log(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the log of opened test splits out of the user's own folder."""
    file = tmp_path_factory.mktemp("home") / "openings.jsonl"
    monkeypatch.setenv("SIGHTLINE_HOME", str(file.parent))
    return file


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep progress from what commands say, which a busy machine would have them show."""
    monkeypatch.setattr(progress, "PATIENCE", math.inf)


def without_progress(err: str) -> str:
    """Drop the lines that a process of its own shows after two seconds, however short its work."""
    return re.sub(r"^[^\n:]+: \d+/\d+ \(\d+ %\), \d+/s, [\d:]+ left\n", "", err, flags=re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    def refusal(self) -> str:
        """Make sure that nothing was given but one line that says what is wrong, and give it."""
        assert self.code in (1, 2), (self.code, self.err)
        assert self.out == ""
        assert self.err.startswith("sightline: ")
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self.err
        assert "Traceback" not in self.err
        return self.err.removeprefix("sightline: ").rstrip("\n")


Call = Callable[..., Answer]


@pytest.fixture
def sightline(capfd: pytest.CaptureFixture[str]) -> Call:
    """Call the command line in this process."""
    from sightline.cli.main import main

    def call(*arguments: object) -> Answer:
        capfd.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # --help ends so
            code = int(stop.code or 0)
        captured = capfd.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


@pytest.fixture
def python(tmp_path: Path) -> Call:
    """Run a piece of Python, or with `-m` a module, in a process of its own."""

    def call(*arguments: object, path: Path | None = None, text: str | None = None) -> Answer:
        environment = dict(os.environ)
        if path:
            known = environment.get("PYTHONPATH")
            environment["PYTHONPATH"] = f"{path}{os.pathsep}{known}" if known else str(path)
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            encoding="utf-8",
            env=environment,
            input=text,
            timeout=120,
        )
        return Answer(done.returncode, done.stdout, without_progress(done.stderr))

    return call


class Scene:
    """Six images of 32 x 24 in the reference format, one box each, and maps that find the boxes.

    Everything lies on disk, so that a test can spoil any part of it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.truth, self.maps, self.masks = root / "truth", root / "maps", root / "masks"
        self.ids = [f"birds/{i}.jpg" for i in range(6)]
        self.labels = [0, 1, 2, 0, 1, 2]
        self.boxes = [(4, 3 + i, 17 + i, 15) for i in range(6)]
        self.list("image_ids", *self.ids)
        self.list("class_labels", *map("{},{}".format, self.ids, self.labels))
        self.list("image_sizes", *(f"{name},{WIDTH},{HEIGHT}" for name in self.ids))
        self.list("localization", *(self.box_line(i) for i in range(6)))
        for i in range(6):
            self.save(i, self.scores(i))

    def box_line(self, i: int) -> str:
        return f"{self.ids[i]},{','.join(map(str, self.boxes[i]))}"

    def list(self, name: str, *lines: str) -> Path:
        """Write one of the lists of the ground truth."""
        self.truth.mkdir(parents=True, exist_ok=True)
        file = self.truth / f"{name}.txt"
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def edit(self, name: str, line: int, text: str) -> Path:
        """Exchange a line of a list, counted from 1, or add one behind the last."""
        file = self.truth / f"{name}.txt"
        lines = file.read_text(encoding="utf-8").split("\n")
        lines[line - 1 : line] = [text]
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def rename(self, i: int, name: str) -> None:
        """Give an image another id in all lists."""
        for file in self.truth.glob("*.txt"):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(self.ids[i], name), encoding="utf-8")
        self.ids[i] = name

    def scores(self, i: int) -> np.ndarray:
        """Make a map: high on the box, low and noisy elsewhere, not quite where it should be."""
        noise = np.random.default_rng(i).random((HEIGHT, WIDTH))
        scores = 0.3 * noise
        x0, y0, x1, y1 = self.boxes[i]
        scores[y0 : y1 - i, x0 : x1 + 1] += 0.5
        return scores

    def file(self, i: int, suffix: str = ".npy") -> Path:
        file = (self.maps / self.ids[i]).with_suffix(suffix)
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def save(self, i: int, scores: Any, suffix: str = ".npy") -> Path:
        """Write a map by the name of its image without the extension."""
        file = self.file(i, suffix)
        if suffix == ".npy":
            np.save(file, scores)
        else:
            assert cv2.imwrite(str(file), scores)
        return file

    def add_masks(self) -> Path:
        """Turn the boxes into masks; the first image has a region to ignore."""
        lines = []
        for i, (name, box) in enumerate(zip(self.ids, self.boxes, strict=True)):
            file = (self.masks / name).with_suffix(".png")
            self.paint(file, box)
            ignored = "birds/ignore.png" if i == 0 else ""
            lines.append(f"{name},{name.replace('.jpg', '.png')},{ignored}")
        self.paint(self.masks / "birds/ignore.png", (20, 0, WIDTH, HEIGHT))
        self.list("localization", *lines)
        return self.masks

    def predictions(self, ranked: Iterable[object]) -> Path:
        """Write a classifier's ranked classes, a cell of them for each image."""
        file = self.root / "predictions.csv"
        lines = [f"{name},{classes}" for name, classes in zip(self.ids, ranked, strict=True)]
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    def table(self) -> Path:
        """Write the ground truth as a table with names of classes."""
        file = self.root / "truth.csv"
        lines = ["image,x0,y0,x1,y1,width,height,label"]
        for i, label in enumerate(self.labels):
            lines.append(f"{self.box_line(i)},{WIDTH},{HEIGHT},class {label}")
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    @staticmethod
    def paint(file: Path, box: tuple[int, ...]) -> None:
        x0, y0, x1, y1 = box
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        mask[y0:y1, x0:x1] = 255
        file.parent.mkdir(parents=True, exist_ok=True)
        assert cv2.imwrite(str(file), mask)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Give a ground truth with maps, sound until it is spoilt."""
    return Scene(tmp_path)

"""A browser, where one is installed, and a page made of generated maps."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from sightline.drawing.scenes import Scene, Shown, Stage, View
from sightline.metrics.protocol import preset
from sightline.progress import silent
from sightline.reports import charts
from sightline.reports.explorer import explore
from sightline.reports.page import Section, write

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
METHODS = ("cam", "has", "acol", "spg", "adl", "cutmix")
SIDE = 56


@pytest.fixture(scope="session")
def browser():
    """Start Chromium once."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def opened(browser):
    """Open a page from disk; whatever it complains of or asks the network for fails the test."""
    contexts, complaints = [], []

    def open_page(file: Path, *, width: int = 1440, anchor: str = ""):
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("file:", "data:"))
                else complaints.append(request.url)
            ),
        )
        page.goto(file.as_uri() + anchor)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def scene_of(number: int) -> Scene:
    """Make an image with an object, and for each method a map that finds it more or less."""
    rng = np.random.default_rng(number)
    x0, y0 = rng.integers(2, SIDE // 2, 2)
    x1, y1 = x0 + rng.integers(8, SIDE // 2, 1)[0], y0 + rng.integers(8, SIDE // 2, 1)[0]
    boxes = np.array([[x0, y0, min(x1, SIDE - 1), min(y1, SIDE - 1)]], float)
    y, x = np.mgrid[:SIDE, :SIDE]
    views = {}
    for method in METHODS:
        cx, cy = (x0 + x1) / 2 + rng.normal(0, 5), (y0 + y1) / 2 + rng.normal(0, 5)
        raw = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / rng.uniform(50, 400))
        raw += 0.1 * rng.random((SIDE, SIDE))
        views[method] = View((raw - raw.min()) / (raw.max() - raw.min()), boxes=boxes)
    picture = rng.integers(0, 255, (120, 160, 3)).astype(np.uint8)
    return Scene(f"class{number % 5}/{number}.jpg", f"class {number % 5}", picture, {P: views})


P = "reference-v2"


def page_of(out: Path, images: int) -> tuple[Path, object]:
    """Write a page that holds an explorer; give it and what was explored."""
    shown = tuple(
        Shown(m, "MaxBoxAccV2", 50.0, {"30": 0.2, "50": 0.41, "70": 0.6}) for m in METHODS
    )
    stage = Stage("made, test", images, images, 0, {P: preset(P)}, {P: shown})
    explored = explore(stage, scene_of, out, "explorer-0", silent)
    section = Section(
        "explorer-0",
        "Explorer",
        explorer={"key": "explorer-0", "file": "explorer-0/index.js"},
    )
    sections = [section]
    if charts.can_draw():
        values = {method: explored.values[P, method] for method in METHODS}
        sections.append(Section("spread", "Scores", charts=[charts.distributions(values)]))
    page = write(sections, [("What?", ["this"])], out, title="Made", version="0")
    return page, explored


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """Explore 40 images."""
    return page_of(tmp_path_factory.mktemp("small"), 40)

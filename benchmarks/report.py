"""The page of 500 images and 6 methods: how long it takes to write, how soon it can be used.

The baseline is a page of the same pictures that carries them inline, as reports in one file do.

    python benchmarks/report.py [IMAGES]
"""

import base64
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from sightline.drawing.scenes import Scene, Shown, Stage, View
from sightline.metrics.protocol import preset
from sightline.progress import silent
from sightline.reports.explorer import explore
from sightline.reports.page import Section, write

METHODS = ("cam", "has", "acol", "spg", "adl", "cutmix")
PROTOCOL, SIDE, CELLS = "reference-v2", 224, 14


def scene(number: int) -> Scene:
    """Make a photograph's worth of noise, a box, and a CAM-like map for each method."""
    rng = np.random.default_rng(number)
    picture = cv2.resize(rng.integers(0, 255, (40, 50, 3)).astype(np.uint8), (500, 400))
    x0, y0 = rng.integers(0, 100, 2)
    boxes = np.array([[x0, y0, x0 + 90, y0 + 90]], float)
    views = {}
    for method in METHODS:
        raw = cv2.resize(rng.random((CELLS, CELLS)), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        views[method] = View((raw - raw.min()) / (raw.max() - raw.min()), boxes=boxes)
    return Scene(f"{number}.jpg", f"class {number % 50}", picture, {PROTOCOL: views})


def build(images: int, out: Path) -> float:
    """Write the page; give the seconds it took, without making its material."""
    shown = tuple(Shown(m, "MaxBoxAccV2", 50.0, {"50": 0.4}) for m in METHODS)
    protocols = {PROTOCOL: preset(PROTOCOL)}
    stage = Stage("made, test", images, images, 0, protocols, {PROTOCOL: shown})
    started = time.perf_counter()
    explore(stage, scene, out, "explorer-0", silent)
    explorer = {"key": "explorer-0", "file": "explorer-0/index.js"}
    section = Section("explorer-0", "Explorer", explorer=explorer)
    write([section], [("What?", ["this"])], out, title="Made", version="0")
    return time.perf_counter() - started


def inline(folder: Path, images: int) -> Path:
    """Put all pictures into one page."""
    parts = ["<!doctype html><meta charset='utf-8'><body>"]
    for number in range(images):
        for file in sorted(folder.glob(f"explorer-0/{number}[.-]*")):
            data = base64.b64encode(file.read_bytes()).decode()
            kind = "jpeg" if file.suffix == ".jpg" else "png"
            parts.append(f"<img src='data:image/{kind};base64,{data}'>")
    page = folder / "inline.html"
    page.write_text("".join(parts) + "<script>window.ready = true</script>")
    return page


def opened(page: Path, ready: str) -> float:
    """Give the seconds until a page in Chromium can be used: the best of three."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("google-chrome")
    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for _ in range(3):
            tab = browser.new_page()
            started = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_function(ready)
            times.append(time.perf_counter() - started)
            tab.close()
        browser.close()
    return min(times)


def main() -> None:
    """Print the figures."""
    images = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        build(20, folder / "warm")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds = build(images, folder / "page")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - peak
        files = [file for file in (folder / "page").rglob("*") if file.is_file()]
        largest = max(file.stat().st_size for file in files) / 1e6
        whole = sum(file.stat().st_size for file in files) / 1e6
        print(f"{images} images x {len(METHODS)} methods: written in {seconds:.1f} s")
        print(f"memory: {peak:.0f} MB for 20 images, {grown:.0f} MB more for {images}")
        print(f"{len(files)} files, {whole:.1f} MB, the largest {largest:.2f} MB")
        if not (shutil.which("chromium") or shutil.which("google-chrome")):
            print("no Chromium here: opening was not measured")
            return
        ours = opened(
            folder / "page/index.html",
            "document.querySelector('.explorer[data-ready=yes]') !== null",
        )
        theirs = opened(inline(folder / "page", images), "window.ready === true")
        print(
            f"usable after {ours:.2f} s; inlined in one file {theirs:.2f} s, {theirs / ours:.1f}x"
        )


if __name__ == "__main__":
    main()

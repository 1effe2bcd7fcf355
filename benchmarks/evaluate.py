"""Speed of the evaluation, beside a straightforward evaluator in the same run.

    .venv/bin/python benchmarks/evaluate.py [--images 24] [--threads 2]

The peer follows the released evaluator step by step: 1,000 thresholds, OpenCV's contours at each,
overlaps in one NumPy call an image. Results are compared number by number before any time is
reported. Ratios are of seconds an image, once with the peer and us on one core each, once with us
on all threads.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.metrics.box import level_of, map_boxes, measure
from sightline.metrics.kernels import fast_boxes, fast_pixels
from sightline.metrics.protocol import THRESHOLD_STEPS, preset, threshold_grid
from sightline.metrics.score_maps import prepare

Floats = NDArray[np.float64]
SIDE = 224


def cam_like(rng: np.random.Generator, cells: int) -> Floats:
    """Upsample a coarse map as the papers do."""
    return prepare(rng.random((cells, cells)))


def gradient_like(rng: np.random.Generator) -> Floats:
    """Make a spiky map: absolute noise, lightly blurred, denser in the middle."""
    noise = np.abs(cv2.GaussianBlur(rng.normal(size=(SIDE, SIDE)), (0, 0), 1))
    offsets = np.linspace(-1, 1, SIDE)
    weight = np.exp(-(offsets[:, None] ** 2 + offsets**2))
    return prepare(noise * weight)


def straightforward(score_map: Floats, truth: Floats, largest: bool) -> Floats:
    """Best IoU at each of the 1,000 thresholds, as one would write it from the papers' code."""
    levels = (score_map * 255).astype(np.uint8)
    boxes: list[tuple[int, int, int, int]] = []
    counts = []
    for threshold in np.arange(0, 1, 1 / THRESHOLD_STEPS):
        level = int(threshold * levels.max())
        bits = cv2.threshold(levels, level, 255, cv2.THRESH_BINARY)[1]
        contours = cv2.findContours(bits, cv2.RETR_TREE, cv2.CHAIN_APPROX_SIMPLE)[0]
        if largest and contours:
            contours = [max(contours, key=cv2.contourArea)]
        found = [cv2.boundingRect(contour) for contour in contours]
        clipped = [(x, y, min(x + w, SIDE - 1), min(y + h, SIDE - 1)) for x, y, w, h in found] or [
            (0, 0, 0, 0)
        ]
        boxes += clipped
        counts.append(len(clipped))
    best = _overlaps(np.array(boxes, float), truth).max(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return np.maximum.reduceat(best, starts)


def _overlaps(boxes: Floats, truth: Floats) -> Floats:
    low = np.maximum(boxes[:, None, :2], truth[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], truth[None, :, 2:])
    shared = np.maximum(high - low + 1, 0).prod(axis=2)
    areas = [(b[:, 2:] - b[:, :2] + 1).prod(axis=1) for b in (boxes, truth)]
    return np.asarray(shared / (areas[0][:, None] + areas[1] - shared))


def ours(score_map: Floats, truth: Floats, largest: bool) -> Floats:
    """Give the same numbers from the component tree."""
    protocol = preset("reference-v1" if largest else "reference-v2")
    found = map_boxes(score_map, protocol)
    by_level = fast_boxes.best_overlap(
        found.segments, found.top, found.height, found.width, truth, True
    )
    return by_level[level_of(found, threshold_grid(), protocol)]


def two_histograms(score_map: Floats, mask: NDArray[np.uint8]) -> Any:
    """PxAP's counts as the released evaluator makes them."""
    edges = np.append(np.arange(0, 1, 1 / THRESHOLD_STEPS), [1.0, 2.0, 3.0])
    return np.array([np.histogram(score_map[mask == code], edges)[0] for code in (1, 0)])


def seconds(work: Callable[[], object], at_least: float = 0.5) -> float:
    """Time one call: the fastest of several rounds."""
    work()
    best, spent = np.inf, 0.0
    while spent < at_least:
        started = time.perf_counter()
        work()
        took = time.perf_counter() - started
        best, spent = min(best, took), spent + took
    return float(best)


def over(items: Sequence[Any], work: Callable[..., object], threads: int) -> Callable[[], object]:
    """Do work on all items, on one thread or several."""
    if threads == 1:
        return lambda: [work(*item) for item in items]
    parts = [items[i::threads] for i in range(threads)]
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(lambda part: [work(*item) for item in part], parts))


def row(name: str, peer: float, alone: float, together: float, pixels: int) -> str:
    """Format one line of the table; times are for an image."""
    cells: Iterable[str] = (
        name,
        f"{1e3 * peer:.2f} ms",
        f"{1e3 * alone:.3f} ms",
        f"{1e9 * alone / pixels:.2f}",
        f"{peer / alone:.0f}",
        f"{peer / together:.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def boxes_table(images: int, threads: int, rng: np.random.Generator) -> None:
    """Compare the two evaluators on four kinds of maps, both versions."""
    kinds: dict[str, Callable[[], Floats]] = {
        "CAM-like 7x7": lambda: cam_like(rng, 7),
        "CAM-like 14x14": lambda: cam_like(rng, 14),
        "CAM-like 28x28": lambda: cam_like(rng, 28),
        "gradient-like": lambda: gradient_like(rng),
    }
    for version, largest in (("v1", True), ("v2", False)):
        for name, make in kinds.items():
            corners = np.sort(rng.integers(0, SIDE, (images, 2, 2)), axis=1)
            truths = corners.reshape(images, 1, 4).astype(float)
            items = [(make(), truth, largest) for truth in truths]
            some = items[: max(2, images // 8)]
            for item in some:
                assert (straightforward(*item) == ours(*item)).all(), f"{name} {version} differs"
            peer = seconds(over(some, straightforward, 1)) / len(some)
            alone = seconds(over(items, ours, 1)) / images
            together = seconds(over(items, ours, threads)) / images
            print(row(f"{version}, {name}", peer, alone, together, SIDE * SIDE))


def masks_table(images: int, threads: int, rng: np.random.Generator) -> None:
    """Compare the histograms behind PxAP."""
    blobs = [cam_like(rng, 5) > 0.5 for _ in range(images)]
    masks = [np.asarray(blob, np.uint8) for blob in blobs]
    for name, cells in (("CAM-like 14x14", 14), ("gradient-like", 0)):
        maps = [cam_like(rng, cells) if cells else gradient_like(rng) for _ in masks]
        items = list(zip(maps, masks, strict=True))
        for score_map, mask in items:
            counted = fast_pixels.histograms(score_map, mask, THRESHOLD_STEPS)
            assert (counted == two_histograms(score_map, mask)[:, :-1]).all(), f"{name} differs"
        work = [(score_map, mask, THRESHOLD_STEPS) for score_map, mask in items]
        peer = seconds(over(items, two_histograms, 1)) / images
        alone = seconds(over(work, fast_pixels.histograms, 1)) / images
        together = seconds(over(work, fast_pixels.histograms, threads)) / images
        print(row(f"PxAP counts, {name}", peer, alone, together, SIDE * SIDE))


def limits(images: int, rng: np.random.Generator) -> None:
    """Tell what reading alone costs, and what a whole measurement does."""
    protocol = preset("reference-v2")
    truth = np.array([[40.0, 40.0, 180.0, 180.0]])
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{i}.npy") for i in range(images)]
        for file in files:
            np.save(file, cam_like(rng, 14).astype(np.float32))
        read = seconds(lambda: [np.load(file) for file in files]) / images
        maps = [np.load(file) for file in files]
        whole = seconds(lambda: [measure(m, truth, protocol) for m in maps]) / images
    pixels = SIDE * SIDE
    print(
        f"\nreading a float32 map from disk cache: {1e3 * read:.3f} ms"
        f" ({1e9 * read / pixels:.2f} ns a pixel)"
    )
    print(
        f"whole measurement, v2 (boxes, overlaps, pointing, energy): {1e3 * whole:.3f} ms"
        f" ({1e9 * whole / pixels:.2f} ns a pixel)"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=24)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    print(
        f"maps of {SIDE}x{SIDE}; peer on one core; OpenCV {cv2.__version__}, NumPy {np.__version__}"
    )
    print(
        "| case | peer | ours, one core | ns a pixel | ratio, one core |"
        f" ratio, {chosen.threads} cores |"
    )
    print("|---|---|---|---|---|---|")
    cv2.setNumThreads(1)
    boxes_table(chosen.images, chosen.threads, rng)
    masks_table(chosen.images, chosen.threads, rng)
    limits(chosen.images, rng)


if __name__ == "__main__":
    main()

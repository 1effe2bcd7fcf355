"""Evaluate tens of thousands of maps from disk: images a second, and memory that stays the same.

    .venv/bin/python benchmarks/many_maps.py [--images 50000]

Maps of 224x224 (float16) are links to a few distinct files, so that the disk holds megabytes
instead of gigabytes; every one is opened, read and scored all the same. The peer reads the same
files and does nothing with them: no evaluator can be faster than that.
"""

import argparse
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import sightline as sl

SIDE = 224
DISTINCT = 64


def write(folder: Path, images: int) -> None:
    """Write maps and a ground truth of one box an image."""
    rng = np.random.default_rng(0)
    (folder / "maps").mkdir()
    (folder / "truth").mkdir()
    sources = []
    for i in range(DISTINCT):
        sources.append(folder / f"source{i}.npy")
        np.save(sources[-1], sl.prepare(rng.random((14, 14))).astype(np.float16))
    names = [f"{i:06d}.jpg" for i in range(images)]
    for i, name in enumerate(names):
        (folder / "maps" / f"{name}.npy").hardlink_to(sources[i % DISTINCT])
    corners = np.sort(rng.integers(0, SIDE, (images, 2, 2)), axis=1).reshape(images, 4)
    lists = {
        "image_ids": names,
        "class_labels": [f"{name},{i % 100}" for i, name in enumerate(names)],
        "image_sizes": [f"{name},{SIDE},{SIDE}" for name in names],
        "localization": [
            f"{name},{','.join(map(str, box))}"
            for name, box in zip(names, corners.tolist(), strict=True)
        ],
    }
    for name, lines in lists.items():
        (folder / "truth" / f"{name}.txt").write_text("\n".join(lines))


def read_all(files: list[Path]) -> None:
    """Read the maps on two threads, and no more."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(np.load, files, chunksize=256):
            pass


def main() -> None:
    """Print one line a size, so that growth would show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=50_000)
    most = parser.parse_args().images
    print("| maps | evaluate | images a second | reading alone | ratio | peak memory |")
    print("|---|---|---|---|---|---|")
    for images in (most // 10, most):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder, images)
            started = time.perf_counter()
            row = sl.evaluate(folder / "maps", folder / "truth", "reference-v2")
            whole = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            started = time.perf_counter()
            read_all(sorted((folder / "maps").iterdir()))
            reading = time.perf_counter() - started
        assert row.result["images"] == images
        print(
            f"| {images} | {whole:.1f} s | {images / whole:.0f} | {reading:.1f} s |"
            f" {whole / reading:.1f} | {peak:.0f} MB |"
        )


if __name__ == "__main__":
    main()

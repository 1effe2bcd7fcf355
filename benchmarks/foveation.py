"""Foveation of part sequences: the fast path against the plain form in NumPy, in the same run.

.venv/bin/python benchmarks/foveation.py [--threads 2] [--pictures 4] [--masks 8]

A sequence shows one picture with more and more parts revealed. The plain form, written as public
Python code for such visual fields is, blurs the picture and blends level by level for each image.
It is also timed with levels that are kept for all masks of a picture, as the fast path keeps them.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cv2
import numpy as np

from sightline.parts import foveation_reference
from sightline.parts.foveation import Field, foveated, levels_of

SIZES = ((224, 224), (375, 500))  # height, width


def main() -> None:
    """Print a line for each size and form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pictures", type=int, default=4)
    parser.add_argument("--masks", type=int, default=8)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"{asked.pictures} pictures, {asked.masks} masks each, {asked.threads} threads")
    print(f"{'size':<10} {'form':<28} {'ms an image':>12} {'against plain':>14}")
    for height, width in SIZES:
        work = scenes(height, width, asked.pictures, asked.masks)
        fast_on(work[:1])  # compiles
        fast, plain, kept = (
            timed(run, work, asked.threads) for run in (fast_on, plain_on, kept_on)
        )
        images = asked.pictures * asked.masks
        forms = (("plain", plain), ("plain, levels kept", kept), ("fast", fast))
        for name, seconds in forms:
            ratio = f"{plain / seconds:.1f} x"
            text = f"{width}x{height}"
            print(f"{text:<10} {name:<28} {1000 * seconds / images:>12.2f} {ratio:>14}")
        print(f"{'':<10} largest difference {difference(work)} of 255")


def scenes(height: int, width: int, pictures: int, masks: int) -> list[Any]:
    """Make pictures and growing masks."""
    made = []
    for seed in range(pictures):
        rng = np.random.default_rng(seed)
        small = rng.integers(0, 256, (height // 4, width // 4, 3)).astype(np.uint8)
        picture = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
        grown, mask = [], np.zeros((height, width), np.uint8)
        for _ in range(masks):
            center = (int(rng.integers(width)), int(rng.integers(height)))
            cv2.circle(mask, center, height // 10, 1, -1)
            grown.append(mask > 0)
        made.append((picture, grown, Field(0.01 * float(np.hypot(height, width)))))
    return made


def fast_on(work: Sequence[Any]) -> None:
    """Blur once a picture, and blend for each mask."""
    for picture, masks, field in work:
        levels = levels_of(picture)
        for mask in masks:
            foveated(levels, mask, field)


def plain_on(work: Sequence[Any]) -> None:
    """Blur and blend for each mask."""
    for picture, masks, field in work:
        for mask in masks:
            foveation_reference.foveated(picture, mask, field)


def kept_on(work: Sequence[Any]) -> None:
    """Blend for each mask what was blurred once."""
    for picture, masks, field in work:
        pyramid = foveation_reference.pyramid_of(picture)
        for mask in masks:
            foveation_reference.blended(picture, pyramid, mask, field)


def timed(run: Callable[[Sequence[Any]], None], work: Sequence[Any], threads: int) -> float:
    """Give each thread its share of the pictures; take the best of three."""
    found = []
    shares = [work[n::threads] for n in range(threads)]
    for _ in range(3):
        started = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, shares))
        found.append(time.perf_counter() - started)
    return min(found)


def difference(work: Sequence[Any]) -> int:
    """Tell how far the two forms are apart."""
    picture, masks, field = work[0]
    fast = foveated(levels_of(picture), masks[0], field).astype(int)
    return int(np.abs(fast - foveation_reference.foveated(picture, masks[0], field)).max())


if __name__ == "__main__":
    main()

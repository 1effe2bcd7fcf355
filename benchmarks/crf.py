"""Speed and accuracy of the dense CRF loss beside the sum over all pairs, in the same run.

    .venv/bin/python benchmarks/crf.py [--data ../shared/data/pets] [--sides 64 96 160 224]

The peer is the definition on one thread: the matrix of all pairs, in blocks, times the shares, with
PyTorch in single precision (its matrix products are as fast as the machine has them). Shares are
smooth noise; pictures are photographs, or Pond's where there are none. A loss and its gradient cost
one filtering, by either way, so that this is what is timed: the fastest of the rounds, after one to
warm up. Errors are those of ours against the peer in double precision: of the loss, and of the
gradient in the norm of all pixels.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from sightline.data.example import write
from sightline.methods.pixelwise.filtering import bilateral

RGB, XY, USUAL = 15.0, 100.0, 224  # as F-CAM has them, for images of side 224
BLOCK = 1024  # pixels whose pairs are held at a time
Array = NDArray[Any]


def by_pairs(colors: Array, shares: Array, xy: float, kind: torch.dtype) -> Array:
    """Filter as the definition says."""
    side = len(colors)
    places = np.moveaxis(np.indices((side, side)), 0, -1) / xy
    points = torch.tensor(np.concatenate([places, colors / RGB], 2).reshape(-1, 5), dtype=kind)
    flat = torch.tensor(shares.reshape(len(points), -1), dtype=kind)
    squares = points.square().sum(1) / 2
    found = torch.empty_like(flat)
    for start in range(0, len(points), BLOCK):
        part = slice(start, start + BLOCK)
        exponents = points[part] @ points.T - squares[part, None] - squares
        found[part] = exponents.exp_() @ flat
    return found.reshape(shares.shape).numpy()


def fastest(work: Callable[[], Array], rounds: int) -> tuple[float, Array]:
    """Give the processor time of the fastest round, and what it found."""
    taken = []
    for _ in range(rounds + 1):
        started = time.thread_time()
        found = work()
        taken.append(time.thread_time() - started)
    return min(taken[1:] or taken), found


def shares_of(side: int, seed: int) -> Array:
    """Make smooth shares of two classes."""
    noise = np.random.default_rng(seed).uniform(size=(side, side))
    smooth = cv2.GaussianBlur(noise, (0, 0), side / 20)
    one = (smooth - smooth.min()) / np.ptp(smooth)
    return np.stack([1 - one, one], -1)


def line(files: Sequence[Path], side: int, rounds: int) -> str:
    """Measure the photographs at one size, and write a line of the table."""
    xy = XY * side / USUAL
    ours, peers, losses, gradients = [], [], [], []
    for number, file in enumerate(files):
        picture = cv2.resize(cv2.imread(str(file)), (side, side), interpolation=cv2.INTER_AREA)
        colors, shares = picture.astype(np.float64), shares_of(side, number)
        exact = by_pairs(colors, shares, xy, torch.float64)
        seconds, found = fastest(lambda c=colors, s=shares: bilateral(c, s, RGB, xy), rounds)  # type: ignore[misc]
        ours.append(seconds)
        peer, _ = fastest(
            lambda c=colors, s=shares: by_pairs(c, s, xy, torch.float32),  # type: ignore[misc]
            1 if side > 100 else rounds,
        )
        peers.append(peer)
        losses.append(abs((shares * found).sum() / (shares * exact).sum() - 1))
        gradients.append(np.linalg.norm(found - exact) / np.linalg.norm(exact))
    mine, other = np.median(ours), np.median(peers)
    cells = f"{side}", f"{1e3 * other:.0f} ms", f"{1e3 * mine:.0f} ms", f"{other / mine:.1f}"
    return "| " + " | ".join([*cells, f"{max(losses):.1e}", f"{max(gradients):.1e}"]) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/pets"))
    parser.add_argument("--sides", type=int, nargs="+", default=[64, 96, 160, 224])
    parser.add_argument("--images", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)  # the peer would be slow at weights that are next to nothing
    with tempfile.TemporaryDirectory() as place:
        files = sorted((chosen.data / "images").rglob("*.jpg"))
        if not files:
            write(Path(place), chosen.images, 0)
            files = sorted(Path(place, "images").rglob("*.png"))
        files = files[:: max(1, len(files) // chosen.images)][: chosen.images]
        print(f"{len(files)} pictures, one thread, processor time; errors are the largest\n")
        print("| side | all pairs | ours | ratio | error of the loss | of its gradient |")
        print("|---|---|---|---|---|---|")
        for side in chosen.sides:
            print(line(files, side, chosen.rounds), flush=True)


if __name__ == "__main__":
    main()

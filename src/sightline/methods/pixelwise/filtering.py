"""The bilateral Gaussian filter of all pixels with all others, without visiting all pairs.

    (W s)_i = sum_j exp(-|p_i - p_j|^2 / 2 sigma_xy^2 - |c_i - c_j|^2 / 2 sigma_rgb^2) s_j

`bilateral_by_pairs` is that sum as it stands: the definition, and slow. `bilateral` takes it apart.
The part of place is wide, so that few products of functions of row and column make it up: its
leading eigenvectors. What is left is a filter in the space of colors, once for each product. It is
computed on a grid: pixels are spread over the nodes near their color with quadratic B-splines,
the nodes are blurred, and pixels read them in the same way. The blur is what makes spreading,
blurring and reading a Gaussian together; what it still lacks of 1 for a pixel's own color is made
up for by a factor for each pixel. W stays symmetric, so that the gradient of a quadratic
form is that of what was computed. A permutohedral lattice, which is usual, has to approximate all
five dimensions coarsely; here there are only the three of color to approximate.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sightline.compiled import compiled

Floats = NDArray[np.float32]
STEPS = 2.0  # grid nodes in a sigma_rgb
KEPT = 1e-5  # of the leading product's eigenvalue: what is smaller is left out
REACH = 4.5  # of the blur, in sigmas
SPREAD = 3  # nodes that a quadratic B-spline covers, in each direction
WIDEST = 64  # channels of a grid at a time


def bilateral_by_pairs(
    colors: NDArray[np.float64], signals: NDArray[np.float64], sigma_rgb: float, sigma_xy: float
) -> NDArray[np.float64]:
    """Filter signals (H, W, K) by colors (H, W, 3), pair by pair."""
    height, width = colors.shape[:2]
    places = np.moveaxis(np.indices((height, width)), 0, -1).reshape(-1, 2) / sigma_xy
    points = np.concatenate([places, colors.reshape(-1, 3) / sigma_rgb], 1)
    flat = signals.reshape(len(points), -1).astype(np.float64)
    found = np.empty_like(flat)
    for start in range(0, len(points), 256):
        distances = points[start : start + 256, None] - points[None]
        found[start : start + 256] = np.exp(-(distances**2).sum(2) / 2) @ flat
    return found.reshape(signals.shape)


def bilateral(
    colors: NDArray[np.floating], signals: NDArray[np.floating], sigma_rgb: float, sigma_xy: float
) -> Floats:
    """Filter signals (H, W, K) by colors (H, W, 3)."""
    height, width = colors.shape[:2]
    flat = np.ascontiguousarray(signals, np.float32).reshape(height * width, -1)
    low = colors.reshape(-1, 3).min(0)
    nodes = (colors.reshape(-1, 3) - low) * (STEPS / sigma_rgb) + 1
    sizes = np.floor(nodes.max(0) + 0.5).astype(np.int64) + 2
    grid = np.ascontiguousarray(nodes, np.float32), sizes, _taps()
    products = _products(height, width, float(sigma_xy))
    found = np.zeros_like(flat)
    part = max(1, WIDEST // flat.shape[1])
    for start in range(0, products.shape[1], part):
        weights = np.ascontiguousarray(products[:, start : start + part])
        _filter_by_color(*grid, weights, flat, found)
    return found.reshape(signals.shape)


@lru_cache(maxsize=8)
def _products(height: int, width: int, sigma: float) -> Floats:
    """Give the functions of place whose products with themselves add up to the Gaussian, (HW, R).

    One function is an eigenvector of the rows' Gaussian times one of the columns', by the square
    root of both eigenvalues.
    """
    sides = []
    for count in (height, width):
        places = np.arange(count) / sigma
        values, vectors = np.linalg.eigh(np.exp(-((places[:, None] - places) ** 2) / 2))
        kept = values > KEPT * values[-1]
        sides.append((values[kept][::-1], vectors[:, kept][:, ::-1]))
    (of_rows, rows), (of_columns, columns) = sides
    sizes = np.multiply.outer(of_rows, of_columns)
    chosen = np.argwhere(sizes > KEPT * sizes.max())
    functions = [
        np.sqrt(sizes[a, b]) * np.multiply.outer(rows[:, a], columns[:, b]).ravel()
        for a, b in chosen
    ]
    made: Floats = np.stack(functions, 1).astype(np.float32)
    return made


@lru_cache(maxsize=1)
def _taps() -> Floats:
    """Give the blur on the grid, from its middle outwards.

    In frequencies, it is the Gaussian divided by what spreading and reading blur already.
    """
    frequencies = (np.arange(4096) + 0.5) * (np.pi / 4096)
    gaussian = np.sqrt(2 * np.pi) * STEPS * np.exp(-((STEPS * frequencies) ** 2) / 2)
    splines = (np.sin(frequencies / 2) / (frequencies / 2)) ** (2 * SPREAD)
    places = np.arange(int(np.ceil(REACH * STEPS)) + 1)
    blur = np.cos(np.outer(places, frequencies)) @ (gaussian / splines) / 4096
    return np.asarray(blur, np.float32)


@compiled
def _filter_by_color(
    nodes: Floats,
    sizes: NDArray[np.int64],
    taps: Floats,
    products: Floats,
    signals: Floats,
    found: Floats,
) -> None:
    """Add to `found` what each product of functions of place brings in."""
    count, depth = products.shape[1], signals.shape[1]
    cells = sizes[0] * sizes[1] * sizes[2]
    grid = np.zeros((cells, count * depth), np.float32)
    used = np.zeros(cells, np.bool_)
    strides = np.array([sizes[1] * sizes[2], sizes[2], 1])
    weights = np.empty((3, 3), np.float32)
    row = np.empty(count * depth, np.float32)
    factors = np.empty(len(nodes), np.float32)
    for i in range(len(nodes)):
        first = _near(nodes[i], strides, weights)
        factors[i] = 1 / np.sqrt(_own(weights, taps))
        for r in range(count):
            for k in range(depth):
                row[r * depth + k] = factors[i] * products[i, r] * signals[i, k]
        for a in range(3):
            for b in range(3):
                for c in range(3):
                    cell = first + a * strides[0] + b * strides[1] + c
                    used[cell] = True
                    weight = weights[0, a] * weights[1, b] * weights[2, c]
                    for n in range(len(row)):
                        grid[cell, n] += weight * row[n]
    grid = _blurred(grid, used, sizes, strides, taps)
    for i in range(len(nodes)):
        first = _near(nodes[i], strides, weights)
        row[:] = 0
        for a in range(3):
            for b in range(3):
                for c in range(3):
                    cell = first + a * strides[0] + b * strides[1] + c
                    weight = weights[0, a] * weights[1, b] * weights[2, c]
                    for n in range(len(row)):
                        row[n] += weight * grid[cell, n]
        for r in range(count):
            for k in range(depth):
                found[i, k] += factors[i] * products[i, r] * row[r * depth + k]


@compiled
def _own(weights: Floats, taps: Floats) -> float:
    """Tell what a color would get of itself."""
    share = 1.0
    for axis in range(3):
        along = 0.0
        for a in range(3):
            for b in range(3):
                along += weights[axis, a] * weights[axis, b] * taps[abs(a - b)]
        share *= along
    return share


@compiled
def _near(node: Floats, strides: NDArray[np.int64], weights: Floats) -> int:
    """Give the first of the 3 x 3 x 3 cells near a color, and their weights along each axis."""
    first = 0
    for axis in range(3):
        middle = int(np.floor(node[axis] + np.float32(0.5)))
        off = node[axis] - np.float32(middle)
        weights[axis, 0] = np.float32(0.5) * (np.float32(0.5) - off) ** 2
        weights[axis, 1] = np.float32(0.75) - off * off
        weights[axis, 2] = np.float32(0.5) * (np.float32(0.5) + off) ** 2
        first += (middle - 1) * strides[axis]
    return first


@compiled
def _blurred(
    grid: Floats,
    used: NDArray[np.bool_],
    sizes: NDArray[np.int64],
    strides: NDArray[np.int64],
    taps: Floats,
) -> Floats:
    """Blur along each axis; empty cells give nothing, and unread ones are left out at the end."""
    filled = used.copy()
    for axis in range(3):
        after = np.zeros_like(grid)
        reached = np.zeros_like(filled)
        for cell in range(len(grid)):
            if not filled[cell]:
                continue
            place = cell // strides[axis] % sizes[axis]
            for step in range(max(-place, 1 - len(taps)), min(sizes[axis] - place, len(taps))):
                target = cell + step * strides[axis]
                if axis == 2 and not used[target]:
                    continue
                reached[target] = True
                weight = taps[abs(step)]
                for n in range(grid.shape[1]):
                    after[target, n] += weight * grid[cell, n]
        grid, filled = after, reached
    return grid

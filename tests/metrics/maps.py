"""Score maps, boxes, masks and protocols that tests draw from: hand-made cases and strategies."""

import cv2
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from sightline.errors import UsageError
from sightline.metrics.protocol import Protocol, threshold_grid


def rings(size, values):
    """Nest square rings, the outermost first."""
    made = np.zeros((size, size))
    for i, value in enumerate(values):
        made[i : size - i, i : size - i] = value
    return made


def spiral(size):
    """Wind a line one pixel wide, with a gap of one pixel, from the corner inward."""
    made = np.zeros((size, size))
    y, x, dy, dx = 0, 0, 0, 1
    made[0, 0] = 1
    while True:
        for _turn in range(2):
            ahead = (y + dy, x + dx)
            beyond = (y + 2 * dy, x + 2 * dx)
            free = all(0 <= i < size for i in ahead) and not made[ahead]
            if free and not (all(0 <= i < size for i in beyond) and made[beyond]):
                break
            dy, dx = dx, -dy
        else:
            return made
        y, x = y + dy, x + dx
        made[y, x] = 1


def picture(*rows):
    """Read digits as tenths, dots as zero and # as one."""
    tenths = {".": 0.0, "#": 1.0} | {str(i): i / 10 for i in range(10)}
    return np.array([[tenths[mark] for mark in row] for row in rows])


def _gaussian(height, width):
    y, x = np.mgrid[:height, :width]
    return np.exp(-((y - height / 2) ** 2 + (x - width / 3) ** 2) / (2 * (width / 4) ** 2))


def _hand_made():
    rng = np.random.default_rng(7)
    y, x = np.mgrid[:12, :12]
    diagonal = np.eye(11)
    cross = np.maximum(diagonal, diagonal[::-1])
    noise = rng.random((13, 11))
    return {
        "one pixel, zero": np.zeros((1, 1)),
        "one pixel, one": np.ones((1, 1)),
        "one row": noise[:1],
        "one column": noise[:, :1],
        "one row of islands": np.array([[1, 0, 0.5, 0.5, 0, 1, 0]]),
        "two by two": np.array([[0.2, 1], [1, 0.2]]),
        "two rows": noise[:2],
        "all zero": np.zeros((7, 9)),
        "constant": np.full((9, 7), 0.5),
        "all one": np.ones((6, 6)),
        "barely above zero": np.full((5, 5), 0.003),
        "checkerboard": ((y + x) % 2).astype(float),
        "checkerboard of blocks": ((y // 3 + x // 3) % 2).astype(float),
        "checkerboard of levels": ((y + x) % 2) * (y + 1) / 12,
        "plateaus": np.kron(rng.integers(0, 4, (4, 4)) / 3, np.ones((3, 3))),
        "stairs": np.minimum(y, x) / 11,
        "horizontal line": np.where(y == 5, 1.0, 0.1),
        "vertical line": np.where(x == 5, 0.8, 0.0),
        "diagonal": diagonal,
        "antidiagonal": diagonal[::-1] * 0.6,
        "cross": cross,
        "faded cross": cross * np.linspace(0.2, 1, 11),
        "rings": rings(11, [1, 0, 1, 0, 1, 0]),
        "rings rising": rings(11, [0.1, 0.3, 0.5, 0.7, 0.9, 1]),
        "rings falling": rings(11, [1, 0.9, 0.7, 0.5, 0.3, 0.1]),
        "rings uneven": rings(13, [0, 0.9, 0.2, 1, 0.1, 0.8, 0]),
        "spiral": spiral(13),
        "spiral fading": spiral(11) * np.linspace(1, 0.3, 11)[:, None],
        "noise": noise,
        "noise below one": noise * 0.37,
        "noise of few levels": rng.integers(0, 5, (14, 14)) / 4,
        "binary noise": rng.integers(0, 2, (15, 12)).astype(float),
        "sparse": (rng.random((16, 16)) > 0.85) * rng.random((16, 16)),
        "dense": np.where(rng.random((16, 16)) > 0.15, 1 - rng.random((16, 16)) / 9, 0),
        "gaussian": _gaussian(16, 20),
        "at the levels": (np.arange(120) % 256 / 255).reshape(10, 12),
        "under the levels": np.nextafter(np.arange(1, 121) / 255, 0).reshape(12, 10),
        "single-precision noise": noise.astype(np.float32).astype(float),
        "diamond rings": np.abs(np.abs(y - 5) + np.abs(x - 5) - 3) % 2 / 2 + (y == x) / 2,
        "islands in holes": picture(
            "..............",
            ".############.",
            ".#..........#.",
            ".#.8888888..#.",
            ".#.8.....8..#.",
            ".#.8.#5#.8..#.",
            ".#.8.5.5.8..#.",
            ".#.8.#5#.8..#.",
            ".#.8.....8..#.",
            ".#.8888888.4#.",
            ".#..........#.",
            ".############.",
            "3............6",
        ),
        "holes that open at a corner": picture(
            "#####.",
            "#...#.",
            "#.#.#.",
            "#...#.",
            "####..",
            ".....7",
        ),
        "holes at the edge": picture(
            "##.##",
            "#...#",
            "##.##",
            "#.#.#",
            "##.##",
        ),
        "equal squares": picture(
            "##..##..##",
            "##..##..##",
            "..........",
            "##..99..##",
            "##..99..##",
        ),
        "equal polygons of unequal pixels": picture(
            "##......###",
            "##.####...#",
            "..........#",
            "#########..",
            "..##.......",
            "..##...##..",
            ".......##..",
        ),
        "a thin loop": picture(
            ".....#.....",
            "....#.#....",
            "...#...#...",
            "....#.#....",
            ".....#.....",
            "#.........#",
        ),
    }


HAND_MADE = _hand_made()


def distinct_thresholds(score_map, protocol):
    """List one threshold for every foreground that the protocol can see."""
    if protocol.levels == "exact":
        scores = np.unique(score_map)
        beside = np.nextafter(scores, -1), np.nextafter(scores, 2)
        return np.unique([*scores, *np.concatenate(beside), scores[-2:].mean(), 1.0])
    grid = threshold_grid()
    level = (grid * int((score_map * 255).astype(np.uint8).max())).astype(int)
    return grid[np.flatnonzero(np.diff(level, append=level[-1] + 1))]


def make_protocol(**choices):
    """Name a protocol by nothing but its choices, None where they exclude each other."""
    try:
        return Protocol(name="drawn", **choices)
    except UsageError:
        return None


@st.composite
def protocols(draw, **fixed):
    """Draw any allowed combination of the choices that decide which boxes a map gives."""
    choices = {
        "levels": draw(st.sampled_from(["quantized", "exact"])),
        "comparison": draw(st.sampled_from([">", ">="])),
        "contours": draw(st.sampled_from(["all", "largest"])),
        "largest_by": draw(st.sampled_from(["polygon", "pixels"])),
        "connectivity": draw(st.sampled_from([4, 8])),
        "holes": draw(st.booleans()),
        "box_ends": draw(st.sampled_from(["reference", "true"])),
        "truth_boxes": draw(st.sampled_from(["best", "first"])),
    } | fixed
    if choices["contours"] == "largest" and choices["largest_by"] == "polygon":
        choices["connectivity"] = 8
    return make_protocol(**choices)


PALETTES = st.sampled_from(
    [
        (0.0, 1.0),
        (0.0, 0.5, 1.0),
        (0.0, 0.1, 0.2, 0.9),
        (0.0, 0.25, 0.2509, 0.2511, 0.37),
        (0.3, 0.6, 0.9),
        tuple(i / 255 for i in range(0, 256, 15)),
    ]
)


@st.composite
def score_maps(draw, largest=12):
    """Draw a map of few levels, or of any floats in [0, 1]."""
    shape = draw(st.tuples(st.integers(1, largest), st.integers(1, largest)))
    if draw(st.booleans()):
        return draw(npst.arrays(np.float64, shape, elements=st.sampled_from(draw(PALETTES))))
    return draw(npst.arrays(np.float64, shape, elements=st.floats(0, 1, width=32)))


@st.composite
def true_boxes(draw, shape, ends="reference", most=3):
    """Draw true boxes in a map's frame, whole pixels or not, many of them at the border."""
    height, width = shape
    last = 1 if ends == "reference" else 0

    def interval(length):
        if ends == "true" and draw(st.booleans()):
            corners = st.floats(0, length, width=32)
        else:
            corners = st.integers(0, length - last) | st.sampled_from([0, length - last])
        return sorted((float(draw(corners)), float(draw(corners))))

    boxes = []
    for _ in range(draw(st.integers(1, most))):
        (x0, x1), (y0, y1) = interval(width), interval(height)
        boxes.append((x0, y0, x1, y1))
    return np.array(boxes)


def some_boxes(shape, seed=0, n=3, ends="reference"):
    """Give boxes in a map's frame: the whole of it, one at the far corner, and random ones."""
    height, width = shape
    last = 1 if ends == "reference" else 0
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, width, (n, 2)), axis=1)
    y = np.sort(rng.integers(0, height, (n, 2)), axis=1)
    inner = np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1)
    far = [width // 2, height // 2, width - last, height - last]
    return np.array([*inner, far, [0, 0, width - last, height - last]], float)


def large_map(kind, shape):
    """Make a map of any size: smooth blobs, noise, or drawn lines and boxes of few levels."""
    rng = np.random.default_rng(shape[0])
    if kind == "noisy":
        return rng.random(shape)
    if kind == "smooth":
        raw = cv2.GaussianBlur(rng.random(shape), (0, 0), 9)
        return (raw - raw.min()) / max(raw.max() - raw.min(), 1e-9)
    made = np.zeros(shape)
    for _ in range(40):
        corners = (rng.random(4) * [shape[1], shape[0], shape[1], shape[0]]).astype(int).tolist()
        draw = cv2.rectangle if rng.random() < 0.6 else cv2.line
        draw(made, corners[:2], corners[2:], float(rng.integers(8) / 7), 1)
        draw(made, corners[2:], corners[:2], float(rng.integers(8) / 7), 2)
    return made / made.max()


def blobs(n, seed=0, shape=(24, 20), levels=None):
    """Make n maps with a blob each, and its true boxes: near it, or not so near."""
    rng = np.random.default_rng(seed)
    height, width = shape
    y, x = np.mgrid[:height, :width]
    maps, truths = [], []
    for _ in range(n):
        cy, cx = rng.uniform(4, height - 4), rng.uniform(4, width - 4)
        sy, sx = rng.uniform(2, 6, 2)
        made = np.exp(-((y - cy) ** 2) / (2 * sy**2) - (x - cx) ** 2 / (2 * sx**2))
        made = np.clip(made + rng.normal(0, 0.06, shape), 0, None)
        made /= made.max()
        maps.append(np.round(made * levels) / levels if levels else made)
        boxes = []
        for _ in range(rng.integers(1, 3)):
            half = rng.uniform(0.7, 2.2) * np.array([sx, sy])
            far = 6 if rng.random() < 0.25 else 1
            middle = np.clip(np.array([cx, cy]) + rng.normal(0, far, 2), 2, [width - 3, height - 3])
            low = np.maximum(np.rint(middle - half), 0)
            high = np.minimum(np.rint(middle + half), [width - 1, height - 1])
            boxes.append([*low, *high])
        truths.append(np.array(boxes))
    return maps, truths

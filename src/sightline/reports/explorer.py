"""The files behind the threshold explorer: photographs, maps, and what each threshold gives.

Browsers read no data from disk, so that all numbers come as script files which call
`sightline.take(key, value)`. Arrays are little-endian 16-bit numbers in base64; overlaps are in
ten-thousandths, rounded down, so that "reached 50 %" means the same here and there.
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.drawing.scenes import Scene, Stage, View
from sightline.errors import DataError, Problem
from sightline.metrics.box import level_of, map_boxes, measure
from sightline.metrics.geometry import iou
from sightline.metrics.kernels import fast_components, fast_pixels
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import Protocol, threshold_grid
from sightline.rows import plain, write_whole

STEPS = 100  # positions of the slider: thresholds 0, .01, ... .99
TOP = 10_000  # an overlap of 1
AT_ONCE = 8  # boxes drawn of a map at one threshold: the largest, and the best
SMALL = 0.002  # of the frame; smaller boxes are drawn only where they are the best
CHUNK = 20  # images a file of boxes
BINS = 50  # of the distribution of scores
PICTURE, MAP = 320, 112  # the longer side of a photograph, the sides of a map, in pixels
THREADS = 2
Overlaps = NDArray[np.uint16]  # (STEPS,)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the page needs of a map under a protocol."""

    overlaps: Overlaps
    boxes: NDArray[np.uint16]  # (N, 7): first and last step, box in parts of the map, overlap


@dataclass(slots=True, eq=False)
class Facts:
    """What is known of an image once all its maps were seen."""

    image: str
    label: str
    width: int
    height: int
    truth: list[list[int]] = field(default_factory=list)  # true boxes, in parts of the image
    area: float = 0.0  # of the object, as a share of the image
    objects: int = 1
    off_center: float = 0.0  # of the middle of the object, in halves of the image
    touches: bool = False  # the image's border


@dataclass(slots=True)
class Explored:
    """What was written, for those who tell of it."""

    stage: Stage
    folder: str
    facts: list[Facts]
    overlaps: dict[tuple[str, str], NDArray[np.uint16]]  # (images, STEPS) by protocol and method
    values: dict[tuple[str, str], NDArray[np.int64]]  # (BINS,) likewise: scores of all pixels
    problems: list[Problem]


def see_boxes(scores: NDArray[np.float64], truth: NDArray[np.float64], protocol: Protocol) -> Seen:
    """Find what a map's boxes reach at each step, and the boxes worth drawing."""
    free = replace(protocol, thresholds=(), threshold_choice="per-delta")
    found = map_boxes(scores, free)
    steps = threshold_grid(STEPS)
    reached = measure(scores, truth, free, found=found).overlaps[:: len(threshold_grid()) // STEPS]
    levels = level_of(found, steps, free)
    low, high = (found.segments[:, c] for c in (fast_components.LOW, fast_components.HIGH))
    first = np.searchsorted(levels, low, "left")
    last = np.searchsorted(levels, high, "right") - 1
    stands = first <= last
    corners = found.segments[stands, :4].astype(np.float64)
    first, last = first[stands], last[stands]
    height, width = scores.shape
    corners[:, 2:] += 1  # the end is one past the last pixel
    if free.box_ends == "reference":
        corners = np.minimum(corners, [width - 1, height - 1] * 2)
    wanted = truth[:1] if free.truth_boxes == "first" else truth
    best = iou(corners, wanted, free.box_ends).max(axis=1, initial=0)
    keep = _worth_drawing(corners, first, last, best, width * height)
    columns = [first, last, *_parts(corners, scores).T, np.floor(best * TOP + 1e-9)]
    return Seen(_in_steps(reached), np.stack(columns, axis=1)[keep].astype(np.uint16))


def _parts(corners: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give boxes in parts of a map's sides, since maps of one image may differ in size."""
    height, width = scores.shape
    return np.asarray(np.round(corners * TOP / np.array([width, height, width, height])))


def _worth_drawing(
    corners: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    best: NDArray[np.float64],
    frame: int,
) -> list[int]:
    """Choose the best box of each step, and beside it the largest ones."""
    areas = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    top, room = np.full(STEPS, -1), np.full(STEPS, AT_ONCE)
    for i in np.argsort(best, kind="stable"):
        top[first[i] : last[i] + 1] = i
    kept = set(top[top >= 0].tolist())
    for i in np.argsort(-areas, kind="stable"):
        if areas[i] < SMALL * frame:
            break
        span = slice(first[i], last[i] + 1)
        if room[span].max() > 0:
            kept.add(int(i))
            room[span] -= 1
    return sorted(kept)


def see_mask(scores: NDArray[np.float64], mask: NDArray[np.uint8], protocol: Protocol) -> Seen:
    """Find what a map's foreground shares with the mask at each step."""
    single = MaskAccumulator(replace(protocol, thresholds=(), threshold_choice="per-delta"))
    single.update(scores, mask)
    reached = single.mean_overlap()[:-1][:: len(threshold_grid()) // STEPS]
    return Seen(_in_steps(reached), np.zeros((0, 7), np.uint16))


def _in_steps(reached: NDArray[np.float64]) -> Overlaps:
    return np.floor(reached * TOP + 1e-9).astype(np.uint16)


def explore(
    stage: Stage, scene: Callable[[int], Scene], out: Path, folder: str, report: Any
) -> Explored:
    """Write all files of an explorer; images that cannot be read are left out and listed."""
    explored = Explored(stage, folder, [], {}, {}, [])
    rows: dict[tuple[str, str], list[Overlaps]] = {}
    boxes: list[dict[str, dict[str, str]]] = []
    (out / folder).mkdir(parents=True, exist_ok=True)

    def prepared(number: int) -> tuple[Facts, dict[tuple[str, str], Seen], Any] | Problem:
        try:
            return _seen(stage, scene(number))
        except DataError as error:
            return error.problems[0]

    for done, one in enumerate(_in_order(prepared, stage.images)):
        report(done)
        if isinstance(one, Problem):
            explored.problems.append(one)
            continue
        facts, seen, drawn = one
        _write_pictures(drawn, out / folder, len(explored.facts))
        explored.facts.append(facts)
        chunk: dict[str, dict[str, str]] = {}
        for (protocol, method), what in seen.items():
            rows.setdefault((protocol, method), []).append(what.overlaps)
            chunk.setdefault(protocol, {})[method] = _encoded(what.boxes)
        for key, counts in drawn.values.items():
            explored.values[key] = explored.values.get(key, np.zeros(BINS, np.int64)) + counts
        boxes.append(chunk)
        if len(boxes) == CHUNK:
            _write_boxes(boxes, out, folder, len(explored.facts))
            boxes = []
    if boxes:
        _write_boxes(boxes, out, folder, len(explored.facts))
    explored.overlaps = {key: np.stack(value) for key, value in rows.items()}
    _write_numbers(explored, out)
    return explored


def _in_order(work: Callable[[int], Any], count: int) -> Iterator[Any]:
    """Do work in threads, a bounded number ahead, results in order."""
    with ThreadPoolExecutor(THREADS) as pool:
        waiting = [pool.submit(work, i) for i in range(min(count, 4 * THREADS))]
        for i in range(count):
            yield waiting.pop(0).result()
            if i + 4 * THREADS < count:
                waiting.append(pool.submit(work, i + 4 * THREADS))


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    picture: bytes
    maps: list[bytes]  # by the method's number
    values: dict[tuple[str, str], NDArray[np.int64]]


def _seen(stage: Stage, scene: Scene) -> tuple[Facts, dict[tuple[str, str], Seen], _Drawn]:
    height, width = scene.picture.shape[:2]
    facts = Facts(scene.image, scene.label, width, height)
    seen, values = {}, {}
    levels: dict[str, NDArray[np.float64]] = {}
    for name, views in scene.views.items():
        protocol = stage.protocols[name]
        for method, view in views.items():
            levels.setdefault(method, view.scores)
            bins = np.minimum((view.scores * BINS).astype(int), BINS - 1)
            values[name, method] = np.bincount(bins.ravel(), minlength=BINS)
            if view.mask is not None:
                seen[name, method] = see_mask(view.scores, view.mask, protocol)
            else:
                assert view.boxes is not None
                seen[name, method] = see_boxes(view.scores, view.boxes, protocol)
        _describe(facts, next(iter(views.values())))
    maps = [_map_file(levels[method]) if method in levels else b"" for method in stage.methods]
    return facts, seen, _Drawn(_picture_file(scene), maps, values)


def _describe(facts: Facts, view: View) -> None:
    """Note where the object is: by its boxes, or else by its mask."""
    height, width = view.scores.shape
    if facts.truth:
        return
    if view.boxes is not None:
        corners = view.boxes
        facts.truth = _parts(corners, view.scores).astype(int).tolist()
    elif view.mask is not None and (view.mask == 1).any():
        y, x = np.nonzero(view.mask == 1)
        corners = np.array([[x.min(), y.min(), x.max() + 1, y.max() + 1]], float)
    else:
        return
    sides = (corners[:, 2:] - corners[:, :2]) / [width, height]
    largest = int(np.prod(sides, axis=1).argmax())
    middle = (corners[largest, :2] + corners[largest, 2:]) / 2 / [width, height]
    facts.area = float(np.prod(sides[largest]))
    facts.objects = len(corners)
    facts.off_center = float(2 * np.abs(middle - 0.5).max())
    x0, y0, x1, y1 = corners[largest]
    facts.touches = bool(x0 < 1 or y0 < 1 or x1 >= width - 1 or y1 >= height - 1)


def _picture_file(scene: Scene) -> bytes:
    height, width = scene.picture.shape[:2]
    scale = min(1.0, PICTURE / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(scene.picture, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
    return data.tobytes()


def _map_file(scores: NDArray[np.float64]) -> bytes:
    """Write a map's levels, 255 being its highest, as a small grey picture."""
    levels = fast_pixels.quantized(np.ascontiguousarray(scores))
    grey = (levels * (255 / max(1, levels.max()))).astype(np.uint8)
    if max(grey.shape) > MAP:
        grey = np.asarray(cv2.resize(grey, (MAP, MAP), interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".png", grey, [cv2.IMWRITE_PNG_COMPRESSION, 6])
    return data.tobytes()


def _write_pictures(drawn: _Drawn, folder: Path, number: int) -> None:
    (folder / f"{number}.jpg").write_bytes(drawn.picture)
    for method, data in enumerate(drawn.maps):
        if data:
            (folder / f"{number}-{method}.png").write_bytes(data)


def _write_boxes(chunk: Sequence[Any], out: Path, folder: str, stop: int) -> None:
    first = (stop - 1) // CHUNK * CHUNK
    take(out / folder / f"boxes-{first // CHUNK}.js", f"{folder}/boxes/{first // CHUNK}", chunk)


def _write_numbers(explored: Explored, out: Path) -> None:
    stage, folder = explored.stage, explored.folder
    methods = stage.methods
    protocols = [
        {
            "name": name,
            "kind": protocol.ground_truth_kind,
            "needed": list(protocol.iou_thresholds),
            "comparison": protocol.comparison,
            "methods": [
                {
                    "name": one.method,
                    "number": methods.index(one.method),
                    "metric": one.metric,
                    "value": one.value,
                    "thresholds": dict(one.thresholds),
                    "overlaps": _encoded(explored.overlaps[name, one.method]),
                }
                for one in stage.shown[name]
                if (name, one.method) in explored.overlaps
            ],
        }
        for name, protocol in stage.protocols.items()
    ]
    images = [
        {"id": f.image, "label": f.label, "size": [f.width, f.height], "truth": f.truth}
        for f in explored.facts
    ]
    content = {
        "title": stage.title,
        "of": stage.of,
        "seed": stage.seed,
        "steps": STEPS,
        "chunk": CHUNK,
        "methods": methods,
        "protocols": protocols,
        "images": images,
    }
    take(out / folder / "index.js", folder, content)


def take(file: Path, key: str, value: Any) -> None:
    """Write a value so that a page opened from disk can load it."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    write_whole(file, f"sightline.take({json.dumps(key)},{text});\n")


def _encoded(numbers: NDArray[np.uint16]) -> str:
    return base64.b64encode(numbers.astype("<u2").tobytes()).decode()

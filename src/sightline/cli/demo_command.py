"""`sightline demo`: the evaluation on a generated example, from nothing to numbers."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.cli.output import table
from sightline.errors import UsageError

KINDS = ("object", "head")
ROWS_SHOWN = 6


@dataclass(frozen=True)
class Command:
    """Score a generated example, which needs no download.

    Maps of whole objects, maps of their heads and the center-Gaussian baseline are scored against
    boxes and masks, and compared. The example is generated; it says nothing of real images.

    example:
      sightline demo --out demo
    """

    out: Path = Path("demo")
    """folder for everything that is made"""
    images: int = 200
    """number of images"""
    seed: int = 0
    """of the example"""

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.images < 1 or self.seed < 0:
            raise UsageError("the example needs --images from 1 on and --seed from 0 on")

    def run(self) -> None:
        """Generate, score, compare, draw; tell how long each took."""
        clock = _Clock()
        with clock("generate the example"):
            scenes = _generate(self.out, self.images, self.seed)
        with clock("score the maps"):
            results = _score(self.out)
        with clock("draw a sheet"):
            _draw(self.out, scenes, results)
        print(_summary(results))
        print(f"\n{table(clock.rows)}")
        print(f"\nA generated example, seed {self.seed}: it says nothing of real images.")
        print(f"Rows are in {self.out / 'rows'}, pictures in {self.out / 'sheet.png'}.")
        print("Next, on maps of your own: sightline evaluate MAPS TRUTH --split NAME")


class _Clock:
    """Collects seconds by stage."""

    def __init__(self) -> None:
        self.rows: list[dict[str, str]] = []

    def __call__(self, stage: str) -> "_Clock":
        self._stage = stage
        return self

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        seconds = time.perf_counter() - self._started
        self.rows.append({"stage": self._stage, "seconds": f"{seconds:.1f}"})


def _generate(out: Path, images: int, seed: int) -> Any:
    import numpy as np

    from sightline.data import example
    from sightline.metrics.score_maps import prepare

    scenes = example.write(out, images, seed)
    for kind in KINDS:
        for one in scenes:
            file = (out / "maps" / kind / one.name).with_suffix(".npy")
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, prepare(example.raw_map(one, kind, seed)).astype(np.float32))
    return scenes


def _score(out: Path) -> dict[tuple[str, str], Any]:
    from sightline import rows
    from sightline.evaluation.evaluate import evaluate

    results = {}
    sources = {kind: str(out / "maps" / kind) for kind in KINDS}
    sources["center-gaussian"] = "baseline:center-gaussian"
    for protocol in ("reference-v2", "pixels"):
        for name, maps in sources.items():
            row = evaluate(
                maps,
                out / "truth",
                protocol,
                split="val",
                masks=out / "masks",
                against=None if name == "object" else sources["object"],
            )
            rows.save(row, out / "rows" / f"{name}-{protocol}{rows.SUFFIX}")
            results[name, protocol] = row
    return results


def _draw(out: Path, scenes: Sequence[Any], results: dict[tuple[str, str], Any]) -> None:
    import numpy as np

    from sightline.data.example import box_of
    from sightline.drawing.overlay import labelled, overlay, save, sheet
    from sightline.metrics.box import boxes_at, map_boxes
    from sightline.metrics.protocol import preset

    protocol = preset("reference-v1")
    tiles = []
    for kind in KINDS:
        threshold = results[kind, "reference-v2"].result["threshold"]["50"]
        for one in scenes[:ROWS_SHOWN]:
            scores = np.load((out / "maps" / kind / one.name).with_suffix(".npy"))
            scale = np.array(one.picture.shape[1::-1] * 2) / np.array(scores.shape[1::-1] * 2)
            boxes = boxes_at(map_boxes(scores, protocol), threshold, protocol)
            ends = [(box + np.array([0, 0, 1, 1])) * scale for box in boxes]
            picture = overlay(one.picture, scores, true=[box_of(one.body)], found=ends)
            tiles.append(labelled(picture, f"{kind}, threshold {threshold:.2f}"))
    save(sheet(tiles, ROWS_SHOWN), str(out / "sheet.png"))


def _summary(results: dict[tuple[str, str], Any]) -> str:
    lines = []
    for (name, protocol), row in results.items():
        result = row.result
        low, high = result["interval"]
        test = result.get("against")
        compared = (
            f"{test['difference']:+.1f} [{test['low']:+.1f}, {test['high']:+.1f}],"
            f" p = {test['p_value']:.3f}"
            if test
            else ""
        )
        lines.append(
            {
                "maps": name,
                "protocol": protocol,
                "metric": result["metric"],
                "score": f"{result['value']:.1f} [{low:.1f}, {high:.1f}]",
                "against object maps": compared,
            }
        )
    first = next(iter(results.values()))
    entry = first.ledger[0]
    note = (
        f"{entry.images} images, split {entry.split}; 95 % intervals and paired tests resample"
        f" images {first.result['interval_method']['resamples']} times with seed"
        f" {first.result['interval_method']['seed']};\nthreshold: oracle on this split;"
        f" labels: one box and one mask an image, for {entry.purpose}"
    )
    return f"{table(lines)}\n{note}"


def command(arguments: Sequence[str]) -> type[Command]:
    """Give the flags' dataclass."""
    return Command

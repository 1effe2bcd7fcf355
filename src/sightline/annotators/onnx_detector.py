"""Boxes and objectness of any detector, as an ONNX file: classes are not asked.

Paper: Ren et al., Faster R-CNN, NeurIPS 2015 https://arxiv.org/abs/1506.01497 has the proposals;
    Murtaza et al., Realistic Model Selection, section 3 (c), the use

A detector gives boxes, (N, 4), beside scores, (N) or (N, C); or both in one table, (N, 4 + C),
which may lie on its side. Which outputs these are is told by their shapes, or by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.annotators.contract import Image, Item, Proposals
from sightline.annotators.nms import suppressed
from sightline.annotators.onnx_files import Channels, OnnxModel, resized
from sightline.errors import SightlineError, UsageError
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.types import LedgerEntry, Split

GIVES = "proposals"
LIBRARY = "onnxruntime"
TRIAL = np.full((64, 64, 3), 127, np.uint8)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Options:
    """Which model, how it is fed, and how its answers are read."""

    model: Annotated[str, ".onnx file of a detector"] = ""
    boxes: Annotated[str, "name of the output with boxes; found by its shape if empty"] = ""
    scores: Annotated[str, "name of the output with scores; found by its shape if empty"] = ""
    form: Annotated[
        Literal["corners", "down-first", "center", "corner-size"],
        "x0 y0 x1 y1; y0 x0 y1 x1; center, width and height; or x0, y0, width and height",
    ] = "corners"
    table: Annotated[
        Literal["auto", "rows", "columns"],
        "in one table with scores, boxes are rows or columns; auto goes by the model's own shape",
    ] = "auto"
    unit: Annotated[
        Literal["input", "share"], "boxes count pixels of the input, or shares of its sides"
    ] = "input"
    score: Annotated[
        Literal["best", "first", "not-first"],
        "of several: the best, the first (objectness), or 1 less the first (background)",
    ] = "best"
    size: Annotated[int, "side of its input where the model leaves it open", AtLeast(16)] = 640
    fit: Annotated[
        Literal["warp", "pad"], "photographs are warped to the input, or padded at right and below"
    ] = "warp"
    scale: Annotated[Literal["255", "1"], "what pixels are divided by"] = "255"
    mean: Annotated[Channels, "subtracted from red, green and blue"] = (0.0, 0.0, 0.0)
    std: Annotated[Channels, "what the difference is divided by"] = (1.0, 1.0, 1.0)
    overlap: Annotated[float, "IoU with a better box beyond which one goes", Uniform(0, 1)] = 0.7
    most: Annotated[int, "boxes that are kept", AtLeast(1)] = 300

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if not all(one > 0 for one in self.std):
            raise UsageError("--std takes three positive numbers")


class Source:
    """A detector that is ready."""

    ledger: tuple[LedgerEntry, ...] = ()  # what it was trained on is not known

    def __init__(self, options: Options) -> None:
        self.options = options
        self.model = OnnxModel(options.model)
        for flag, name in (("boxes", options.boxes), ("scores", options.scores)):
            if name and name not in self.model.outputs:
                known = ", ".join(self.model.outputs)
                raise UsageError(f"--{flag}: {options.model} has {known}, no '{name}'")
        self.origin: Mapping[str, Any] = {"weights": self.model.sha256}
        self.propose(TRIAL, Item("trial"))  # a model of another kind fails now, not at every image

    def propose(self, image: Image, item: Item) -> Proposals:
        """Run the detector, and give what it found, best first."""
        pixels, scale = self._input(image)
        boxes, scores = self._tables(self.model.run(pixels))
        boxes = self._corners(boxes, pixels.shape[1], pixels.shape[0]) / scale
        sound = np.isfinite(boxes).all(1) & np.isfinite(scores)
        places = np.flatnonzero(sound)
        most, overlap = self.options.most, self.options.overlap
        kept = places[suppressed(boxes[places], scores[places], overlap, most=most)]
        kept = np.concatenate([kept, np.flatnonzero(~sound)])  # these are left out, and counted
        return Proposals(boxes[kept], scores[kept])

    def _input(self, image: Image) -> tuple[NDArray[np.float32], Floats]:
        """Give the input, and by how much it is larger than the photograph: x, y, x, y."""
        height, width = image.shape[:2]
        across, down = self.model.size(self.options.size, image)
        scale = np.array([across / width, down / height])
        if self.options.fit == "pad":
            scale[:] = scale.min()
        inner = max(1, round(width * scale[0])), max(1, round(height * scale[1]))
        pixels = np.zeros((down, across, 3), np.float32)
        pixels[: inner[1], : inner[0]] = resized(image, inner)
        exact = np.array([inner[0] / width, inner[1] / height] * 2)
        if self.model.whole_numbers:
            return pixels, exact
        mean, std = np.array(self.options.mean), np.array(self.options.std)
        return ((pixels / float(self.options.scale) - mean) / std).astype(np.float32), exact

    def _tables(self, found: Mapping[str, Any]) -> tuple[Floats, Floats]:
        """Find boxes, (N, 4), and one score for each, (N,)."""
        tables = {name: value for name, value in found.items() if value.dtype.kind == "f"}
        name = self._boxes_among(tables)
        if not name:
            return self._joined(tables)
        boxes = tables.pop(name)
        if boxes.ndim == 3:  # with a dimension for the batch, as all others then
            boxes, tables = boxes[0], {n: t[0] for n, t in tables.items() if t.ndim > 1}
        named = self.options.scores
        rest = [n for n, t in tables.items() if t.ndim in (1, 2) and len(t) == len(boxes)]
        rest = [n for n in rest if n == named] if named else rest
        if len(rest) != 1:
            what = f"one output of scores for {len(boxes)} boxes; name it with --scores"
            raise self._refusal(found, what)
        scores = tables[rest[0]].astype(np.float64)
        wide = scores if scores.ndim == 2 else scores[:, None]
        return boxes.astype(np.float64), self._score(wide)

    def _boxes_among(self, tables: Mapping[str, Any]) -> str:
        """Name the output with boxes; nothing where boxes and scores are one table."""
        if self.options.table != "auto":
            return ""
        fours = [name for name, table in tables.items() if _plain(table) and table.shape[-1] == 4]
        fours = [name for name in fours if tables[name].ndim == 3] or fours
        if self.options.boxes:
            return self.options.boxes if self.options.boxes in fours else ""
        if len(fours) > 1:
            raise self._refusal(tables, "one output of boxes; name it with --boxes")
        return fours[0] if fours else ""

    def _joined(self, tables: Mapping[str, Any]) -> tuple[Floats, Floats]:
        wide = [name for name, table in tables.items() if _plain(table)]
        wide = [name for name in wide if name == self.options.boxes] or wide[:1]
        table = tables[wide[0]].reshape(tables[wide[0]].shape[-2:]) if wide else np.zeros((0, 0))
        table = table if not wide or self._in_rows(wide[0]) else table.T
        if table.shape[1] < 5:
            raise self._refusal(tables, "boxes, (N, 4), and scores, or both, (N, 4 + scores)")
        return table[:, :4].astype(np.float64), self._score(table[:, 4:].astype(np.float64))

    def _in_rows(self, name: str) -> bool:
        """Tell how boxes lie in a table: along the side that is open, or else the longer one."""
        if self.options.table != "auto":
            return self.options.table == "rows"
        down, across = self.model.shape(name)[-2:]
        if isinstance(down, int) and isinstance(across, int):
            return down >= across
        return not isinstance(down, int)

    def _score(self, scores: Floats) -> Floats:
        """Make one score of several."""
        if scores.shape[1] == 1 or self.options.score == "first":
            return scores[:, 0]
        return scores.max(1) if self.options.score == "best" else 1 - scores[:, 0]

    def _corners(self, boxes: Floats, width: int, height: int) -> Floats:
        """Write boxes as corners in pixels of the input."""
        if self.options.form == "down-first":
            boxes = boxes[:, [1, 0, 3, 2]]
        if self.options.unit == "share":
            boxes = boxes * [width, height, width, height]
        first, second = boxes[:, :2], boxes[:, 2:]
        if self.options.form == "center":
            first, second = first - second / 2, first + second / 2
        elif self.options.form == "corner-size":
            second = first + second
        return np.concatenate([first, second], axis=1)

    def _refusal(self, tables: Mapping[str, Any], what: str) -> SightlineError:
        told = ", ".join(f"{n} {'x'.join(map(str, t.shape))}" for n, t in tables.items())
        return SightlineError(f"{self.model.place}: gives {told or 'no numbers'}; needed is {what}")


def _plain(table: Any) -> bool:
    """Tell whether an output is a table, of one image."""
    return bool(table.ndim == 2 or (table.ndim == 3 and table.shape[0] == 1))


def open(options: Options, split: Split) -> Source:  # noqa: A001
    """Read the model."""
    return Source(options)

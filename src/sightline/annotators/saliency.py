"""A salient-object model: what stands out, whatever it is, as a map out of any ONNX file.

Paper: Qin et al., U2-Net, Pattern Recognition 2020 https://arxiv.org/abs/2005.09007; any model of
    the kind will do

The box is around the largest region of the map at Otsu's threshold, or at one that is given.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from sightline.annotators.contract import Heat, Image, Item, Nothing, Region
from sightline.annotators.onnx_files import Channels, OnnxModel, resized
from sightline.errors import SightlineError, UsageError
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.types import LedgerEntry, Split

GIVES = "heat"
LIBRARY = "onnxruntime"
TRIAL = np.full((64, 64, 3), 127, np.uint8)


@dataclass(frozen=True, slots=True)
class Options:
    """Which model, and how it is fed."""

    model: Annotated[str, ".onnx file of a model that turns an image into a mask"] = ""
    output: Annotated[str, "name of its output; the first if empty"] = ""
    size: Annotated[int, "side of its input where the model leaves it open", AtLeast(16)] = 320
    scale: Annotated[
        Literal["255", "maximum"], "what pixels are divided by: 255, or the image's largest value"
    ] = "maximum"
    mean: Annotated[Channels, "subtracted from red, green and blue"] = (0.485, 0.456, 0.406)
    std: Annotated[Channels, "what the difference is divided by"] = (0.229, 0.224, 0.225)
    channel: Annotated[int, "of a mask with several, which one is the object", AtLeast(0)] = 0
    threshold: Annotated[
        float, "of the map in [0, 1], where the object begins; 0 for Otsu's", Uniform(0, 1)
    ] = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if not all(one > 0 for one in self.std):
            raise UsageError("--std takes three positive numbers")


class Source:
    """A model that is ready."""

    ledger: tuple[LedgerEntry, ...] = ()

    def __init__(self, options: Options) -> None:
        self.options = options
        self.model = OnnxModel(options.model)
        self.output = options.output or self.model.outputs[0]
        if self.output not in self.model.outputs:
            known = ", ".join(self.model.outputs)
            raise UsageError(f"--output: {options.model} has {known}, no '{self.output}'")
        self.origin: Mapping[str, Any] = {"weights": self.model.sha256}
        self.propose(TRIAL, Item("trial"))  # a model of another kind fails now, not at every image

    def propose(self, image: Image, item: Item) -> Heat | Region | Nothing:
        """Run the model, and give its map."""
        found = self.model.run(self._input(image))[self.output]
        scores = self._plane(found).astype(np.float64)
        if not np.isfinite(scores).all():
            return Nothing("the map is not finite")
        low, high = float(scores.min()), float(scores.max())
        if not self.options.threshold or high <= low:
            return Heat(scores)
        return Region((scores - low) / (high - low) >= self.options.threshold)

    def _input(self, image: Image) -> Any:
        pixels = resized(image, self.model.size(self.options.size, image))
        if self.model.whole_numbers:
            return pixels
        most = 255.0 if self.options.scale == "255" else max(float(pixels.max()), 1.0)
        mean, std = np.array(self.options.mean), np.array(self.options.std)
        return ((pixels / most - mean) / std).astype(np.float32)

    def _plane(self, found: Any) -> Any:
        """Take the mask out of (1, C, h, w), (1, h, w) or (h, w)."""
        while found.ndim > 3 and found.shape[0] == 1:
            found = found[0]
        if found.ndim == 3 and self.options.channel < len(found):
            found = found[self.options.channel]
        if found.ndim != 2 or min(found.shape) < 2 or found.dtype.kind not in "fiub":
            shape = "x".join(map(str, found.shape))
            raise SightlineError(
                f"{self.model.place}: output '{self.output}' is {found.dtype} {shape}, no mask;"
                " name another with --output or --channel"
            )
        return found


def open(options: Options, split: Split) -> Source:  # noqa: A001
    """Read the model."""
    return Source(options)

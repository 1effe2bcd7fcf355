"""Models as ONNX files, run by ONNX Runtime on the CPU with one thread."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sightline import rows
from sightline.annotators.contract import Image
from sightline.errors import SightlineError, UsageError

Floats = NDArray[np.float32]
Channels = tuple[float, float, float]


class OnnxModel:
    """A model that takes pictures, (1, 3, H, W) or (1, H, W, 3)."""

    def __init__(self, place: str) -> None:
        file = Path(place)
        if not place:
            raise UsageError("--model is missing; name an .onnx file")
        if not file.is_file():
            raise UsageError(f"{place}: no such file; name an .onnx file with --model")
        try:
            import onnxruntime
        except ImportError:
            remedy = "pip install 'sightline[pseudo]'"
            raise SightlineError(f"{place}: needs ONNX Runtime; {remedy}") from None
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1  # images are shared out among processes
        settings.log_severity_level = 4
        try:
            self._session = onnxruntime.InferenceSession(place, settings, ["CPUExecutionProvider"])
        except Exception as error:
            raise SightlineError(f"{place}: is no ONNX model ({_reason(error)})") from error
        self.place = place
        self.sha256 = rows.file_hash(file)
        self._input = self._image_input()
        self._shapes = {one.name: one.shape for one in self._session.get_outputs()}
        self.outputs = tuple(self._shapes)

    def _image_input(self) -> Any:
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or len(inputs[0].shape) != 4:
            told = ", ".join(f"{one.name} {one.shape}" for one in inputs)
            raise UsageError(
                f"{self.place}: takes {told or 'nothing'}; one batch of images is needed"
            )
        if inputs[0].type not in ("tensor(float)", "tensor(uint8)"):
            raise UsageError(f"{self.place}: takes {inputs[0].type}; float or uint8 is needed")
        if 3 not in (inputs[0].shape[1], inputs[0].shape[3]):
            raise UsageError(
                f"{self.place}: takes images of {inputs[0].shape}; 3 channels are needed"
            )
        return inputs[0]

    def shape(self, output: str) -> list[Any]:
        """Give an output's shape as the file states it: names where a side is open."""
        return list(self._shapes[output])

    @property
    def channels_last(self) -> bool:
        """Tell whether channels come last."""
        return bool(self._input.shape[1] != 3)

    @property
    def whole_numbers(self) -> bool:
        """Tell whether it takes bytes, which nothing normalizes."""
        return bool(self._input.type == "tensor(uint8)")

    def size(self, given: int, image: Image) -> tuple[int, int]:
        """Tell width and height that an image is brought to: the model's own, or else those given.

        Args:
            given: side of a square; 0 for the image's own size.
            image: the image.
        """
        shape = self._input.shape
        height, width = shape[1:3] if self.channels_last else shape[2:4]
        if isinstance(height, int) and isinstance(width, int) and min(height, width) > 0:
            return width, height
        return (given, given) if given else (image.shape[1], image.shape[0])

    def run(self, pixels: Floats) -> Mapping[str, NDArray[Any]]:
        """Run on one picture (H, W, 3); give all outputs by name."""
        laid = pixels if self.channels_last else pixels.transpose(2, 0, 1)
        kind = np.uint8 if self.whole_numbers else np.float32
        try:
            found = self._session.run(
                None, {self._input.name: np.ascontiguousarray(laid[None], dtype=kind)}
            )
        except Exception as error:
            raise SightlineError(f"{self.place}: fails on an image ({_reason(error)})") from error
        return {name: np.asarray(value) for name, value in zip(self.outputs, found, strict=True)}


def resized(image: Image, size: tuple[int, int]) -> Floats:
    """Warp a photograph to a size; pixels stay from 0 to 255."""
    if image.shape[1::-1] == size:
        return image.astype(np.float32)
    warped = Picture.fromarray(image).resize(size, Picture.Resampling.BILINEAR)
    return np.asarray(warped, np.float32)


def _reason(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:160]

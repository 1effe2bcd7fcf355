"""A network of your own from a file: ONNX, TorchScript or torch.export.

Paper: none
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import torch

from sightline.attribution.model_files import read_model
from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, validate
from sightline.parts.classifiers.torch_networks import Preprocessing, TorchClassifier, named


@dataclass(frozen=True, slots=True)
class Options:
    """Which file, and how its input is made."""

    file: Annotated[Path, "the network; it is a program, so trust it"]
    size: Annotated[int, "side of its input", AtLeast(8)] = 224
    mean: Annotated[str, "of its input, red/green/blue, pixels from 0 to 1"] = "0.485/0.456/0.406"
    std: Annotated[str, "likewise, by which the rest is divided"] = "0.229/0.224/0.225"
    order: Annotated[Literal["rgb", "bgr"], "of its channels"] = "rgb"
    names: Annotated[str, "file of its classes' names, one a line; ImageNet's for 1,000"] = ""

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


def load(options: Options) -> TorchClassifier:
    """Read the network."""
    network = read_model(options.file)
    mean, std = channels(options.mean), channels(options.std)
    preprocessing = Preprocessing(options.size, mean, std, order=options.order)
    size = options.size
    classes = network.answers(torch.zeros(1, 3, size, size)).shape[1]
    labels = named(options.names, classes)
    return TorchClassifier(options.file.name, network.answers, preprocessing, labels)


def channels(text: str) -> tuple[float, float, float]:
    """Read three numbers."""
    try:
        red, green, blue = map(float, text.split("/"))
    except ValueError:
        raise UsageError(f"'{text}' is not three numbers such as 0.5/0.5/0.5") from None
    return red, green, blue

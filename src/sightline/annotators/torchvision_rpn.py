"""Proposals of torchvision's Faster R-CNN, where it is installed and a weights file is at hand.

Paper: Ren et al., Faster R-CNN, NeurIPS 2015 https://arxiv.org/abs/1506.01497

Only the first stage runs: backbone, feature pyramid and proposal network. Boxes are ranked by
objectness, and of those of one level of the pyramid that overlap the best stays, which is done here
and not by torchvision's compiled operators.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sightline import rows
from sightline.annotators.contract import Image, Item, Proposals
from sightline.annotators.nms import suppressed
from sightline.errors import SightlineError, UsageError
from sightline.hyperparameters import AtLeast, Uniform, validate
from sightline.types import LedgerEntry, Split

GIVES = "proposals"
LIBRARY = "torchvision"
KINDS = (".pth", ".pt", ".safetensors")
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Options:
    """Which weights, and what is kept."""

    model: Annotated[
        str, "weights of fasterrcnn_resnet50_fpn, .pth (read as weights only) or .safetensors"
    ] = ""
    side: Annotated[int, "shorter side that photographs are brought to", AtLeast(64)] = 800
    before: Annotated[int, "boxes of a level before suppression", AtLeast(1)] = 1000
    overlap: Annotated[float, "IoU with a better box beyond which one goes", Uniform(0, 1)] = 0.7
    most: Annotated[int, "boxes that are kept", AtLeast(1)] = 1000

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Source:
    """The proposal network with its backbone."""

    ledger: tuple[LedgerEntry, ...] = ()  # published weights come from COCO's boxes, not from here

    def __init__(self, options: Options) -> None:
        self.options = options
        file = Path(options.model)
        if not options.model or not file.is_file():
            raise UsageError(
                f"--model: '{options.model}' is no file; name weights of torchvision's"
                " fasterrcnn_resnet50_fpn"
            )
        self.network = _network(file, options.side)
        self.origin: Mapping[str, Any] = {"weights": rows.file_hash(file)}

    def propose(self, image: Image, item: Item) -> Proposals:
        """Give boxes by objectness, best first."""
        import torch

        network = self.network
        pixels = torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))).float() / 255
        with torch.no_grad():
            images, _ = network.transform([pixels])
            levels = list(network.backbone(images.tensors).values())
            objectness, deltas = network.rpn.head(levels)
            anchors = network.rpn.anchor_generator(images, levels)[0]
            scores = [
                _flat(one, 1)[:, 0].double().sigmoid() for one in objectness
            ]  # a level at a time
            moves = torch.cat([_flat(one, 4) for one in deltas])
            boxes = network.rpn.box_coder.decode(moves, [anchors])[:, 0]
        height, width = images.image_sizes[0]
        scale = np.array([image.shape[1] / width, image.shape[0] / height] * 2)
        edge = np.array([image.shape[1], image.shape[0]] * 2)
        found = np.clip(boxes.double().numpy() * scale, 0, edge)
        return self._best(found, [one.numpy() for one in scores])

    def _best(self, boxes: Floats, scores: list[Floats]) -> Proposals:
        """Suppress overlapping boxes level by level, and keep the best of all levels."""
        kept, start = [], 0
        for level in scores:
            order = np.argsort(-level, kind="stable")[: self.options.before] + start
            start += len(level)
            sides = boxes[order, 2:] - boxes[order, :2]
            order = order[(sides > 0).all(1)]
            own = level[order - (start - len(level))]
            kept.append(order[suppressed(boxes[order], own, self.options.overlap)])
        places, every = np.concatenate(kept), np.concatenate(scores)
        places = places[np.argsort(-every[places], kind="stable")][: self.options.most]
        return Proposals(boxes[places], every[places])


def _flat(grid: Any, values: int) -> Any:
    """Turn (1, A V, h, w) into (h w A, V), as anchors lie."""
    _, channels, height, width = grid.shape
    parted = grid.reshape(channels // values, values, height, width)
    return parted.permute(2, 3, 0, 1).reshape(-1, values)


def _network(file: Path, side: int) -> Any:
    try:
        from torchvision.models.detection import fasterrcnn_resnet50_fpn
    except Exception as error:  # a build that does not fit to torch fails in several ways
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        raise SightlineError(
            f"torchvision-rpn: torchvision cannot be imported ({reason}); install one that fits to"
            " torch, or take another annotator: rpn, onnx-detector"
        ) from None
    network: Any = fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, min_size=side)
    try:
        left = network.load_state_dict(_weights(file), strict=False)
    except (RuntimeError, AttributeError, TypeError) as error:
        raise _other(file, str(error).splitlines()[-1].strip()[:160]) from None
    lacking = [name for name in left.missing_keys if not name.startswith("roi_heads.")]
    if lacking:
        raise _other(file, f"{lacking[0]} is missing")
    return network.eval().requires_grad_(False)


def _weights(file: Path) -> Any:
    import torch

    if file.suffix not in KINDS:
        raise UsageError(f"{file}: is none of {', '.join(KINDS)}")
    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(file)
        return torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:120]
        raise SightlineError(f"{file}: cannot be read as weights alone ({reason})") from None


def _other(file: Path, why: str) -> SightlineError:
    return SightlineError(f"{file}: holds no weights of fasterrcnn_resnet50_fpn ({why})")


def open(options: Options, split: Split) -> Source:  # noqa: A001
    """Read the weights."""
    return Source(options)

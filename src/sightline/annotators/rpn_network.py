"""The compact region proposal network: a small head on features of the packaged Lite0.

Paper: Ren et al., Faster R-CNN: Towards Real-Time Object Detection with Region Proposal Networks,
NeurIPS 2015

The features are those of ImageNet and stay so. The head reads two stages, of stride 16 and 32, and
says for each anchor how well the box that it tells fits some object, of whatever class.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn import functional

from sightline.annotators.contract import Image
from sightline.annotators.rpn_boxes import KINDS, anchors, untold
from sightline.backbones import weights
from sightline.backbones.contract import Backbone
from sightline.data.build.files import write_bytes
from sightline.errors import UsageError
from sightline.methods.assembly import build
from sightline.rows import ledger_entry
from sightline.training.inference import for_inference
from sightline.types import LedgerEntry

BACKBONE = "efficientnet-lite0"
STAGES = {"block10": 112, "block15": 320}  # of stride 16 and 32, with their channels
KIND = "sightline-rpn-1"
WIDTH = 128


class Head(nn.Module):
    """Both stages brought together, a look around, and five numbers for each anchor."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Conv2d(STAGES["block10"], WIDTH, 1)
        self.coarse = nn.Conv2d(STAGES["block15"], WIDTH, 1)
        self.around = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, groups=8)
        self.mixed = nn.Conv2d(WIDTH, WIDTH, 1)
        self.wide = nn.Conv2d(WIDTH, WIDTH, 5, padding=2, groups=WIDTH)
        self.norms = nn.ModuleList([nn.GroupNorm(8, WIDTH) for _ in range(3)])
        self.answer = nn.Conv2d(WIDTH, 5 * KINDS, 1)
        nn.init.zeros_(self.answer.weight)
        assert self.answer.bias is not None
        nn.init.zeros_(self.answer.bias)

    def forward(self, fine: Tensor, coarse: Tensor) -> tuple[Tensor, Tensor]:
        """Give objectness as logits, (N, A), and shifts, (N, A, 4), in the anchors' order."""
        small = functional.interpolate(self.coarse(coarse), size=fine.shape[2:], mode="nearest")
        x = functional.relu(self.norms[0](self.fine(fine) + small))
        x = functional.relu(self.norms[1](self.mixed(self.around(x)) + x))
        x = functional.relu(self.norms[2](self.wide(x) + x))
        said = self.answer(x)  # (N, KINDS * 5, h, w)
        count, _, height, width = said.shape
        said = said.reshape(count, KINDS, 5, height, width).permute(0, 3, 4, 1, 2)
        said = said.reshape(count, height * width * KINDS, 5)
        return said[..., 0], said[..., 1:]


class Features:
    """The packaged network, up to the stages that are read."""

    def __init__(self, side: int) -> None:
        method = build("cam", BACKBONE, 1000, resolution=7)
        weights.fill(method, weights.read(BACKBONE, "imagenet"), whole=True)
        self.side = side
        self._backbone: Backbone = for_inference(method.eval().backbone)
        self._known = self._backbone.normalization

    def of(self, pictures: Sequence[Image]) -> tuple[Tensor, Tensor]:
        """Give both stages of squares of the right side."""
        pixels = np.stack(pictures).astype(np.float32) / 255
        mean, std = np.array(self._known.mean), np.array(self._known.std)
        scaled = ((pixels - mean) / std).astype(np.float32).transpose(0, 3, 1, 2)
        images = torch.from_numpy(scaled).contiguous(memory_format=torch.channels_last)
        with torch.inference_mode():
            taps = self._backbone(images, taps=tuple(STAGES)).taps
        fine, coarse = (taps[name].contiguous() for name in STAGES)
        return fine, coarse


def found(head: Head, fine: Tensor, coarse: Tensor) -> tuple[Tensor, Tensor]:
    """Give boxes in shares of the image, (N, A, 4), and objectness from 0 to 1, (N, A)."""
    objectness, shifts = head(fine, coarse)
    boxes = untold(shifts, anchors(fine.shape[2])).clamp(0, 1)
    return boxes, objectness.sigmoid()


def write(head: Head, file: Path, about: dict[str, Any], ledger: Sequence[LedgerEntry]) -> None:
    """Write the head and what it was trained on; the features are those of the package."""
    text = json.dumps({**about, "ledger": [asdict(entry) for entry in ledger]}, sort_keys=True)
    tensors = {name: tensor.contiguous() for name, tensor in head.state_dict().items()}
    write_bytes(file, save(tensors, {KIND: text}))  # one entry: the order of several would vary


def read(file: Path) -> tuple[Head, dict[str, Any], tuple[LedgerEntry, ...]]:
    """Read a head, what it was trained with, and the labels that it learned from."""
    if not file.is_file():
        raise UsageError(f"{file}: no such file of weights; make one with 'annotate train rpn'")
    try:
        with safe_open(file, "pt") as kept:
            told = kept.metadata() or {}
            tensors = {name: kept.get_tensor(name) for name in kept.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise UsageError(f"{file}: is no safetensors file ({error})") from None
    head = Head()
    if KIND not in told or set(tensors) != set(head.state_dict()):
        raise UsageError(
            f"{file}: holds no weights of our rpn; make some with 'annotate train rpn'"
        )
    head.load_state_dict(tensors)
    about = json.loads(told[KIND])
    ledger = tuple(ledger_entry(entry) for entry in about.pop("ledger"))
    return head.eval(), about, ledger

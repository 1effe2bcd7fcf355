"""What a method is: its options, its network, its loss, its score maps. The trainer knows no more.

The file of a method has, in this order: a docstring with its paper; `Options`, a dataclass whose
fields carry default, range and distribution; `Method`, a subclass of the one below, made with
`Method(backbone, classes, options)`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import torch
from torch import Tensor, nn

from sightline.backbones.contract import Backbone, Design

Choose = Callable[[Tensor], Tensor]  # logits (N, C) -> the labels to localize, (N, K)
Needs = Literal["labels", "masks"]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a training step is given."""

    images: Tensor  # (N, 3, H, W), normalized
    labels: Tensor  # (N,)
    generator: torch.Generator  # of this step alone, so that a resumed run draws the same
    masks: Tensor | None = None  # (N, H, W): 1 object, 0 background, 255 ignored
    epoch: float = 0.0  # epochs done, with the share of the one that is under way
    epochs: int = 1  # of the whole run


@dataclass(frozen=True, slots=True)
class Step:
    """What a training step gives: the loss, and its parts by name for the learning curves."""

    loss: Tensor
    parts: dict[str, Tensor]
    logits: Tensor | None = None  # (N, C), where the step classifies its own images


@dataclass(frozen=True, slots=True)
class Localized:
    """The answer for a batch: class scores, and one map for each label asked for."""

    logits: Tensor  # (N, C)
    maps: Tensor  # (N, K, h, w), not normalized; bigger means more foreground


class Method(nn.Module, ABC):
    """A network on a backbone, with a loss and score maps."""

    needs: ClassVar[Needs] = "labels"  # "masks": training consumes localization labels
    trained: ClassVar[bool] = True  # whether it is trained at all
    classifies: ClassVar[bool] = True  # whether its logits mean anything
    design: ClassVar[Design] = Design()  # what it asks of its backbone
    runs_on: ClassVar[type[Backbone]] = Backbone  # the kind of backbone that it needs
    recipe: ClassVar[Mapping[str, Any]] = {}  # settings of training where its defaults are others

    def __init__(self, backbone: Backbone, classes: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.classes = classes

    @abstractmethod
    def step(self, batch: Batch) -> Step:
        """Compute the loss of a batch."""

    @abstractmethod
    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Classify and localize in one pass; `choose` picks the classes from the logits."""

    def classify(self, images: Tensor) -> Tensor:
        """Give the logits alone, (N, C)."""
        return self.localize(images, lambda logits: logits.argmax(1, keepdim=True)).logits

    def forward(self, images: Tensor) -> Tensor:
        """Classify, as any other network does; explainers ask for no more."""
        return self.classify(images)


def given(labels: Tensor) -> Choose:
    """Localize known classes: labels (N,) or (N, K)."""
    return lambda logits: labels.reshape(len(labels), -1)


def top(count: int) -> Choose:
    """Localize the classes that the network finds most likely."""
    return lambda logits: logits.topk(min(count, logits.shape[1]), 1).indices


class MethodModule(Protocol):
    """What the file of a method has."""

    @property
    def Options(self) -> type[Any]:  # noqa: N802  # a class, whose name it is
        """Its options, a dataclass."""

    @property
    def Method(self) -> Any:  # noqa: N802
        """The method, made with `Method(backbone, classes, options)`."""

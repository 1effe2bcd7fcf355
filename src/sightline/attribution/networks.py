"""Networks as explainers see them: something that answers, and may show what a stage gives."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from sightline.backbones.contract import Normalization
from sightline.errors import UsageError

MOST_BEFORE = 8  # tokens before those of the grid: of class, distillation, registers


class Network(Protocol):
    """Images in, class scores out; it is in eval mode while it is used."""

    most: int  # how many images it takes at once, 0 if any number
    normalization: Normalization  # what pixels went through before they became its input

    def answers(self, images: Tensor) -> Tensor:
        """Give the class scores, (N, C), without a graph for gradients."""

    def scores(self, images: Tensor) -> Tensor:
        """Give the class scores, joined to the images by a graph."""

    def stage(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Give class scores and the features they come from, (N, K, h, w), joined by a graph."""


class ModuleNetwork:
    """A module of PyTorch, whose stage is one of its own modules, found or named."""

    most = 0

    def __init__(
        self, module: nn.Module, layer: str = "", normalization: Normalization | None = None
    ) -> None:
        _refuse_several_inputs(module)
        self.module = module
        self.normalization = normalization or Normalization()
        self._layer = layer
        self._channels_last = True

    def answers(self, images: Tensor) -> Tensor:
        """Give the class scores."""
        with torch.no_grad():
            return scores_of(self.module(self._moved(images)))

    def scores(self, images: Tensor) -> Tensor:
        """Give the class scores; parameters take no part in the graph."""
        with torch.enable_grad(), _constant(self.module):
            return scores_of(self._ran(self._moved(images)))

    def _ran(self, images: Tensor) -> Any:
        """Run with channels last, which convolutions are faster on, unless the network minds."""
        if self._channels_last and images.dim() == 4:
            try:
                return self.module(images.contiguous(memory_format=torch.channels_last))
            except RuntimeError as error:
                if "view size is not compatible" not in str(error):
                    raise
                self._channels_last = False
        return self.module(images)

    def stage(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Run once, and keep what the stage gives; gradients start there."""
        moved = self._moved(images)
        layer = self._layer = self._layer or self._found(moved[:1])
        kept: list[Tensor] = []

        def keep(module: nn.Module, inputs: Any, output: Any) -> Tensor:
            if not _is_spatial(output):
                raise UsageError(f"layer '{layer}' gives no features (N, K, h, w); name another")
            torch.set_grad_enabled(True)  # nothing before is recorded, which saves half the work
            kept.append(output.detach().requires_grad_())
            return kept[-1].clone()  # what comes behind may work in place

        handle = self._module(layer).register_forward_hook(keep)
        try:
            with torch.no_grad(), _constant(self.module):
                scores = scores_of(self.module(moved))
        finally:
            handle.remove()
        if len(kept) != 1:
            raise UsageError(f"layer '{layer}' runs {len(kept)} times for an image; name another")
        return scores, kept[0]

    def _module(self, layer: str) -> nn.Module:
        modules = dict(self.module.named_modules())
        if layer not in modules:
            last = ", ".join(list(modules)[-5:])
            raise UsageError(f"the network has no layer '{layer}'; its last ones are {last}")
        found: nn.Module = modules[layer]
        return found

    def _found(self, image: Tensor) -> str:
        """Name the last module to give features before they are pooled away."""
        given: list[tuple[str, Any]] = []

        def noting(name: str) -> Any:
            return lambda module, inputs, output: given.append((name, output))

        named = [(name, module) for name, module in self.module.named_modules() if name]
        handles = [module.register_forward_hook(noting(name)) for name, module in named]
        try:
            with torch.no_grad():
                self.module(image)
        finally:
            for handle in handles:
                handle.remove()
        return last_spatial(given, image.shape[2], image.shape[3])

    def _moved(self, images: Tensor) -> Tensor:
        """Bring images to where the network is, and to its precision."""
        for parameter in self.module.parameters():
            return images.to(parameter.device, parameter.dtype)
        return images


def last_spatial(given: list[tuple[str, Any]], height: int, width: int) -> str:
    """Name the last of several outputs, in the order they came, that is features on a grid."""
    sequences = {tuple(output.shape[:2]) for _, output in given if _is_sequence(output)}

    def on_grid(output: Any) -> bool:
        """Tell features on the image's grid from what a transformer's heads give."""
        if not _is_spatial(output):
            return False
        images, _, *sides = output.shape
        if any((images, side) in sequences for side in sides):
            return False
        apart = output.shape[2] / height - output.shape[3] / width
        return bool(abs(apart) <= 2 / height + 2 / width)  # padding adds a cell or two

    places = [place for place, (_, output) in enumerate(given) if on_grid(output)]
    if not places:
        raise UsageError("the network has no convolutional stage; choose another explainer")
    name, features = given[places[-1]]
    cells = features.shape[2] * features.shape[3]
    if any(_is_tokens(output, cells) for _, output in given[places[-1] + 1 :]):
        raise UsageError(
            f"behind '{name}' the network turns features into tokens, so that its last stage is"
            " not on a grid; name a layer, or choose another explainer"
        )
    return name


def _is_spatial(output: Any) -> bool:
    return isinstance(output, Tensor) and output.dim() == 4 and min(output.shape[2:]) > 1


def _is_sequence(output: Any) -> bool:
    return isinstance(output, Tensor) and output.dim() == 3


def _is_tokens(output: Any, cells: int) -> bool:
    """Recognise a sequence of the grid's cells and up to a few more, (N, T, D)."""
    return _is_sequence(output) and 0 <= output.shape[1] - cells <= MOST_BEFORE


def scores_of(answer: Any) -> Tensor:
    """Take the class scores out of what a network returns."""
    found = getattr(answer, "logits", answer)  # as some libraries wrap them
    if isinstance(found, (tuple, list)):
        found = found[0]
    if not isinstance(found, Tensor) or found.dim() != 2:
        shown = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise UsageError(f"the network gives {shown} where class scores (N, C) are needed")
    return found


def _refuse_several_inputs(module: nn.Module) -> None:
    try:
        known = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):  # compiled code tells nothing
        return
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one.name for one in known if one.default is one.empty and one.kind in kinds]
    if len(needed) > 1:
        names = ", ".join(needed)
        raise UsageError(
            f"the network takes several inputs ({names}); wrap it in one that takes images alone"
        )


@contextmanager
def _constant(module: nn.Module) -> Iterator[None]:
    """Keep parameters out of the graph, which spares its memory, and let them in again."""
    learning = [parameter for parameter in module.parameters() if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Put every part of a module into eval mode, and back into its own mode afterwards."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training

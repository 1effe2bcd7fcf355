"""What an explainer is: a file with `Options`, `NEEDS` and `explain`.

The file has, in this order: a docstring with its paper; `NEEDS`, what it must be able to ask of a
network; `Options`, a dataclass whose fields carry default and range; and

    def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor

which gives one map, (N, h, w), of any size and range, for each image and the label asked for;
bigger means more foreground.
"""

from typing import Any, Literal, Protocol

from torch import Tensor

from sightline.attribution.networks import Network

Needs = Literal[
    "answers",  # class scores alone
    "gradients",  # those of scores for pixels
    "stages",  # what an inner stage gives
    "attention",  # what a transformer's attention is
]


class ExplainerModule(Protocol):
    """What the file of an explainer has."""

    NEEDS: Needs
    Options: type  # a module whose maps are the same for all labels has ANY_LABEL = True too

    def explain(self, network: Network, images: Tensor, labels: Tensor, options: Any) -> Tensor:
        """Give the maps of a batch."""

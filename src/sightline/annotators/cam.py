"""Where a classifier looks: the CAM of a training run's network, or of the packaged one.

Paper: Murtaza et al., A Realistic Protocol for Evaluation of Weakly Supervised Object Localization,
    supplement F: pseudo masks for models of one architecture come from a classifier of another

The classifier was trained with labels of images alone. With `--masks` the map above the threshold
is the mask; otherwise the box is around its largest region.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from sightline.annotators.contract import Heat, Image, Item, Nothing, Region
from sightline.hyperparameters import Uniform, validate
from sightline.types import LedgerEntry, Split

GIVES = "heat"
CLASSES = True


@dataclass(frozen=True, slots=True)
class Options:
    """Whose maps, and where they are cut."""

    run: Annotated[str, "folder of a training run, or packaged: ImageNet's classes"] = "packaged"
    of: Annotated[str, "its checkpoint: last, best:METRIC or epoch-NUMBER"] = "last"
    threshold: Annotated[
        float, "of the map in [0, 1], where the object begins; 0 for Otsu's", Uniform(0, 1)
    ] = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)


class Source:
    """A classifier that is ready."""

    def __init__(self, options: Options, split: Split) -> None:
        from sightline.annotators.classifier import Asking, Classifier

        self.options = options
        self.classifier = Classifier(Asking(options.run, options.of), split)
        self.origin: Mapping[str, Any] = self.classifier.origin
        self.ledger: tuple[LedgerEntry, ...] = self.classifier.ledger

    def propose(self, image: Image, item: Item) -> Heat | Region | Nothing:
        """Draw the map of the image's class."""
        scores = self.classifier.see(image, item.label).scores
        if not scores.max() > scores.min():
            return Nothing("the map is the same everywhere")
        cut = self.options.threshold
        return Region(scores >= cut) if cut else Heat(scores)


def open(options: Options, split: Split) -> Source:  # noqa: A001
    """Read the network."""
    return Source(options, split)

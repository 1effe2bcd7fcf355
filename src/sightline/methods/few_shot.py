"""Few-shot learning: a saliency network, trained on the few images whose objects are outlined.

Paper: Choe et al., Evaluation for WSOL: Protocol, Metrics, and Datasets, TPAMI 2022
    https://arxiv.org/abs/2007.04178

The localization labels that weak methods use to choose hyperparameters train a network instead.
CAM's classifier is exchanged for a convolution with one output: whether a pixel is object, of
whatever class. Targets are masks, or filled boxes where there are no masks.

Formula:
    s    = enlarged(w F + b), bilinear, to the size of the image
    loss = mean over pixels not ignored of BCE(s, mask)
    map  = sigmoid(s), the same for every class

Released code: None. Where the loss is taken is not stated; it is the size of the image here.
"""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from sightline.backbones.contract import Backbone
from sightline.errors import SightlineError
from sightline.methods import contract
from sightline.methods.contract import Batch, Choose, Localized, Needs, Step
from sightline.methods.heads import convolution, enlarged, pixel_loss


@dataclass(frozen=True, slots=True)
class Options:
    """It has none of its own: learning rate and map resolution are every method's."""


class Method(contract.Method):
    """A network that tells object from background, pixel by pixel."""

    needs: ClassVar[Needs] = "masks"
    classifies: ClassVar[bool] = False

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes)
        self.saliency = convolution(backbone.last_channels, 1, 1)

    def step(self, batch: Batch) -> Step:
        """Compare every pixel with its mask."""
        if batch.masks is None:
            raise SightlineError(
                "few-shot learns from masks; train it on a split that has masks or boxes"
            )
        loss = pixel_loss(self._scores(batch.images), batch.masks)
        return Step(loss, {"pixels": loss.detach()})

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Give one map to every label; the logits are all 0."""
        scores = self._scores(images)
        logits = scores.new_zeros(len(images), self.classes)
        count = choose(logits).shape[1]
        return Localized(logits, scores.sigmoid()[:, None].expand(-1, count, -1, -1))

    def _scores(self, images: Tensor) -> Tensor:
        return enlarged(self.saliency(self.backbone(images).last), images)

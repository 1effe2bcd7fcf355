"""F-CAM: a decoder enlarges class maps to the size of the image, taught by a few sure pixels.

Paper: Belharbi et al., F-CAM: Full Resolution Class Activation Maps, WACV 2022
    https://arxiv.org/abs/2109.07069

A trained CAM classifier is frozen. A decoder on its features learns object and background of every
pixel from seeds that are drawn anew in each step: pixels that the map of the label is surest of.
Between seeds, pixels that look alike are to agree, and neither object nor background may vanish.

Formula:
    s     = softmax(decoder(features)), background and object, at the size of the image
    m     = enlarged(scaled(CAM's map of the label));  R = {floor(255 m) > Otsu's threshold}, eroded
    seeds : object, drawn from R;  background, drawn from the lowest share of m;  each dilated
    loss  = mean over seeds of cross-entropy(s, seed) + w_c CRF(s) + w_s size(s)
    CRF   = -1/N sum s' W s;  W = exp(-|p - q|^2 / 2 sigma_xy^2 - |I_p - I_q|^2 / 2 sigma_rgb^2)
    size  = 1/2 [b_t(-sum s_object) + b_t(-sum s_background)]
    b_t(z) = -log(-z) / t  where z <= -1/t^2,  else  t z - log(1/t^2) / t + 1/t
    t     = min(10, 1.01^epoch);  map = s_object, the same for every class

Released code: Takes a classifier from another run: here that is `--weights RUN/last.safetensors
--classifier-share 0`, where RUN trained CAM on the same backbone. Otherwise the first share of this
run's epochs trains the classifier. Its README has 1 seed of each kind, dilated to 3 pixels, a
background share of .1 and a size weight of .1, as the defaults here; its configuration has 10, 1,
.2 and 1. Its decoder has a block for each of five features, of which here only the last of each
resolution counts. Its lengths in pixels are for images of side 224; at other sizes, seeds, the
CRF's width and its sum over pairs are scaled. The search space of Realistic Model Selection for
WSOL (Table S1) leaves this method out: the one here spans what README and configuration have, an
order of magnitude more for weights, and all feasible shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sightline.backbones.assembly import initialize
from sightline.backbones.contract import Backbone
from sightline.errors import SightlineError, UsageError
from sightline.hyperparameters import AtLeast, LogUniform, Uniform, Whole, validate
from sightline.methods import cam
from sightline.methods.contract import Batch, Choose, Localized, Step
from sightline.methods.heads import IGNORED, enlarged, numpy_dice, scaled
from sightline.methods.pixelwise.decoder import Decoder
from sightline.methods.pixelwise.dense_crf import dense_crf
from sightline.methods.pixelwise.seeds import Seeding, scaled_side, seeds

USUAL = 224  # side of images that lengths are given for
STEEPEST, GROWTH = 10.0, 1.01  # of the barrier


@dataclass(frozen=True, slots=True)
class Options:
    """What the decoder learns from; lengths are for images of side 224."""

    foreground_seeds: Annotated[int, "pixels drawn from the object's region", Whole(1, 10)] = 1
    background_seeds: Annotated[int, "pixels drawn from the lowest ones", Whole(1, 10)] = 1
    background_share: Annotated[
        float, "share of the pixels, the lowest ones, that background is drawn from", Uniform(0, 1)
    ] = 0.1
    crf_weight: Annotated[float, "w_c, of likeness; 0: none", LogUniform(1e-10, 1e-7)] = 2e-9
    size_weight: Annotated[float, "w_s, of the barrier; 0: none", LogUniform(0.01, 10)] = 0.1
    sigma_rgb: Annotated[float, "of likeness, in colors from 0 to 255", AtLeast(1)] = 15.0
    sigma_xy: Annotated[float, "of nearness, in pixels", AtLeast(10)] = 100.0
    erosion: Annotated[int, "pixels, odd: side of what the region shrinks by", AtLeast(1)] = 11
    dilation: Annotated[int, "pixels, odd: side of a seed", AtLeast(1)] = 3
    classifier_share: Annotated[
        float, "of the epochs, that train the classifier first; 0: --weights has it", AtLeast(0)
    ] = 0.5
    width: Annotated[int, "channels of the decoder's first block, then half", AtLeast(1)] = 256

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if not 0 <= self.classifier_share < 1:
            what = f"{self.classifier_share:g} is not from 0 to below 1"
            raise UsageError(f"--classifier-share: {what}")
        for name in ("erosion", "dilation"):
            if getattr(self, name) % 2 == 0:
                raise UsageError(f"--{name}: {getattr(self, name)} is not odd")


class Method(cam.Method):
    """CAM's network, and a decoder that learns once the classifier has."""

    def __init__(self, backbone: Backbone, classes: int, options: Options) -> None:
        super().__init__(backbone, classes, options)
        self.options = options
        self.decoder = Decoder(backbone, options.width)
        initialize(self.decoder, backbone.initialization)

    def step(self, batch: Batch) -> Step:
        """Train the classifier first, then the decoder on top of it."""
        alone = self.options.classifier_share * batch.epochs
        return self._classified(batch) if batch.epoch < alone else self._decoded(batch, alone)

    def localize(self, images: Tensor, choose: Choose) -> Localized:
        """Give the object's share of every pixel to every label."""
        logits, scores, _ = self._seen(images)
        count = choose(logits).shape[1]
        return Localized(logits, scores.softmax(1)[:, 1:].expand(-1, count, -1, -1))

    def _classified(self, batch: Batch) -> Step:
        step = super().step(batch)
        nothing = step.loss.detach().new_zeros(())
        return Step(step.loss, step.parts | dict.fromkeys(PARTS, nothing), step.logits)

    def _decoded(self, batch: Batch, alone: float) -> Step:
        self._refuse_unlearned()
        self.backbone.eval()  # frozen: no gradient and no running mean
        logits, scores, class_maps = self._seen(batch.images, batch.labels, frozen=True)
        self.backbone.train(self.training)
        shares = scores.softmax(1)
        steepness = min(STEEPEST, GROWTH ** int(batch.epoch - alone))
        losses = {
            "seeds": seed_loss(scores, self._seeds(class_maps, batch)),
            "crf": self.options.crf_weight * self._crf(shares, batch.images),
            "size": self.options.size_weight * size_loss(shares, steepness),
        }
        parts = {"classification": functional.cross_entropy(logits, batch.labels)} | losses
        parts = {name: part.detach() for name, part in parts.items()}
        return Step(torch.stack(list(losses.values())).sum(), parts, logits)

    def _seen(
        self, images: Tensor, labels: Tensor | None = None, *, frozen: bool = False
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Give logits, scores of background and object, and the class maps of the labels."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            features = self.backbone(images, taps=self.decoder.skips)
            logits = self.classifier(features.last)
            labels = logits.argmax(1) if labels is None else labels
            class_maps = self.classifier.maps(features.last, labels[:, None])
        scores = self.decoder(features.last, features.taps, images.shape[-2:])
        return logits, scores.float(), class_maps.detach()

    def _seeds(self, class_maps: Tensor, batch: Batch) -> Tensor:
        """Draw the seeds of every image, (N, H, W)."""
        maps = enlarged(scaled(class_maps.float()), batch.images).cpu().numpy()
        dice, how = numpy_dice(batch.generator), self._seeding(maps.shape[1:])
        found = np.stack([seeds(one, how, dice) for one in maps])
        return torch.from_numpy(found).to(batch.images.device)

    def _seeding(self, size: Sequence[int]) -> Seeding:
        chosen, side = self.options, _side(size)
        return Seeding(
            chosen.foreground_seeds,
            chosen.background_seeds,
            chosen.background_share,
            scaled_side(chosen.erosion, side, USUAL),
            scaled_side(chosen.dilation, side, USUAL),
        )

    def _crf(self, shares: Tensor, images: Tensor) -> Tensor:
        """Compute the CRF loss as at the usual size, where there are so many more pairs."""
        if not self.options.crf_weight:
            return shares.new_zeros(())
        known, ratio = self.backbone.normalization, _side(images.shape[-2:]) / USUAL
        mean, std = (images.new_tensor(v)[:, None, None] for v in (known.mean, known.std))
        colors = 255 * (images * std + mean).clamp(0, 1)
        loss = dense_crf(shares, colors, self.options.sigma_rgb, self.options.sigma_xy * ratio)
        return loss / ratio**4

    def _refuse_unlearned(self) -> None:
        """Refuse a classifier as it is made, whose bias is 0."""
        if not self.options.classifier_share and not self.classifier.bias.any():
            raise SightlineError(
                "f-cam's classifier has learned nothing: give --weights the checkpoint of a CAM run"
                " with these classes, or --classifier-share above 0"
            )


PARTS = ("seeds", "crf", "size")


def seed_loss(scores: Tensor, wanted: Tensor) -> Tensor:
    """Average the cross-entropy over all seeds of a batch; 0 if there are none."""
    total = functional.cross_entropy(scores, wanted.long(), ignore_index=IGNORED, reduction="sum")
    return total / (wanted != IGNORED).sum().clamp(min=1)


def size_loss(shares: Tensor, steepness: float) -> Tensor:
    """Let neither object nor background vanish: the mean over images of both barriers."""
    return log_barrier(-shares.sum((2, 3)), steepness).mean()


def log_barrier(z: Tensor, t: float) -> Tensor:
    """Give -log(-z) / t where z is well below 0, and its tangent at -1/t^2 beyond."""
    inside = -(-z).clamp(min=1 / t**2).log() / t
    beyond = t * z - torch.tensor(1 / t**2).log() / t + 1 / t
    return torch.where(z <= -1 / t**2, inside, beyond)


def _side(size: Sequence[int]) -> float:
    return float(np.sqrt(size[0] * size[1]))

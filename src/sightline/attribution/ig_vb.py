"""Integrated Gradients over vanilla backpropagation: gradients averaged along a path.

Paper: Sundararajan, Taly and Yan, Axiomatic Attribution for Deep Networks, ICML 2017
    https://arxiv.org/abs/1703.01365

The path runs straight from an image without evidence, black in the evaluation paper, to the
image. As in that paper gradients are averaged alone; with `factor` they are multiplied by image
minus reference, and over vanilla gradients and with `channels` at `sum` the values of all pixels
add up to the difference of the scores.

Formula:
    M(x) = G * sum_channels |sum_n w_n g(I_0 + a_n (I - I_0))(x)|

Released code: None of the evaluation papers.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.averaging import integrated, reference
from sightline.attribution.gradients import gradient_of
from sightline.attribution.networks import Network
from sightline.attribution.settings import (
    Aim,
    Blur,
    ChannelRule,
    Chunk,
    Factor,
    PointRule,
    Samples,
    Sigma,
    Start,
)
from sightline.attribution.smoothing import as_maps
from sightline.hyperparameters import validate

NEEDS = "gradients"


@dataclass(frozen=True, slots=True)
class Options:
    """Which path is averaged over, and how it becomes a map."""

    samples: Samples = 50
    reference: Start = "black"
    rule: PointRule = "midpoint"
    factor: Factor = False
    target: Aim = "logit"
    channels: ChannelRule = "sum-abs"
    blur: Blur = 127
    sigma: Sigma = 0.0
    chunk: Chunk = 16

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        validate(self)


def explain(network: Network, images: Tensor, labels: Tensor, options: Options) -> Tensor:
    """Give smoothed averages of gradients, (N, H, W)."""
    return averages(network, images, labels, options, guided=False)


def averages(
    network: Network, images: Tensor, labels: Tensor, options: Options, *, guided: bool
) -> Tensor:
    """Give smoothed averages of gradients of either kind."""
    start = reference(network, images, options.reference)
    found = integrated(
        gradient_of(network, options.target, guided=guided),
        images,
        labels,
        start,
        samples=options.samples,
        rule=options.rule,
        chunk=options.chunk,
    )
    if options.factor:
        found = found * (images - start)
    return as_maps(found, options.channels, options.blur, options.sigma)

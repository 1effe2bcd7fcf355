"""SmoothGrad over vanilla backpropagation: gradients averaged over noised images.

Paper: Smilkov et al., SmoothGrad: removing noise by adding noise, ICML workshop 2017
    https://arxiv.org/abs/1706.03825

Gradients are averaged with their signs, before channels become one. The noise of an image
follows from the seed and the image, so that its map is always the same.

Formula:
    M(x) = G * sum_channels |1/N sum_n g(I + e_n)(x)|, e_n ~ Normal(0, (noise (max I - min I))^2)

Released code: None of the evaluation papers; the authors' own averages squares by default.
"""

from dataclasses import dataclass

from torch import Tensor

from sightline.attribution.averaging import smoothed
from sightline.attribution.gradients import gradient_of
from sightline.attribution.networks import Network
from sightline.attribution.settings import (
    Aim,
    Blur,
    ChannelRule,
    Chunk,
    Noise,
    Samples,
    Seed,
    Sigma,
)
from sightline.attribution.smoothing import as_maps
from sightline.hyperparameters import validate

NEEDS = "gradients"


@dataclass(frozen=True, slots=True)
class Options:
    """What is averaged, and how it becomes a map."""

    samples: Samples = 50
    noise: Noise = 0.15
    seed: Seed = 0
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
    found = smoothed(
        gradient_of(network, options.target, guided=guided),
        images,
        labels,
        samples=options.samples,
        noise=options.noise,
        seed=options.seed,
        chunk=options.chunk,
    )
    return as_maps(found, options.channels, options.blur, options.sigma)

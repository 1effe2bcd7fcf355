"""What a backbone is: named stages, one after another, and what a method may ask of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from torch import Tensor, nn

Neck = Literal["none", "class-maps", "guided"]
Initialization = Literal["kaiming", "xavier"]  # of convolutions; see `assembly.initialize`

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True, slots=True)
class Normalization:
    """How pixels in [0, 1] become input: less the mean, by the deviation, for each channel."""

    mean: tuple[float, float, float] = IMAGENET_MEAN
    std: tuple[float, float, float] = IMAGENET_STD


@dataclass(frozen=True, slots=True)
class Design:
    """What a method may ask of a backbone; one that knows no such difference ignores it.

    `neck` names the new layers behind the published ones: `none`; `class-maps`, those of CAM's
    network (VGG's conv6, Inception's two convolutions, nothing elsewhere); `guided`, those of the
    self-produced guidance (VGG: two convolutions of 512). `activation` is what follows the
    convolutions of a network that has only these.
    """

    neck: Neck = "class-maps"
    pooling: Literal["plain", "overlapping"] = "plain"
    dropout: bool = True
    stochastic_depth: float = 0.0  # of a transformer: see `vision_transformer.Transformer`
    activation: Literal["relu", "leaky"] = "relu"


@dataclass(frozen=True, slots=True)
class Roles:
    """Where in a backbone methods act: names of stages."""

    erasing: tuple[str, ...]  # behind which attention may hide features, early to late
    side: tuple[str, str]  # whose outputs side branches read, early and late
    relating: tuple[str, ...] = ()  # behind which positions may be related to all others
    new: tuple[str, ...] = ()  # stages that no published weights fill


@dataclass(frozen=True, slots=True)
class Features:
    """The last stage's output, and that of the stages that were asked for."""

    last: Tensor  # (N, C, h, w)
    taps: Mapping[str, Tensor]


class Backbone(nn.Module):
    """Stages by name, in order; each takes what the one before gives.

    `channels` tells how many channels each stage gives. A stage is as fine as any method needs it:
    whatever stands between two stages may be changed from outside with `after`. The class maps of a
    method read the last stage.
    """

    def __init__(
        self,
        stages: Mapping[str, nn.Module],
        channels: Mapping[str, int],
        roles: Roles,
        *,
        resolution: int,
        normalization: Normalization | None = None,
        input_size: int = 224,
        initialization: Initialization = "kaiming",
    ) -> None:
        super().__init__()
        self.stages = nn.ModuleDict(stages)
        self.channels = dict(channels)
        self.roles = roles
        self.resolution = resolution  # side of the last stage's output at the input size
        self.normalization = normalization or Normalization()
        self.input_size = input_size
        self.initialization = initialization  # how a method's own layers begin

    @property
    def stage_names(self) -> tuple[str, ...]:
        """List the stages in order."""
        return tuple(self.stages)

    @property
    def last_channels(self) -> int:
        """Tell how many channels the features have."""
        return self.channels[self.stage_names[-1]]

    def forward(
        self,
        images: Tensor,
        *,
        taps: Collection[str] = (),
        after: Mapping[str, nn.Module] | None = None,
    ) -> Features:
        """Run all stages.

        Args:
            images: normalized, (N, 3, H, W).
            taps: stages whose output is wanted too.
            after: modules that change a stage's output, by the stage's name.
        """
        inserted, kept, x = after or {}, {}, images
        for name, stage in self.stages.items():
            x = stage(x)
            if name in inserted:
                x = inserted[name](x)
            if name in taps:
                kept[name] = x
        return Features(x, kept)

    def before(self, stage: str) -> str:
        """Name the stage before a stage."""
        names = self.stage_names
        return names[names.index(stage) - 1]


class BackboneModule(Protocol):
    """What the file of a backbone has."""

    RESOLUTIONS: tuple[int, ...]  # sides of the features at the input size; the default first
    INPUT_SIZE: int  # side of the images that training crops
    NORMALIZATION: Normalization
    PUBLISHED: Mapping[str, str]  # weights by name: an address, or `package:NAME/FILE`
    # KIND: type[Backbone], if it builds a special one, that some methods need
    # refusal(published) -> str, if it can tell why weights that look like its own are not

    def build(self, *, resolution: int, design: Design) -> Backbone:
        """Make the network with random weights.

        Args:
            resolution: one of `RESOLUTIONS`; any input of another size scales it.
            design: what the method asks for.
        """

    def reorganized(self, published: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Give published weights under the names of our stages, classifier included.

        Each tensor is renamed on its own. Those that the backbone does without are left out; those
        that it does not know keep their name, so that they can be reported.

        Keys are `stages.STAGE...` as in `Backbone.state_dict`, and `classifier.weight`,
        `classifier.bias` for the published classifier where its features are those of CAM.
        """

    def fast_layers(self, names: Sequence[str], rule: str) -> set[str]:
        """Choose the parameters that learn ten times faster: `paper` or `released`.

        Names are those of a method: `backbone.stages.STAGE...` and whatever layers it adds.
        """

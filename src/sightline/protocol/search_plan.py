"""What a search is asked to do: how many trials, of what, and which is the best."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from sightline.errors import UsageError
from sightline.hyperparameters import AtLeast, validate
from sightline.protocol import spaces
from sightline.protocol.samplers import Sampler


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """How many trials, of what, and which is the best."""

    trials: Annotated[
        int, "configurations; with --space realistic, those that all methods share", AtLeast(1)
    ] = 30
    space: Annotated[spaces.Space, "what is drawn beside the method's own options"] = "feasible"
    own_draws: Annotated[
        int, "realistic: draws of the method's own options for each shared one", AtLeast(1)
    ] = 1
    steps: Annotated[tuple[int, int] | None, "realistic: fewest and most epochs between decays"] = (
        None
    )
    proxy: Annotated[float, "share of each class's training images that trials learn from"] = 1.0
    criterion: Annotated[
        str, "metric of a row such as MaxBoxAccV2, MaxBoxAccV2.50, PxAP, top1 or loss"
    ] = ""
    sampler: Annotated[Sampler, "random, or one of Optuna's, which learn from trials"] = "random"

    def __post_init__(self) -> None:
        """Refuse what is not feasible."""
        validate(self)
        if not 0 < self.proxy <= 1:
            raise UsageError(f"--proxy: {self.proxy:g} is not above 0 and at most 1")
        if self.space == "realistic" and self.sampler != "random":
            raise UsageError("--space realistic is a grid; it goes with --sampler random alone")

    @property
    def count(self) -> int:
        """Count the trials."""
        return self.trials * self.own_draws if self.space == "realistic" else self.trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is searched for: the method, and all of its training that is not drawn."""

    method: str
    backbone: str
    data: str
    weights: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """Give the seed of all draws, and of each training run."""
        return int(self.plan.get("seed", 0))

"""From many proposals to one box: the best ranks, the pointing game, the classifier's response.

Paper: Murtaza et al., Realistic Model Selection for Weakly Supervised Object Localization,
section 3, Figure 3, and section 4.3

Section 3 has the pointing game first, section 4.3 the best 20 %, which is the default; the order,
the share and what ranks boxes are options.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sightline.annotators.contract import Floats, Proposals
from sightline.errors import UsageError
from sightline.hyperparameters import Uniform, validate

Ints = NDArray[np.int64]
Step = Literal["top", "pointing", "scoring"]
Rank = Literal["auto", "objectness", "classifier"]
Missed = Literal["pass", "none"]
NO_HIT = "no proposal under the peak"
Respond = Callable[[Ints], Floats]  # the classifier's response to some boxes


@dataclass(frozen=True, slots=True)
class Plan:
    """How one of many boxes is chosen."""

    order: Annotated[
        tuple[Step, ...], "the steps: best ranks, under the peak of the CAM, best response"
    ] = ("top", "pointing", "scoring")
    fraction: Annotated[float, "share of the boxes that is among the best ranks", Uniform(0, 1)] = (
        0.2
    )
    rank: Annotated[Rank, "what ranks boxes; auto: the classifier where scores say little"] = "auto"
    missed: Annotated[Missed, "no box under the peak: pass the step over, or give none"] = "pass"

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        validate(self)
        if len(set(self.order)) < len(self.order) or set(self.order) - set(get_args(Step)):
            raise UsageError(f"--order takes {', '.join(get_args(Step))}, each once at most")

    def ranked_by(self, module: object) -> Rank:
        """Tell what ranks the boxes of an annotator."""
        own: Rank = getattr(module, "RANKS", "objectness")
        return own if self.rank == "auto" else self.rank


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which box, and which were left on the way; numbers are places among the ranked boxes."""

    place: int  # -1: none
    reserve: str  # why there is none, or what it had to do without
    peak: tuple[float, float]
    responses: Floats  # (N,) NaN where the classifier was not asked
    hit: Ints  # all boxes under the peak
    left: Mapping[str, Ints]  # by step
    best: int  # the best by rank of those that `top` left

    def packed(self) -> bytes:
        """Write it."""
        stream = BytesIO()
        arrays: dict[str, Any] = {f"left_{step}": kept for step, kept in self.left.items()}
        arrays |= {"responses": self.responses, "hit": self.hit, "peak": np.array(self.peak)}
        places = np.array([self.place, self.best])
        np.savez(stream, places=places, reserve=np.array(self.reserve), **arrays)
        return stream.getvalue()


def unpacked(data: bytes) -> Choice:
    """Read a choice back."""
    with np.load(BytesIO(data), allow_pickle=False) as kept:
        place, best = map(int, kept["places"])
        x, y = map(float, kept["peak"])
        left = {n.removeprefix("left_"): kept[n] for n in kept if n.startswith("left_")}
        reserve, responses, hit = str(kept["reserve"]), kept["responses"], kept["hit"]
    return Choice(place, reserve, (x, y), responses, hit, left, best)


def choose(
    proposals: Proposals, peak: tuple[float, float], plan: Plan, rank: Rank, respond: Respond
) -> Choice:
    """Go through the steps.

    Args:
        proposals: ranked, within the image, one at least.
        peak: where the classifier looks.
        plan: the steps.
        rank: what ranks boxes.
        respond: asks the classifier about boxes by their places.
    """
    count = len(proposals.boxes)
    responses = np.full(count, np.nan)

    def asked(places: Ints) -> Floats:
        lacking = places[np.isnan(responses[places])]
        responses[lacking] = respond(lacking)
        return responses[places]

    def ranks(places: Ints) -> Floats:
        return asked(places) if rank == "classifier" else proposals.scores[places]

    hit = under(proposals.boxes, peak)
    left = np.arange(count)
    after: dict[str, Ints] = {}
    reserve = ""
    for step in plan.order:
        if step == "top":
            left = _best(left, ranks(left), math.ceil(plan.fraction * len(left)))
        elif step == "pointing":
            inside = left[np.isin(left, hit)]
            if not len(inside):
                reserve = NO_HIT
            left = inside if len(inside) or plan.missed == "none" else left
        else:
            left = _best(left, asked(left), 1)
        after[step] = left
    of_top = after.get("top", np.arange(count))
    best = _best(of_top, ranks(of_top), 1)
    final = _best(left, ranks(left), 1)
    return Choice(
        int(final[0]) if len(final) else -1,
        reserve,
        peak,
        responses,
        hit,
        after,
        int(best[0]) if len(best) else -1,
    )


def under(boxes: Floats, point: tuple[float, float]) -> Ints:
    """List the boxes that a point lies in."""
    x, y = point
    inside = (boxes[:, 0] <= x) & (x < boxes[:, 2]) & (boxes[:, 1] <= y) & (y < boxes[:, 3])
    return np.flatnonzero(inside)


def _best(places: Ints, scores: Floats, count: int) -> Ints:
    """Keep the best ones, in the order of places; of equal ones the first."""
    count = max(1, count) if len(places) else 0
    return np.sort(places[np.argsort(-scores, kind="stable")[:count]])

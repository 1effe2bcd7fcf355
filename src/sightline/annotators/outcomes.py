"""What came of each image: a box, or none and why."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Corners = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A box with edges between pixels, or the reason why there is none."""

    name: str
    size: tuple[int, int]
    box: Corners | None
    reason: str = ""  # why there is none, or what the choice had to do without
    proposals: int = 0  # how many there were to choose from
    dropped: int = 0  # boxes of the source that are none in the image
    score: float = 0.0  # what the chosen one was chosen by
    failed: bool = False  # the image could not be read or asked about

    @property
    def kind(self) -> Literal["box", "none", "error"]:
        """Name it."""
        if self.box:
            return "box"
        return "error" if self.failed else "none"


def counted(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Count outcomes, and every reason."""
    kinds = Counter(one.kind for one in outcomes)
    reasons = Counter(f"{one.kind}: {one.reason}" for one in outcomes if one.reason)
    return {
        **{kind: kinds[kind] for kind in ("box", "none", "error")},
        **dict(sorted((k, n) for k, n in reasons.items() if not k.startswith("error"))),
    }

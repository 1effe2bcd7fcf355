"""Densities of fixations: equations 1 to 5 of the paper, shared by four orderings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from sightline.errors import UsageError
from sightline.hyperparameters import validate
from sightline.parts.orderings.contract import Mask, Ranked, Seen, ranked
from sightline.types import Fixation


@dataclass(frozen=True, slots=True)
class Options:
    """How a fixation in nested parts is counted."""

    nested: Annotated[
        Literal["smallest", "all"], "the part that a fixation in several counts for: an eye, or all"
    ] = "smallest"

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        validate(self)


def order(
    category: str,
    parts: Sequence[str],
    objects: Iterable[Seen],
    options: Options,
    *,
    by_position: bool,
    by_area: bool,
) -> list[Ranked]:
    """Sum each part's factor over the images of a category; images without fixations add none."""
    sums: dict[str, float] = defaultdict(float)
    looked = False
    for one in objects:
        looked |= bool(one.fixations)
        for part, value in factors(one, options, by_position=by_position, by_area=by_area).items():
            sums[part] += value
    if not looked:
        raise UsageError(
            f"{category}: nobody's fixations are known; give --fixations to 'parts prepare', or"
            " choose another ordering"
        )
    return ranked(parts, sums)


def factors(one: Seen, options: Options, *, by_position: bool, by_area: bool) -> dict[str, float]:
    """Give E of each part of one object; nothing where no fixation lies in any part."""
    counts: dict[str, float] = defaultdict(float)
    for sequence in _sequences(one.fixations):
        for j, fixation in enumerate(sequence, start=1):
            weight = (len(sequence) - j + 1) / len(sequence) if by_position else 1.0  # equation 2
            for part in parts_at(one.parts, fixation, options.nested):
                counts[part] += weight
    total = sum(counts.values())
    shares = {part: count / total for part, count in counts.items()}  # equation 1
    if not by_area:
        return shares
    area = int(one.whole.sum())
    return {part: e * area / int(one.parts[part].sum()) for part, e in shares.items()}  # 3 to 5


def parts_at(parts: Mapping[str, Mask], fixation: Fixation, nested: str) -> list[str]:
    """Name the parts within whose boundary a fixation lies; none outside of the picture."""
    x, y = int(fixation.x // 1), int(fixation.y // 1)
    found = []
    for part, mask in parts.items():
        height, width = mask.shape
        if 0 <= x < width and 0 <= y < height and mask[y, x]:
            found.append(part)
    if nested == "smallest" and len(found) > 1:
        return [min(found, key=lambda part: (int(parts[part].sum()), part))]
    return found


def _sequences(fixations: Sequence[Fixation]) -> list[list[Fixation]]:
    """Sort fixations into the sequences of subjects, in the order of looking."""
    by_subject: dict[str, list[Fixation]] = defaultdict(list)
    for fixation in fixations:
        by_subject[fixation.subject].append(fixation)
    return [sorted(of, key=lambda f: f.order) for of in by_subject.values()]

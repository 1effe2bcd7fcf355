"""Part sequences: which image is shown at each step, and the images themselves.

A category with M parts has sequences of M + 1 images: one for each part in the ordering, and the
crop itself last, when all that is unlabeled is added. A part that an object lacks repeats the image
before it, and so does one that adds no pixel to those before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sightline.parts.answers import UNLABELED_REST
from sightline.parts.contents.contract import Scene
from sightline.parts.named import Named
from sightline.parts.orderings.contract import Ranked, Seen
from sightline.parts.prepared import Box, Listed, Masks, Prepared

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
FirstMissing = Literal["empty", "next"]
Orders = Mapping[tuple[str, str], Sequence[Ranked]]  # by ordering and category
ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class Shown:
    """An image of an object: which one it is among all of its images."""

    crop: str  # tight or context
    content: str  # or ORIGINAL
    reveal: int  # which parts are revealed, by number of `Plan.reveals`

    @property
    def file(self) -> str:
        """Name its file."""
        text = self.content.replace(":", "-").replace("/", "-")
        return (
            f"{ORIGINAL}-{self.crop}.png" if text == ORIGINAL else f"{text}-{self.reveal:03d}.png"
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a sequence."""

    number: int  # from 1
    part: str  # what was to be added
    there: bool  # whether the object has it
    shown: Shown


@dataclass(frozen=True, slots=True)
class Series:
    """The sequence of an object by one ordering and one content scheme."""

    ordering: str
    content: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All sequences of an object; images are the same where their keys are."""

    object: Listed
    series: tuple[Series, ...]
    reveals: tuple[Mask, ...]

    @property
    def images(self) -> tuple[Shown, ...]:
        """List the images that differ, in the order in which they are needed."""
        return tuple(dict.fromkeys(step.shown for one in self.series for step in one.steps))


def orders(prepared: Prepared, orderings: Sequence[Named]) -> dict[tuple[str, str], list[Ranked]]:
    """Put the parts of every category in order."""
    return {
        (ordering.text, category): ordering.module.order(
            category,
            prepared.schemes[category],
            _seen(prepared, category, ordering.module.NEEDS),
            ordering.options,
        )
        for ordering in orderings
        for category in prepared.categories
    }


def _seen(prepared: Prepared, category: str, needs: str) -> Iterator[Seen]:
    for one in prepared.of(category) if needs else ():
        looked = prepared.fixations.get(one.name, ())
        if looked or needs == "masks":
            masks = prepared.masks(one)
            yield Seen(masks.parts, masks.whole, looked)


def plan(
    one: Listed, masks: Masks, orders: Orders, contents: Sequence[Named], first: FirstMissing
) -> Plan:
    """Decide all sequences of an object."""
    reveals: dict[bytes, int] = {}
    kept: list[Mask] = []
    series = []
    orderings = dict.fromkeys(ordering for ordering, _ in orders)
    for ordering in orderings:
        parts = [ranked.part for ranked in orders[ordering, one.category]]
        numbers = []
        for mask in _revealed(parts, masks, first):
            key = np.packbits(mask).tobytes()
            if key not in reveals:
                reveals[key] = len(kept)
                kept.append(mask)
            numbers.append(reveals[key])
        for content in contents:
            steps = _steps(parts, numbers, masks, content)
            series.append(Series(ordering, content.text, steps))
    return Plan(one, tuple(series), tuple(kept))


def _revealed(parts: Sequence[str], masks: Masks, first: FirstMissing) -> list[Mask]:
    """Reveal part by part; what comes before the first one that is there is chosen."""
    so_far = np.zeros(masks.whole.shape, np.bool_)
    revealed = []
    for part in parts:
        if part in masks.parts:
            so_far = so_far | masks.parts[part]
        revealed.append(so_far)
    if first == "next":
        begun = next((mask for mask in revealed if mask.any()), so_far)
        revealed = [mask if mask.any() else begun for mask in revealed]
    return revealed


def _steps(
    parts: Sequence[str], numbers: Sequence[int], masks: Masks, content: Named
) -> tuple[Step, ...]:
    crop = content.module.CROP
    steps = [
        Step(number, part, part in masks.parts, Shown(crop, content.text, reveal))
        for number, (part, reveal) in enumerate(zip(parts, numbers, strict=True), start=1)
    ]
    last = Step(len(parts) + 1, UNLABELED_REST, there=True, shown=Shown(crop, ORIGINAL, 0))
    return (*steps, last)


def pictures(
    made: Plan, context: Picture, contents: Sequence[Named]
) -> Iterator[tuple[Shown, Picture]]:
    """Make the images of an object that differ, one at a time."""
    by_text = {content.text: content for content in contents}
    height, width = context.shape[:2]
    boxes: dict[str, Box] = {"context": (0, 0, width, height), "tight": made.object.inner}
    scenes, painters = {}, {}
    for shown in made.images:
        x0, y0, x1, y1 = boxes[shown.crop]
        if shown.crop not in scenes:
            inner = made.object.inner if shown.crop == "context" else (0, 0, x1 - x0, y1 - y0)
            scenes[shown.crop] = Scene(np.ascontiguousarray(context[y0:y1, x0:x1]), inner)
        scene = scenes[shown.crop]
        if shown.content == ORIGINAL:
            yield shown, scene.picture
            continue
        if shown.content not in painters:
            content = by_text[shown.content]
            painters[shown.content] = content.module.begin(scene, content.options)
        mask = np.ascontiguousarray(made.reveals[shown.reveal][y0:y1, x0:x1])
        yield shown, painters[shown.content](mask)

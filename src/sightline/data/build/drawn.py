"""Images that were drawn for a split: checked one by one, then written with their lists."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sightline.data.annotations import PICTURES
from sightline.data.build.files import each, place
from sightline.data.build.lists import Listed, write_lists
from sightline.data.build.mask_files import fitting_size, union, write_mask
from sightline.data.build.sources import Instances
from sightline.data.paths import unsafe
from sightline.data.photographs import inspect
from sightline.errors import DataError, Problem

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An image: what it is called in the split, where its file lies, and where its objects do."""

    name: str
    label: int
    picture: Path | None = None
    size: tuple[int, int] = (0, 0)  # width and height, 0 where unknown
    boxes: tuple[Box, ...] = ()
    instances: Instances | None = None

    @property
    def stem(self) -> str:
        """Give the name without the suffix of its file."""
        stem, _, suffix = self.name.rpartition(".")
        return stem if suffix.lower() in PICTURES else self.name


def check(drawn: Sequence[Drawn], workers: int, title: str) -> tuple[list[Drawn], list[Problem]]:
    """Find what is wrong with any image or mask; whatever is sound has a known size now."""
    results = [*_clashes(drawn), *each(_checked, drawn, workers, f"checking {title}")]
    problems = [result for result in results if isinstance(result, Problem)]
    bad = {problem.image for problem in problems}
    sound = [result for result in results if isinstance(result, Drawn) and result.name not in bad]
    return sound, problems


def _clashes(drawn: Sequence[Drawn]) -> Iterable[Problem]:
    """Find images whose masks would have the same name."""
    stems = Counter(image.stem for image in drawn)
    for image in drawn:
        if stems[image.stem] > 1:
            what, remedy = "differs from another image by its suffix alone", "rename one of them"
            yield Problem(what, image=image.name, remedy=remedy)


def _checked(image: Drawn) -> Drawn | Problem:
    reason = unsafe(image.name)
    if reason:
        return Problem(f"image id is {reason}", image=image.name, remedy="use a plain name")
    try:
        return _sized(image)
    except DataError as error:
        return replace(error.problems[0], image=image.name)


def _sized(image: Drawn) -> Drawn:
    facts = inspect(image.picture) if image.picture else None
    shape = union(image.instances, image.name)[0].shape if image.instances else None
    if facts and shape:
        return replace(image, size=fitting_size(shape, facts, image.name))
    return replace(image, size=facts.size) if facts and not image.size[0] else image


def write(drawn: Sequence[Drawn], folder: Path, workers: int) -> tuple[Path, ...]:
    """Write a split: images, masks, and then the lists that make it known."""
    listed = each(lambda image: _written(image, folder), drawn, workers, f"writing {folder.name}")
    return write_lists(folder, listed)


def _written(image: Drawn, folder: Path) -> Listed:
    if image.picture:
        place(image.picture, folder / "images" / image.name)
    mask = _write_masks(image, folder) if image.instances else ""
    boxes = [",".join(str(round(corner)) for corner in box) for box in image.boxes]
    places = boxes or ([mask] if mask else [])
    return Listed(image.name, image.label, image.size, tuple(places))


def _write_masks(image: Drawn, folder: Path) -> str:
    """Write the mask and, if there is any, the region to ignore; give their names for the list."""
    assert image.instances
    names = [f"masks/{image.stem}.png", f"masks/{image.stem}_ignore.png"]
    inside, ignored = union(image.instances, image.name)
    write_mask(folder / names[0], inside)
    if not ignored.any():
        return f"{names[0]},"
    write_mask(folder / names[1], ignored)
    return ",".join(names)

"""All images that splits are drawn from, with what is known of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sightline.data.annotations import Annotations
from sightline.data.build.drawn import Box, Drawn
from sightline.data.build.files import by_class, find_images
from sightline.data.build.sources import Instances
from sightline.data.dataset import find_pictures
from sightline.data.truth import read_annotations
from sightline.errors import DataError, Problem, UsageError


@dataclass(frozen=True, slots=True)
class Pool:
    """Images of one class each, sorted by name."""

    images: Sequence[Drawn]
    classes: Sequence[str]
    problems: Sequence[Problem] = ()
    several: int = 0  # images of several classes, which no class can give

    @property
    def places(self) -> str:
        """Tell how objects are located."""
        kinds = {"boxes": "boxes", "instances": "masks"}
        known = [
            kind for name, kind in kinds.items() if any(getattr(one, name) for one in self.images)
        ]
        return " and ".join(known) or "none known"


def is_image_folder(place: str) -> bool:
    """Tell whether a place holds images by class, and nothing that says where things are."""
    root = Path(place)
    known = ("image_ids.txt", "masks", "train", "val", "test", "metadata")
    listed = any((root / name).exists() for name in known)
    return root.is_dir() and not listed and not any(root.rglob("*.xml"))


def folder_pool(folder: Path) -> Pool:
    """Take an image folder: its subfolders are the classes."""
    names = find_images(folder)
    if not names:
        raise UsageError(f"{folder}: no image in it")
    groups = by_class(names, folder)
    classes = sorted(groups)
    return Pool(
        [
            Drawn(name, label, folder / name)
            for label, group in enumerate(classes)
            for name in groups[group]
        ],
        classes,
    )


def annotated_pool(
    place: str, *, split: str, images: Path | None, masks: Path | None, ignore_value: int | None
) -> Pool:
    """Take a ground truth, the images of one class in it.

    Boxes give way to masks where there are regions to ignore, which lists of boxes cannot name.
    """
    read = partial(
        read_annotations, place, split=split, images=images, masks=masks, ignore_value=ignore_value
    )
    known = read(localization=False)
    if not known.boxes and not known.masks and _some(known):
        known = read()  # where some images have places and others none, those are problems
    pictures, missing = find_pictures(known, place)
    _check(known, place)
    times = Counter(known.split.images)
    boxed = bool(known.boxes) and not _ignores(known)
    pool = [
        Drawn(
            name,
            int(known.split.labels[item]),
            picture,
            (int(known.split.sizes[item][0]), int(known.split.sizes[item][1])),
            _boxes(known, item) if boxed else (),
            _instances(known, item),
        )
        for item, (name, picture) in enumerate(zip(known.split.images, pictures, strict=True))
        if picture and times[name] == 1
    ]
    several = sum(count > 1 for count in times.values())
    return Pool(
        sorted(pool, key=lambda image: image.name),
        _classes(known),
        [*known.problems, *missing],
        several,
    )


def _some(known: Annotations) -> bool:
    return any(f"images_without_{kind}" in known.warnings for kind in ("boxes", "masks"))


def _check(known: Annotations, place: str) -> None:
    if not known.split.ids:
        raise DataError(known.problems or [Problem("no image is listed", place)])
    if (known.split.labels < 0).any():
        remedy = "name the classes in the annotations"
        raise DataError([Problem("images have no class", place, remedy=remedy)])


def _classes(known: Annotations) -> list[str]:
    count = max(len(known.split.classes), int(known.split.labels.max()) + 1)
    names = [*known.split.classes]
    return [*names, *(f"class {label}" for label in range(len(names), count))]


def _ignores(known: Annotations) -> bool:
    masks = known.masks
    return masks is not None and (masks.ignore_value is not None or any(masks.ignored))


def _boxes(known: Annotations, item: int) -> tuple[Box, ...]:
    if not known.boxes:
        return ()
    start, end = known.boxes.offsets[item : item + 2]
    return tuple((x0, y0, x1, y1) for x0, y0, x1, y1 in known.boxes.corners[start:end].tolist())


def _instances(known: Annotations, item: int) -> Instances | None:
    masks = known.masks
    if not masks:
        return None
    return Instances(masks.objects[item], masks.ignored[item], masks.ignore_value)

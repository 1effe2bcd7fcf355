"""Objects with annotated parts, from whatever format has them: one at a time.

A COCO file has parts where a category is called `OBJECT:PART` (as in PACO), or begins with its
supercategory (`Quadruped Head` of `Quadruped`, as in PartImageNet). A part belongs to the object
that `obj_ann_id` names, or else to the one of its class in the image that covers most of it, or
else to the only object that the parts of its class make up.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.data.dataset import read_dataset
from sightline.data.formats._segmentation import segmentation
from sightline.data.ledger import Ledger
from sightline.data.masks import read_mask, read_source
from sightline.errors import DataError, Problem, UsageError
from sightline.types import FOREGROUND, Fixation, LedgerEntry, MaskSource, MatMask

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Annotated:
    """An object: its masks are read when they are asked for."""

    name: str
    image: str
    kind: str  # class
    instance: int
    picture: Path
    parts: tuple[tuple[str, MaskSource], ...]
    whole: Callable[[], Mask] | None  # None: what its parts cover
    fixations: tuple[Fixation, ...] = ()

    def masks(self) -> tuple[list[tuple[str, Mask]], Mask]:
        """Read the parts and the object."""
        parts = [(name, read_source(source) > 0) for name, source in self.parts]
        whole = self.whole() if self.whole else np.logical_or.reduce([m for _, m in parts])
        return parts, np.asarray(whole)


@dataclass(frozen=True, slots=True)
class Source:
    """All objects of a data set."""

    dataset: str
    split: str
    objects: tuple[Annotated, ...]
    ledger: tuple[LedgerEntry, ...]


def read_annotated(
    place: str, *, split: str = "", images: Path | None = None, skip_problems: bool = False
) -> Source:
    """Read the objects of a data set with their parts.

    Args:
        place: as in `read_dataset`, or a COCO file.
        split: the split's name.
        images: the folder that image ids are relative to.
        skip_problems: leave out images with problems instead of stopping.
    """
    if place.endswith(".json") and Path(place).is_file():
        return _read_coco(Path(place), images)
    data = read_dataset(place, split=split, images=images, skip_problems=skip_problems)
    if not data.truth.has_parts:
        raise UsageError(f"{place}: no object parts are known in it; see docs/parts.md")
    ledger = Ledger()
    parts = data.truth.parts("study", ledger)
    masks = data.truth.masks("study", ledger) if data.truth.has_masks else None
    looked = data.truth.fixations("study", ledger) if data.truth.has_fixations else None
    objects = []
    for item, image in enumerate(data.split.images):
        label = int(data.split.labels[item])
        named = 0 <= label < len(data.split.classes)
        kind = data.split.classes[label] if named else f"class {label}"
        sources = masks.objects[item] if masks else ()
        groups: dict[int, list[tuple[str, MaskSource]]] = defaultdict(list)
        for part in parts[item]:
            groups[part.instance] += [(part.name, part.source)] if part.source else []
        for source in sources:
            if isinstance(source, MatMask):
                groups[source.thing] += []
        for instance in sorted(groups) or [0]:
            whole = _own(sources, instance)
            if whole is None and masks is not None and len(groups) <= 1:
                whole = _united(masks, item, data.truth.split.sizes[item])
            objects.append(
                Annotated(
                    f"{_stem(image)}#{instance + 1}",
                    image,
                    kind,
                    instance,
                    data.pictures[item],
                    tuple(groups[instance]),
                    whole,
                    looked[item] if looked else (),
                )
            )
    return Source(data.split.dataset, data.split.name, tuple(objects), tuple(ledger.entries))


def _stem(image: str) -> str:
    stem, dot, suffix = image.rpartition(".")
    return stem if dot and suffix.lower() in ("jpg", "jpeg", "png", "webp", "bmp") else image


def _own(sources: tuple[MaskSource, ...], instance: int) -> Callable[[], Mask] | None:
    """Find an object's own mask."""
    for source in sources:
        if isinstance(source, MatMask) and source.thing == instance:
            return lambda: read_source(source) > 0
    return None


def _united(masks: Any, item: int, size: Any) -> Callable[[], Mask]:
    """Give the mask of an image's only object."""
    known = (int(size[0]), int(size[1])) if all(size) else None
    return lambda: read_mask(masks, item, known) == FOREGROUND


def _read_coco(file: Path, images: Path | None) -> Source:
    content = _content(file)
    kinds = {c["id"]: _named(c) for c in content["categories"]}
    pictures = {i["id"]: i for i in content["images"]}
    things, parts = _sorted(content["annotations"], kinds, pictures, file)
    known = {(t["image_id"], t["id"]): t for t in things}
    groups: dict[tuple[Any, str, Any], list[tuple[str, MaskSource]]] = defaultdict(list)
    for part in parts:
        kind, name = kinds[part["category_id"]]
        owner = part.get("obj_ann_id")
        if (part["image_id"], owner) not in known:
            own = [
                t
                for t in things
                if t["image_id"] == part["image_id"] and kinds[t["category_id"]][0] == kind
            ]
            owner = max(own, key=lambda t: _covered(part, t))["id"] if own else None
        source = _mask(part, pictures[part["image_id"]], file)
        groups[part["image_id"], kind, owner].append((name, source))
    for thing in things:
        groups[thing["image_id"], kinds[thing["category_id"]][0], thing["id"]] += []
    return _gathered(groups, known, pictures, file, images)


def _gathered(
    groups: Mapping[tuple[Any, str, Any], list[tuple[str, MaskSource]]],
    known: Mapping[tuple[Any, Any], Any],
    pictures: Mapping[Any, Any],
    file: Path,
    images: Path | None,
) -> Source:
    roots = [images] if images else [file.parent, file.parent / "images"]
    count: dict[str, int] = defaultdict(int)
    objects = []
    for (key, kind, owner), parts in groups.items():
        record = pictures[key]
        image = record["file_name"]
        count[image] += 1
        picture = next((r / image for r in roots if (r / image).is_file()), None)
        if picture is None:
            what = f"image {image} is missing"
            raise DataError([Problem(what, str(file), remedy="pass --images FOLDER")])
        thing = known.get((key, owner))
        whole = None
        if thing is not None and thing.get("segmentation"):
            source = _mask(thing, record, file)
            whole = _reader(source)
        name, instance = f"{_stem(image)}#{count[image]}", count[image] - 1
        made = Annotated(name, image, kind, instance, picture, tuple(parts), whole)
        objects.append(made)
    return Source(file.stem, "unknown", tuple(objects), (_consumed(file.stem, objects),))


def _consumed(dataset: str, objects: Sequence[Annotated]) -> LedgerEntry:
    """Write down which labels were read."""
    images: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, int] = defaultdict(int)
    for one in objects:
        images[one.kind].add(one.image)
        labels[one.kind] += len(one.parts)
    counts = sorted(map(len, images.values()))
    return LedgerEntry(
        dataset=dataset,
        split="unknown",
        purpose="study",
        kind="parts",
        images=len({one.image for one in objects}),
        labels=sum(labels.values()),
        per_class=(counts[0], counts[-1]),
        labels_per_class=(min(labels.values()), max(labels.values())),
    )


def _reader(source: MaskSource) -> Callable[[], Mask]:
    return lambda: read_source(source) > 0


def _content(file: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        needed = ("images", "categories", "annotations")
        if not all(isinstance(content.get(name), list) for name in needed):
            raise ValueError(f"needs the lists {', '.join(needed)}")
    except (OSError, ValueError, AttributeError) as error:
        what = f"is no COCO file ({error})"
        raise DataError([Problem(what, str(file), remedy="replace it")]) from None
    return dict(content)


def _named(category: Mapping[str, Any]) -> tuple[str, str]:
    """Split a category's name into object and part, which is empty for an object."""
    name, above = str(category["name"]), str(category.get("supercategory", ""))
    if ":" in name:
        thing, _, part = name.partition(":")
        return thing, part
    if above and name.lower().startswith(f"{above.lower()} "):
        return above, name[len(above) + 1 :]
    return name, ""


def _sorted(
    annotations: list[Any], kinds: Mapping[Any, tuple[str, str]], images: Any, file: Path
) -> tuple[list[Any], list[Any]]:
    """Tell objects and parts apart."""
    things: list[Any] = []
    parts: list[Any] = []
    for number, one in enumerate(annotations, start=1):
        fits = one.get("image_id") in images and one.get("category_id") in kinds
        if not fits:
            what = f"annotation {one.get('id', number)} names no known image or category"
            raise DataError([Problem(what, str(file), remedy="mend or remove it")])
        (parts if kinds[one["category_id"]][1] else things).append(one)
    if not parts:
        raise UsageError(f"{file}: no category is a part; call it OBJECT:PART")
    return things, parts


def _mask(one: Mapping[str, Any], image: Mapping[str, Any], file: Path) -> MaskSource:
    try:
        source = segmentation(one, (image["width"], image["height"]))
    except Exception as fault:
        what = f"annotation {one.get('id')}: {fault}"
        raise DataError([Problem(what, str(file), remedy="mend or remove it")]) from None
    if source is None:
        what = f"annotation {one.get('id')} has no segmentation"
        raise DataError([Problem(what, str(file), remedy="parts are masks; draw it")])
    return source


def _covered(part: Mapping[str, Any], thing: Mapping[str, Any]) -> float:
    """Tell how much of a part's box lies in an object's."""
    x, y, w, h = part["bbox"]
    X, Y, W, H = thing["bbox"]  # noqa: N806
    across, down = min(x + w, X + W) - max(x, X), min(y + h, Y + H) - max(y, Y)
    return float(max(0.0, across) * max(0.0, down))

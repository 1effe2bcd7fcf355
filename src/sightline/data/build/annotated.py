"""Images to draw from that any ground truth names: COCO, VOC, mask folders, reference lists."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from sightline.data.annotations import Annotations
from sightline.data.build.sources import Instances, Single, several
from sightline.data.truth import read_annotations
from sightline.errors import DataError, Problem
from sightline.types import Masks


class AnnotatedSplit:
    """One split's ground truth, with masks."""

    def __init__(self, place: Path, split: str, masks: Path | None) -> None:
        annotations = read_annotations(place, split=split, masks=masks)
        self.problems: Sequence[Problem] = annotations.problems
        self._split, self._masks = annotations.split, _masks(annotations, place)
        self._items: dict[str, list[int]] = defaultdict(list)
        for item, image in enumerate(self._split.images):
            self._items[image].append(item)

    def classes(self) -> Single:
        """Tell the class of each image, None where it has several."""
        found: dict[str, str | None] = {}
        for image, label in zip(self._split.images, self._split.labels.tolist(), strict=True):
            several(found, image, self._name(label))
        return found

    def instances(self, chosen: Mapping[str, str]) -> dict[str, Instances | Problem]:
        """Find the masks of images; each has one class alone."""
        items = {image: self._items[image][0] for image in chosen}
        return {
            image: Instances(self._masks.objects[item], self._masks.ignored[item])
            for image, item in items.items()
        }

    def file_name(self, image: str) -> str:
        """Tell what the file of an image is called."""
        return image

    def title(self, label: str) -> str:
        """Tell what people call a class."""
        return label

    def _name(self, label: int) -> str:
        named = 0 <= label < len(self._split.classes)
        return self._split.classes[label] if named else f"{label:04d}"


def _masks(annotations: Annotations, place: Path) -> Masks:
    what = ""
    if not annotations.split.ids:
        raise DataError(annotations.problems or [Problem("no image is listed", str(place))])
    if annotations.masks is None:
        lacking = annotations.warnings.get("images_without_masks", len(annotations.split.ids))
        what, remedy = f"{lacking} images have no mask", "pass --masks FOLDER, or remove the images"
    elif (annotations.split.labels < 0).any():
        what, remedy = "images have no class", "name the classes in the annotations"
    if what or annotations.masks is None:
        raise DataError([Problem(what, str(place), remedy=remedy)])
    return annotations.masks

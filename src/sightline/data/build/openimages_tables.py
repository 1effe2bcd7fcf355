"""The tables of OpenImages: masks, boxes and labels of a split, as they are downloaded.

`SPLIT-annotations-object-segmentation.csv` has a line a mask, `SPLIT-annotations-bbox.csv` a line a
box; train tables have millions, so that only what is asked for is kept.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from sys import intern

from sightline.data.build.lists import read_lines
from sightline.data.build.sources import Corners, Instances, Single, find_one, several
from sightline.data.build.tables import fault, read_table
from sightline.data.paths import unsafe
from sightline.errors import Problem, UsageError

LABELS = "annotations-human-imagelabels-boxable.csv"
BOXES = "annotations-bbox.csv"
DESCRIPTIONS = "*class-descriptions*.csv"
SIDES = ("XMin", "YMin", "XMax", "YMax")


class OpenImagesSplit:
    """One split's tables."""

    problems: Sequence[Problem] = ()

    def __init__(
        self, folder: Path, names: Sequence[str], table: Path, masks: Path | None, counted: str
    ) -> None:
        self._folder, self._names, self._table, self._counted = folder, names, table, counted
        self._masks = masks or folder / "masks"

    def classes(self) -> Single:
        """Tell the class of each image that has a mask, None where it has several."""
        found: dict[str, str | None] = {}
        for line, (image, label) in read_table(self._table, ("ImageID", "LabelName")):
            if image not in found:
                self._check_id(image, line)
            self._check_class(label, self._table, line)
            several(found, image, intern(label))
        if self._counted in ("boxes", "labels"):
            for _, (image, label) in read_table(self._need(BOXES), ("ImageID", "LabelName")):
                if image in found:
                    several(found, image, label)
        if self._counted == "labels":
            columns = ("ImageID", "LabelName", "Confidence")
            for _, (image, label, sure) in read_table(self._need(LABELS), columns):
                if image in found and sure not in ("0", "0.0"):  # 0 says that it is not there
                    several(found, image, label)
        return found

    def instances(self, chosen: Mapping[str, str]) -> dict[str, Instances | Problem]:
        """Find the masks of images whose class is given, and the boxes around groups."""
        named = self._named(chosen)
        files = self._files({name for lines in named.values() for name in lines})
        groups = self._groups(chosen)
        found: dict[str, Instances | Problem] = {}
        for image, lines in named.items():
            absent = [name for name in lines if len(files[name]) != 1]
            if absent:
                found[image] = self._absence(image, absent[0], lines[absent[0]], files[absent[0]])
            else:
                objects = tuple(files[name][0] for name in sorted(lines))
                found[image] = Instances(objects, tuple(sorted(groups[image])))
        return found

    def file_name(self, image: str) -> str:
        """Tell what the file of an image is called."""
        return f"{image}.jpg"

    def title(self, label: str) -> str:
        """Tell what people call a class."""
        return self._titles.get(label, label)

    @cached_property
    def _titles(self) -> dict[str, str]:
        """Read what people call the classes: a line each, with or without a header."""
        files = sorted({*self._folder.glob(DESCRIPTIONS), *self._folder.glob(f"*/{DESCRIPTIONS}")})
        titles: dict[str, str] = {}
        for file, number, line in ((f, *line) for f in files for line in read_lines(f)):
            label, comma, title = line.partition(",")
            if not comma or not title.strip():
                raise fault(file, number, "is not a class, a comma and its name", "mend it")
            titles[label.strip()] = title.strip().strip('"')
        return titles

    def _check_id(self, image: str, line: int) -> None:
        reason = unsafe(image) or ("a path" if "/" in image else "")
        if reason:
            raise fault(self._table, line, f"image id '{image}' is {reason}", "use a plain id")

    def _check_class(self, label: str, file: Path, line: int) -> None:
        if not label or (self._titles and label not in self._titles):
            what, remedy = f"unknown class '{label}'", "add it to the class descriptions"
            raise fault(file, line, what, remedy)

    def _need(self, suffix: str) -> Path:
        file = find_one(self._folder, self._names, suffix)
        if file is None:
            wanted = f"{self._names[-1]}-{suffix}"
            raise UsageError(f"{self._folder}: no {wanted}; download it into the folder")
        return file

    def _named(self, chosen: Mapping[str, str]) -> dict[str, dict[str, int]]:
        """List the mask files of each image, with their lines."""
        named: dict[str, dict[str, int]] = {image: {} for image in chosen}
        for line, (name, image) in read_table(self._table, ("MaskPath", "ImageID")):
            if image not in chosen:
                continue
            if unsafe(name):
                what = f"mask name '{name}' is {unsafe(name)}"
                raise fault(self._table, line, what, "use a plain name", image)
            if name in named[image]:
                what = f"mask {name} is listed twice, first on line {named[image][name]}"
                raise fault(self._table, line, what, "remove one of the lines", image)
            named[image][name] = line
        return named

    def _files(self, wanted: Collection[str]) -> dict[str, list[Path]]:
        """Find mask files anywhere below the folder of masks: they come in 16 archives a split."""
        if not self._masks.is_dir():
            raise UsageError(f"{self._masks}: no such folder of masks; pass --masks FOLDER")
        files: dict[str, list[Path]] = {name: [] for name in wanted}
        for file in sorted(self._masks.rglob("*.png")):
            if file.name in files:
                files[file.name].append(file)
        if wanted and not any(files.values()):
            what = f"no mask of {self._table.name} lies below {self._masks}"
            raise UsageError(f"{what}; pass --masks FOLDER")
        return files

    def _absence(self, image: str, name: str, line: int, found: Sequence[Path]) -> Problem:
        if not found:
            what, remedy = f"mask {name} is missing", f"put it below {self._masks}"
        else:
            what, remedy = f"mask {name} lies twice, as {found[0]} and {found[1]}", "remove one"
        return Problem(what, str(self._table), line, image, remedy)

    def _groups(self, chosen: Mapping[str, str]) -> dict[str, list[Corners]]:
        """Read the boxes around groups of an image's own class."""
        groups: dict[str, list[Corners]] = defaultdict(list)
        file = self._need(BOXES)
        columns = ("ImageID", "LabelName", "IsGroupOf", *SIDES)
        for line, (image, label, group, *sides) in read_table(file, columns):
            if group not in ("0", "1", "-1"):
                what = f"IsGroupOf is '{group}', which is neither 1, 0 nor -1"
                raise fault(file, line, what, "mend the line", image)
            if group == "1" and chosen.get(image) == label:
                groups[image].append(_corners(sides, file, line, image))
        return groups


def _corners(sides: Sequence[str], file: Path, line: int, image: str) -> Corners:
    try:
        x0, y0, x1, y1 = map(float, sides)
    except ValueError:
        x0 = y0 = x1 = y1 = math.nan
    if not (0 <= x0 <= x1 <= 1 and 0 <= y0 <= y1 <= 1):
        what = f"box {', '.join(sides)} is not x0, y0, x1, y1 in fractions of the image"
        raise fault(file, line, what, "mend the line", image)
    return x0, y0, x1, y1

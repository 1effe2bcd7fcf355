"""Whether the masks of a split can be read, and have the shape of their images."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import progress
from sightline.data.annotations import Annotations
from sightline.data.masks import read_source
from sightline.data.photographs import Facts
from sightline.errors import DataError, Problem
from sightline.types import Masks, MaskSource

Unusual = dict[str, list[str]]  # remark -> images
Size = tuple[int, int]  # width and height
OTHER_SIZE = "masks of another size than their image, resized to it"
SEVERAL_VALUES = "mask files with several values (pass --ignore-value if one is a border)"
EMPTY = "masks of objects with no pixel inside"
FULL = "masks of objects with every pixel inside"
REMEDY = "find the mask that was drawn on this picture"


def check_masks(
    annotations: Annotations, facts: Mapping[str, Facts]
) -> tuple[list[Problem], Unusual]:
    """Read every mask; tell what is wrong, and what is only unusual."""
    problems: list[Problem] = []
    unusual: Unusual = {}
    masks, split = annotations.masks, annotations.split
    if masks is None:
        return problems, unusual
    with progress.shown("reading masks", len(split.ids)) as step:
        for item, (name, image) in enumerate(zip(split.ids, split.images, strict=True)):
            stated = int(split.sizes[item][0]), int(split.sizes[item][1])
            try:
                remarks = _check_item(masks, item, stated, facts.get(image))
            except DataError as error:
                problem = error.problems[0]
                problems.append(
                    Problem(problem.what, problem.file, problem.line, name, problem.remedy)
                )
                remarks = set()
            for remark in remarks:
                unusual.setdefault(remark, []).append(name)
            step(item + 1)
    return problems, unusual


def _check_item(masks: Masks, item: int, stated: Size, facts: Facts | None) -> set[str]:
    remarks = set()
    for source in (*masks.objects[item], *masks.ignored[item]):
        pixels = read_source(source)
        size = pixels.shape[1], pixels.shape[0]
        if _is_indexed(source, masks, pixels):
            remarks.add(SEVERAL_VALUES)
        remarks |= _compared(size, stated, facts, source)
        if source in masks.objects[item] and isinstance(source, Path):
            remarks |= {EMPTY} if not pixels.any() else {FULL} if pixels.all() else set()
    return remarks


def _is_indexed(source: MaskSource, masks: Masks, pixels: NDArray[Any]) -> bool:
    plain = isinstance(source, Path) and masks.ignore_value is None
    return plain and len(np.unique(pixels[pixels > 0])) > 1


def _compared(size: Size, stated: Size, facts: Facts | None, source: MaskSource) -> set[str]:
    """Compare a mask's size with that of its image: what is stated, or else what is stored."""
    own = stated if stated[0] else facts.size if facts else None
    if own is None or size == own:
        return set()
    if fits(size, own):
        return {OTHER_SIZE}
    file = str(source if isinstance(source, Path) else getattr(source, "file", ""))
    shape = f"mask is {size[0]} x {size[1]}, its image {own[0]} x {own[1]}"
    if facts and not stated[0] and fits(size, facts.turned_size):
        what, remedy = f"{shape}, as EXIF would turn it", "state the sizes, width first"
        raise DataError([Problem(what, file, remedy=f"{remedy}, so that it is turned")])
    raise DataError([Problem(shape, file, remedy=REMEDY)])


def fits(size: Size, other: Size) -> bool:
    """Tell whether two sizes have one shape; rounding may cost a pixel of a side."""
    return abs(size[0] * other[1] - size[1] * other[0]) <= max(*size, *other)

"""COCO's segmentations: outlines, run lengths, and run lengths compressed to a string."""

import math
from collections.abc import Mapping
from typing import Any, TypeGuard

from sightline.types import MaskSource, Polygons, RunLengths

Record = Mapping[str, Any]
LARGEST = 1e9  # no coordinate is beyond


class Fault(ValueError):
    """What is wrong with one annotation."""


def is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a value of a JSON file is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def numbers_of(value: object) -> tuple[float, ...]:
    """Take a list of finite numbers."""
    if not isinstance(value, list) or not set(map(type, value)) <= {int, float}:
        raise Fault("is missing or is not a list of numbers")
    try:
        numbers = tuple(map(float, value))
    except OverflowError:
        numbers = (math.inf,)
    if math.isnan(sum(numbers)) or max(map(abs, numbers), default=0) > LARGEST:
        raise Fault("holds a number that is not finite, or far from any image")
    return numbers


def segmentation(entry: Record, size: tuple[int, int]) -> MaskSource | None:
    """Take an outline or run lengths; nothing if there is no segmentation."""
    value = entry.get("segmentation")
    try:
        if isinstance(value, dict):
            return _run_lengths(value, size)
        return _polygons(value, size) if value else None
    except Fault as fault:
        raise Fault(f"segmentation {fault}") from None


def _polygons(value: object, size: tuple[int, int]) -> Polygons:
    rings = tuple(numbers_of(ring) for ring in value) if isinstance(value, list) else ((),)
    for ring in rings:
        if len(ring) < 6 or len(ring) % 2:
            raise Fault(f"has a ring of {len(ring)} numbers where 3 pairs or more are needed")
    width, height = size
    return Polygons(rings, height, width)


def _run_lengths(value: Record, size: tuple[int, int]) -> RunLengths:
    width, height = size
    if value.get("size") != [height, width]:
        raise Fault(f"has size {value.get('size')!r} where its image has [{height}, {width}]")
    counts = value.get("counts")
    runs = decode_counts(counts) if isinstance(counts, str) else counts
    if not isinstance(runs, list | tuple) or not all(is_whole(run) and run >= 0 for run in runs):
        raise Fault("has counts that are no run lengths")
    if sum(runs) != height * width:
        raise Fault(f"has counts of {sum(runs)} pixels where {width} x {height} are needed")
    return RunLengths(tuple(runs), height, width)


def decode_counts(text: str) -> list[int]:
    """Decode compressed run lengths.

    A number is a group of characters of 6 bits (the code less 48), the lowest first: 5 bits of a
    two's complement and one that says whether more follow. From the fourth on, numbers are
    differences to the last but one.
    """
    counts: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64 or shift > 60:
            raise Fault("has counts that are no run lengths")
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:
            continue
        if bits & 0x10:
            value -= 1 << shift
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = shift = 0
    if shift:
        raise Fault("has counts that end in the middle of a number")
    return counts

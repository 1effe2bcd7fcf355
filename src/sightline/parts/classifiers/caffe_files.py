"""Weights of Caffe: tensors by layer out of a .caffemodel, of which nothing else is read.

The file is a protocol buffer: fields of a number, a kind and a value, nested. Layers are fields 100
(names in 1, blobs in 7) or, in older files, 2 (names in 4, blobs in 6).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from sightline.errors import SightlineError, UsageError

LAYERS = {100: (1, 7), 2: (4, 6)}  # field of a layer: those of its name and its blobs
SIZES, DATA, SHAPE = (1, 2, 3, 4), 5, 7  # fields of a blob
VARINT, WIDE, BYTES, NARROW = 0, 1, 2, 5  # kinds of fields
NAMES = ("weight", "bias")


def read_caffe(file: Path) -> dict[str, Tensor]:
    """Read tensors as `LAYER.weight` and `LAYER.bias`."""
    if not file.is_file():
        raise UsageError(f"{file}: no such file")
    found: dict[str, Tensor] = {}
    try:
        for number, layer in _fields(memoryview(file.read_bytes())):
            if number in LAYERS and isinstance(layer, memoryview):
                found |= _layer(layer, *LAYERS[number])
    except (ValueError, IndexError, OSError) as error:
        raise SightlineError(f"{file}: is truncated or no .caffemodel ({error})") from None
    if not found:
        raise SightlineError(f"{file}: holds no weights as Caffe writes them")
    return found


def _layer(content: memoryview, name_field: int, blob_field: int) -> dict[str, Tensor]:
    name, blobs = "", []
    for number, value in _fields(content):
        if number == name_field and isinstance(value, memoryview):
            name = bytes(value).decode("utf-8", "replace")
        elif number == blob_field and isinstance(value, memoryview):
            blobs.append(_blob(value))
    return {f"{name}.{kind}": blob for kind, blob in zip(NAMES, blobs, strict=False)}


def _blob(content: memoryview) -> Tensor:
    sizes: dict[int, int] = {}
    shape: list[int] = []
    data: list[Any] = []
    for number, value in _fields(content):
        if number in SIZES and isinstance(value, int):
            sizes[number] = value
        elif number == SHAPE and isinstance(value, memoryview):
            shape = list(_dimensions(value))
        elif number == DATA and isinstance(value, memoryview):
            data.append(np.frombuffer(value, "<f4"))
    values = np.concatenate(data) if data else np.empty(0, np.float32)
    wanted = shape or [sizes[number] for number in SIZES if number in sizes]
    return torch.from_numpy(values.copy()).reshape(wanted)


def _dimensions(content: memoryview) -> Iterator[int]:
    for _, value in _fields(content):
        if isinstance(value, int):
            yield value
        else:
            place = 0
            while place < len(value):
                size, place = _varint(value, place)
                yield size


def _fields(content: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    place = 0
    while place < len(content):
        key, place = _varint(content, place)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, place = _varint(content, place)
            yield number, value
            continue
        if kind == BYTES:
            length, place = _varint(content, place)
        elif kind in (WIDE, NARROW):
            length = 8 if kind == WIDE else 4
        else:
            raise ValueError(f"a field of kind {kind}")
        if place + length > len(content):
            raise ValueError("a field longer than the file")
        yield number, content[place : place + length]
        place += length


def _varint(content: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place

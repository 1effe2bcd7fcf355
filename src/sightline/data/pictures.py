"""Reading a picture file, whole or not at all."""

import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sightline.errors import DataError, Problem

PNG = b"\x89PNG\r\n\x1a\n"
JPEG, JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"

# What OpenCV would write to the terminal is said by the errors below.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_picture(file: Path, flags: int, kind: str) -> NDArray[Any]:
    """Decode a picture with OpenCV's flags; `kind` says in messages what the picture is."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _fault(file, kind, f"cannot be read ({error.strerror})") from None
    damage = _damage(data)
    if damage:
        raise _fault(file, kind, damage)
    try:
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as error:
        raise _fault(file, kind, f"cannot be decoded ({error.err})") from None
    if decoded is None:
        raise _fault(file, kind, "cannot be decoded as an image")
    return np.asarray(decoded)


def _fault(file: Path, kind: str, what: str) -> DataError:
    remedy = "replace the file, or leave its image out"
    return DataError([Problem(f"{kind} {what}", str(file), remedy=remedy)])


def _damage(data: bytes) -> str:
    """Tell what is wrong with a file's bytes, or nothing.

    Some releases of OpenCV return the part of a truncated image that they could decode, and say
    nothing.
    """
    if not data:
        return "is empty"
    if data.startswith(PNG):
        return _png_damage(data)
    if data.startswith(JPEG) and JPEG_END not in data[-1024:]:
        return "is truncated"
    return ""


def _png_damage(data: bytes) -> str:
    """Walk through the chunks: length, name, content, checksum."""
    start = len(PNG)
    while start + 12 <= len(data):
        end = start + 12 + int.from_bytes(data[start : start + 4], "big")
        if end > len(data):
            break
        if zlib.crc32(data[start + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            return "is damaged (wrong checksum)"
        if data[start + 4 : start + 8] == b"IEND":
            return ""
        start = end
    return "is truncated"

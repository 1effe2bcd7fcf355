"""Small PNG files, fast: for pictures of some thousand pixels a general encoder mostly sets up."""

import struct
import zlib

import numpy as np

from sightline.data.pond.canvas import Image

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB = 0, 2  # colour types
SUB = 1  # the filter that stores differences from the pixel to the left


def encode(pixels: Image) -> bytes:
    """Encode bytes of (height, width) or (height, width, 3), red first."""
    height, width, *rest = pixels.shape
    channels = rest[0] if rest else 1
    flat = pixels.reshape(height, width * channels)
    rows = np.empty((height, 1 + width * channels), np.uint8)
    rows[:, 0] = SUB
    rows[:, 1 : 1 + channels] = flat[:, :channels]
    np.subtract(flat[:, channels:], flat[:, :-channels], out=rows[:, 1 + channels :])
    kind = RGB if rest else GREY
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), level=1)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(name: bytes, content: bytes) -> bytes:
    check = zlib.crc32(content, zlib.crc32(name))
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

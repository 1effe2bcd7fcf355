"""Reading a photograph as RGB, whole or not at all.

Pillow decodes, since the papers' code does: pixels are those of `Image.open(file).convert("RGB")`,
with two exceptions. 16-bit gray is scaled to 8 bits where Pillow would clip it, and a picture whose
EXIF orientation is the one its annotations were made for is turned to it.
"""

import re
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from sightline.data.pictures import PNG, _png_damage
from sightline.errors import DataError, Problem

Size = tuple[int, int]  # width and height

MOST_PIXELS = 178_956_970  # Pillow's own limit, half a gigabyte as RGB
SUFFIXES = {  # the formats that are read, with the names that their files have
    "JPEG": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "PNG": (".png", ".apng"),
    "WEBP": (".webp",),
    "GIF": (".gif",),
    "BMP": (".bmp", ".dib"),
    "TIFF": (".tif", ".tiff"),
    "PPM": (".ppm", ".pgm", ".pbm", ".pnm"),
    "AVIF": (".avif",),
}
ORIENTATION = 0x0112  # the EXIF tag
QUARTER_TURNS = (5, 6, 7, 8)  # its values that exchange width and height
SILENCE = ("ignore", None, Warning, re.compile(r"PIL\."), 0)
REMEDY = "replace the file, or leave its image out"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file's header says: width and height as stored, before any rotation."""

    width: int
    height: int
    format: str
    mode: str
    frames: int
    orientation: int  # EXIF's, 1 where none is stated
    bits: int  # of one channel

    @property
    def size(self) -> Size:
        """Give width and height as stored."""
        return self.width, self.height

    @property
    def turned_size(self) -> Size:
        """Give width and height after the rotation that EXIF asks for."""
        turned = self.orientation in QUARTER_TURNS
        return (self.height, self.width) if turned else self.size


def inspect(file: Path) -> Facts:
    """Read a file's header; of nearly all formats, nothing is decoded."""
    _refuse_unreadable(file)
    with _said_of(file), file.open("rb") as stream:
        return _facts(_opened(stream))


def read_photograph(file: Path, *, size: Size | None = None) -> NDArray[np.uint8]:
    """Decode a photograph as RGB, (height, width, 3).

    Args:
        file: JPEG, PNG, WebP, GIF, BMP, TIFF, PPM or AVIF, recognised by content.
        size: width and height that the annotations state; 0 or None where unknown. It decides
            whether an EXIF rotation is applied, so that boxes and pixels agree.
    """
    return np.array(open_photograph(file, size=size))


def open_photograph(file: Path, *, size: Size | None = None) -> Image.Image:
    """Decode a photograph as `read_photograph` does, to an image of Pillow's."""
    data = _content(file)
    with _said_of(file):
        image = _opened(BytesIO(data))
        facts = _facts(image)
        _refuse_size(file, facts, size)
        return _rgb(file, _turned(image) if _is_to_turn(facts, size) else image)


def open_upright(file: Path) -> Image.Image:
    """Decode a photograph as people see it: turned and mirrored as its EXIF data asks."""
    data = _content(file)
    with _said_of(file):
        image = _opened(BytesIO(data))
        return _rgb(file, _turned(image))


Verdict = tuple[list[Problem], list[str], Facts | None]


def problems_of(file: Path, size: Size | None = None) -> Verdict:
    """Decode a photograph to tell what is wrong with it, what is only unusual, and its facts."""
    try:
        open_photograph(file, size=size)
    except DataError as error:
        return list(error.problems), [], None
    return header_problems_of(file, size)


def header_problems_of(file: Path, size: Size | None = None) -> Verdict:
    """Tell of a photograph what its header tells."""
    try:
        facts = inspect(file)
        _refuse_size(file, facts, size)
    except DataError as error:
        return list(error.problems), [], None
    return [], list(_remarks(file, facts, size)), facts


def _remarks(file: Path, facts: Facts, size: Size | None) -> Iterator[str]:
    """Name what a reader should know of a photograph that can be read all the same."""
    suffix = file.suffix.lower()
    known = {other for suffixes in SUFFIXES.values() for other in suffixes}
    if suffix in known and suffix not in SUFFIXES.get(facts.format, ()):
        yield "files of another format than their extension says"
    if facts.frames > 1:
        yield "files with several pictures, of which the first is read"
    if facts.mode in ("CMYK", "YCCK"):
        yield "CMYK photographs, read as RGB"
    if facts.bits == 16:
        yield "16-bit photographs, scaled to 8 bits"
    if facts.mode in ("1", "L", "LA", "I", "I;16", "I;16B"):
        yield "grayscale photographs, read as RGB"
    if facts.orientation != 1:
        yield _orientation_remark(facts, size)


def _orientation_remark(facts: Facts, size: Size | None) -> str:
    if _is_to_turn(facts, size):
        return "EXIF rotations applied, as the stated sizes ask for"
    if _stated(size) and facts.size != facts.turned_size:
        return "EXIF rotations not applied: the stated sizes are the stored ones"
    return "EXIF orientations not applied: no stated size tells whether boxes follow them"


def _stated(size: Size | None) -> Size | None:
    return size if size and size[0] > 0 and size[1] > 0 else None


def _is_to_turn(facts: Facts, size: Size | None) -> bool:
    return _stated(size) == facts.turned_size != facts.size


def _refuse_size(file: Path, facts: Facts, size: Size | None) -> None:
    stated = _stated(size)
    if stated in (None, facts.size, facts.turned_size):
        return
    what = "is {} x {}, where the annotations say {} x {}".format(*facts.size, *stated)
    remedy = "give the file that was annotated, or correct the stated size"
    raise DataError([Problem(what, str(file), remedy=remedy)])


def _refuse_unreadable(file: Path) -> None:
    """Refuse what is absent, empty or no plain file: opening a pipe would wait for ever."""
    try:
        status = file.stat()
    except OSError as error:
        raise _fault(file, f"cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(status.st_mode):
        raise _fault(file, "is a folder where a photograph is expected")
    if not stat.S_ISREG(status.st_mode):
        raise _fault(file, "is not a plain file")
    if not status.st_size:
        raise _fault(file, "is empty")


def _content(file: Path) -> bytes:
    _refuse_unreadable(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _fault(file, f"cannot be read ({error.strerror})") from None
    damage = _png_damage(data) if data.startswith(PNG) else ""
    if damage:  # Pillow skips the checksums of a PNG's pixels
        raise _fault(file, damage)
    return data


@contextmanager
def _said_of(file: Path) -> Iterator[None]:
    """Turn whatever Pillow raises into one line about a file.

    Damaged files make its decoders raise nearly anything: OSError, SyntaxError, ValueError,
    struct.error, IndexError, OverflowError and more.
    """
    try:
        yield
    except DataError:
        raise
    except UnidentifiedImageError:
        raise _fault(file, "is not an image in a known format") from None
    except Image.DecompressionBombError:
        raise _too_large(file) from None
    except MemoryError:
        raise _fault(file, "needs more memory than there is") from None
    except PermissionError as error:
        raise _fault(file, f"cannot be read ({error.strerror})") from None
    except Exception as error:
        truncated = "truncated" in str(error).lower()
        what = "is truncated" if truncated else f"cannot be decoded ({error})"
        raise _fault(file, what) from None


def _fault(file: Path, what: str) -> DataError:
    return DataError([Problem(what, str(file), remedy=REMEDY)])


def _too_large(file: Path) -> DataError:
    what = f"states more than {MOST_PIXELS // 10**6} million pixels, and was not decoded"
    return DataError([Problem(what, str(file), remedy="make it smaller, or leave its image out")])


def _opened(stream: IO[bytes]) -> Image.Image:
    """Read the header; formats that could start other programs are not tried."""
    if SILENCE not in warnings.filters:
        # A context manager would make every once-only warning of other threads appear again.
        warnings.filterwarnings("ignore", module=SILENCE[3].pattern)
    image = Image.open(stream, formats=tuple(SUFFIXES))
    if image.width * image.height > MOST_PIXELS:
        raise Image.DecompressionBombError
    return image


def _facts(image: Image.Image) -> Facts:
    kind = "JPEG" if image.format == "MPO" else str(image.format)
    return Facts(
        width=image.width,
        height=image.height,
        format=kind,
        mode=image.mode,
        frames=int(getattr(image, "n_frames", 1)),
        orientation=_orientation(image),
        bits=_bits(image),
    )


def _orientation(image: Image.Image) -> int:
    stated = image.getexif().get(ORIENTATION, 1)
    return stated if stated in range(1, 9) else 1


def _bits(image: Image.Image) -> int:
    """Tell the bits of a channel as stored, which the mode alone does not where they are 16."""
    if image.mode == "1":
        return 1
    tiles: Any = getattr(image, "tile", ())
    if image.mode.startswith("I;16") or any(";16" in str(tile) for tile in tiles):
        return 16
    return 32 if image.mode in ("I", "F") else 8


def _turned(image: Image.Image) -> Image.Image:
    return ImageOps.exif_transpose(image)


def _rgb(file: Path, image: Image.Image) -> Image.Image:
    if image.mode == "F":
        raise _fault(file, "holds floating-point values, which have no known range")
    if image.mode.startswith("I"):
        return _eight_bits(file, np.asarray(image)).convert("RGB")
    if image.mode == "P":  # straight to RGB, Pillow warns of some transparent palettes
        image = image.convert("RGBA")
    return image.convert("RGB")


def _eight_bits(file: Path, values: NDArray[Any]) -> Image.Image:
    """Scale 0 to 65535 down to 0 to 255, to the nearest."""
    if values.size and (values.min() < 0 or values.max() > 65535):
        raise _fault(file, "holds 32-bit values, which have no known range")
    scaled = (values.astype(np.uint32) * 255 + 32767) // 65535
    return Image.fromarray(scaled.astype(np.uint8))

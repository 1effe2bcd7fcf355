"""Masks as pixels: files of every kind, outlines and run lengths against slow definitions."""

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sightline.data.masks import expand, fill, read_mask
from sightline.errors import DataError
from sightline.types import (
    BACKGROUND,
    FOREGROUND,
    IGNORE,
    Masks,
    MaskSource,
    Pixels,
    Polygons,
    RunLengths,
)

Array = NDArray[np.uint8]


def write(path: Path, pixels: object, dtype: type = np.uint8) -> Path:
    assert cv2.imwrite(str(path), np.array(pixels, dtype))
    return path


def codes_of(
    *objects: MaskSource,
    ignored: tuple[MaskSource, ...] = (),
    ignore_value: int | None = None,
    size: tuple[int, int] | None = None,
) -> list[list[int]]:
    codes = read_mask(Masks((objects,), (ignored,), ignore_value), 0, size)
    assert codes.dtype == np.uint8
    rows: list[list[int]] = codes.tolist()
    return rows


def png(header: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """Write a PNG by hand, for kinds that no encoder here writes."""
    parts = [(b"IHDR", header), *chunks, (b"IEND", b"")]
    body = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def test_objects_are_united_and_overrule_what_is_ignored(tmp_path: Path) -> None:
    first = write(tmp_path / "1.png", [[255, 0, 0, 0]])
    second = write(tmp_path / "2.png", [[0, 1, 0, 0]])
    ignore = write(tmp_path / "i.png", [[255, 0, 255, 0]])
    assert codes_of(first, second, ignored=(ignore,)) == [
        [FOREGROUND, FOREGROUND, IGNORE, BACKGROUND]
    ]


def test_a_value_to_ignore_yields_to_another_object(tmp_path: Path) -> None:
    first = write(tmp_path / "1.png", [[255, 128, 128, 127, 0]])
    second = write(tmp_path / "2.png", [[0, 255, 0, 0, 0]])
    assert codes_of(first, second, ignore_value=128) == [[1, 1, IGNORE, 1, 0]]
    assert codes_of(first, second) == [[1, 1, 1, 1, 0]]
    assert codes_of(first, ignore_value=0) == [[1, 1, 1, 1, IGNORE]]


def test_a_value_to_ignore_is_one_of_files() -> None:
    assert codes_of(RunLengths((1, 1), 1, 2), ignore_value=1) == [[0, 1]]


def test_arrays_are_in_codes_already(tmp_path: Path) -> None:
    array = Pixels(np.array([[0, 1, 255, 255]], np.uint8))
    other = write(tmp_path / "x.png", [[0, 0, 0, 255]])
    assert codes_of(array, other) == [[0, 1, IGNORE, 1]]
    assert np.shape(codes_of(array, size=(8, 2))) == (2, 8)


def test_depth_of_a_file_is_kept(tmp_path: Path) -> None:
    deep = write(tmp_path / "deep.png", [[0, 1, 255, 256, 65535]], np.uint16)
    assert codes_of(deep) == [[0, 1, 1, 1, 1]]
    assert codes_of(deep, ignore_value=256) == [[0, 1, 1, IGNORE, 1]]


def test_palette_counts_by_its_colors_as_opencv_has_it(tmp_path: Path) -> None:
    file = tmp_path / "palette.png"
    header = struct.pack(">IIBBBBB", 3, 1, 8, 3, 0, 0, 0)
    palette = bytes([0, 0, 0, 1, 0, 0, 128, 0, 0])  # black, almost black, dark red
    content = zlib.compress(bytes([0, 0, 1, 2]))
    file.write_bytes(png(header, (b"PLTE", palette), (b"IDAT", content)))
    assert codes_of(file) == [[0, 0, 1]]


def test_one_bit_files_and_colors_with_alpha(tmp_path: Path) -> None:
    file = tmp_path / "bits.png"
    header = struct.pack(">IIBBBBB", 4, 1, 1, 0, 0, 0, 0)
    file.write_bytes(png(header, (b"IDAT", zlib.compress(bytes([0, 0b01010000])))))
    assert codes_of(file) == [[0, 1, 0, 1]]
    color = write(tmp_path / "color.png", [[[0, 0, 0, 255], [0, 0, 255, 0], [9, 9, 9, 9]]])
    assert codes_of(color) == [[0, 1, 1]]


def test_sources_are_resized_to_the_nearest_pixel_one_by_one(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    large = random.integers(0, 2, (37, 53), np.uint8)
    small = random.integers(0, 2, (5, 7), np.uint8)
    files = write(tmp_path / "l.png", large), write(tmp_path / "s.png", small)

    def nearest(pixels: Array) -> Array:  # the rule that OpenCV documents
        rows, columns = (
            np.minimum((np.arange(new) * (old / new)).astype(int), old - 1)
            for new, old in zip((24, 20), pixels.shape, strict=True)
        )
        return pixels[np.ix_(rows, columns)]

    expected = nearest(large) | nearest(small)
    assert codes_of(*files, size=(20, 24)) == expected.tolist()
    assert np.shape(codes_of(*files)) == (37, 53)


@pytest.mark.parametrize("share", [0, 4, 30, 0.5, 0.97, -1])
def test_part_of_a_file_is_refused_by_name(
    tmp_path: Path, share: float, capfd: pytest.CaptureFixture[str]
) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8)
    data = write(tmp_path / "whole.png", pixels).read_bytes()
    part = tmp_path / "part.png"
    part.write_bytes(data[: int(share * len(data)) if isinstance(share, float) else share])
    with pytest.raises(DataError) as error:
        codes_of(part)
    problem = error.value.problems[0]
    assert problem.file == str(part)
    assert problem.remedy
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_damaged_and_foreign_files_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(write(tmp_path / "x.png", np.eye(32) * 255).read_bytes())
    data[len(data) // 2] ^= 0xFF
    for name, content in (("flipped.png", bytes(data)), ("text.png", b"no image at all")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=name):
            codes_of(tmp_path / name)
    huge = png(struct.pack(">IIBBBBB", 10**6, 10**6, 8, 0, 0, 0, 0), (b"IDAT", zlib.compress(b"")))
    (tmp_path / "huge.png").write_bytes(huge)
    with pytest.raises(DataError, match=r"huge\.png"):
        codes_of(tmp_path / "huge.png")
    with pytest.raises(DataError, match=r"gone\.png"):
        codes_of(tmp_path / "gone.png")
    assert capfd.readouterr().err == ""


def test_truncated_jpeg_is_refused(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8)
    whole = write(tmp_path / "whole.jpg", pixels)
    assert np.shape(codes_of(whole)) == (64, 64)
    (tmp_path / "part.jpg").write_bytes(whole.read_bytes()[:-1500])
    with pytest.raises(DataError, match="truncated"):
        codes_of(tmp_path / "part.jpg")


def test_opencv_keeps_its_own_log_level(tmp_path: Path) -> None:
    before = cv2.utils.logging.getLogLevel()
    codes_of(write(tmp_path / "x.png", [[1]]))
    assert cv2.utils.logging.getLogLevel() == before


def test_run_lengths_go_column_by_column() -> None:
    assert expand(RunLengths((1, 2, 2, 1), 2, 3)).tolist() == [[0, 1, 0], [1, 0, 1]]
    assert expand(RunLengths((0, 6), 2, 3)).all()


@pytest.mark.parametrize("counts", [(5,), (7,), (8, -2), ()])
def test_run_lengths_cover_the_image(counts: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match="do not cover 3 x 2"):
        codes_of(RunLengths(counts, 2, 3))


@pytest.mark.parametrize("size", [(0, 5), (-2, -2), (10**6, 10**6)])
def test_masks_of_no_sensible_size_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(DataError, match="cannot be drawn"):
        codes_of(Polygons(((0, 0, 1, 0, 1, 1),), *size))


def inside(ring: tuple[float, ...], x: float, y: float) -> bool:
    """Count the edges to the left of a point, one by one."""
    odd = False
    points = list(zip(ring[::2], ring[1::2], strict=True))
    for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
        if (ay <= y) != (by <= y) and ax + (y - ay) * (bx - ax) / (by - ay) <= x:
            odd = not odd
    return odd


def brute_force(outline: Polygons) -> Array:
    pixels = [
        [
            any(inside(ring, x + 0.5, y + 0.5) for ring in outline.rings)
            for x in range(outline.width)
        ]
        for y in range(outline.height)
    ]
    return np.array(pixels, np.uint8)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("grid", [None, 1, 2])  # corners anywhere, on whole or on half pixels
def test_outlines_against_brute_force(seed: int, grid: int | None) -> None:
    random = np.random.default_rng(seed)
    rings = []
    for _ in range(1 + seed % 3):
        ring = random.uniform(-6, 30, 2 * random.integers(3, 9))  # some of it outside the image
        rings.append(tuple((np.round(ring * grid) / grid if grid else ring).tolist()))
    outline = Polygons(tuple(rings), 19, 23)
    assert fill(outline).tolist() == brute_force(outline).tolist()


def test_a_rectangle_covers_its_pixels_and_no_border() -> None:
    square = Polygons(((1, 1, 4, 1, 4, 3, 1, 3),), 4, 6)
    expected = np.zeros((4, 6), int)
    expected[1:3, 1:4] = 1
    assert fill(square).tolist() == expected.tolist()


def test_neighbors_share_no_pixel_and_leave_none() -> None:
    random = np.random.default_rng(1)
    for x in [2.5, 3.0, *random.uniform(0, 9, 5)]:
        left = fill(Polygons(((0, 0, x, 0, x + 1, 9, 0, 9),), 9, 10))
        right = fill(Polygons(((x, 0, 10, 0, 10, 9, x + 1, 9),), 9, 10))
        assert (left + right == 1).all()


def test_overlapping_pieces_of_an_object_make_no_hole() -> None:
    rings = ((0, 0, 4, 0, 4, 6, 0, 6), (2, 0, 6, 0, 6, 6, 2, 6))
    assert fill(Polygons(rings, 6, 6)).all()


def test_an_outline_without_area_is_empty() -> None:
    assert not fill(Polygons((), 3, 3)).any()
    assert not fill(Polygons(((0, 0, 2, 2, 0, 0),), 3, 3)).any()


def test_all_real_masks_decode_to_what_the_papers_rule_says(shared: Path) -> None:
    files = sorted((shared / "data" / "openimages_masks").rglob("*.png"))
    assert len(files) == 11
    for file in files:
        gray = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        assert gray is not None
        expected = cv2.resize(gray, (224, 224), interpolation=cv2.INTER_NEAREST) > 0.5
        found = read_mask(Masks(((file,),), ((),)), 0, (224, 224))
        assert np.array_equal(found, expected)

import os
import threading
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, features

from sightline.data import photographs
from sightline.data.photographs import inspect, problems_of, read_photograph
from sightline.errors import DataError

WIDTH, HEIGHT = 24, 16
PIXELS = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
PICTURE = Image.fromarray(PIXELS)
FORMATS = [name for name in photographs.SUFFIXES if name != "AVIF" or features.check("avif")]


def written(file: Path, image: Image.Image = PICTURE, kind: str = "PNG", **options) -> Path:
    image.save(file, format=kind, **options)
    return file


def pillows(file: Path) -> np.ndarray:
    with Image.open(file) as image:
        return np.array(image.convert("RGB"))


def refusal(file: Path, **options) -> str:
    """Give the one problem of a file, which names it and what to do."""
    with pytest.raises(DataError) as caught:
        read_photograph(file, **options)
    [problem] = caught.value.problems
    assert problem.file == str(file)
    assert problem.remedy
    assert problems_of(file, options.get("size"))[0] == [problem]
    return problem.what


def remarks(file: Path, size=None) -> list[str]:
    problems, unusual, _ = problems_of(file, size)
    assert problems == []
    return sorted(unusual)


@pytest.mark.parametrize("kind", FORMATS)
def test_pixels_are_pillows(tmp_path, kind):
    file = written(tmp_path / f"a{photographs.SUFFIXES[kind][0]}", kind=kind)
    assert np.array_equal(read_photograph(file), pillows(file))
    facts = inspect(file)
    assert (facts.size, facts.turned_size) == ((WIDTH, HEIGHT), (WIDTH, HEIGHT))
    assert (facts.format, facts.frames, facts.orientation, facts.bits) == (kind, 1, 1, 8)
    assert remarks(file) == []


@pytest.mark.parametrize("kind", FORMATS)
def test_another_extension_is_remarked(tmp_path, kind):
    suffix = ".png" if kind != "PNG" else ".jpg"
    file = written(tmp_path / f"a{suffix}", kind=kind)
    assert read_photograph(file).shape == (HEIGHT, WIDTH, 3)
    assert remarks(file) == ["files of another format than their extension says"]


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        ("L", "PNG", "grayscale photographs"),
        ("LA", "PNG", "grayscale photographs"),
        ("1", "PNG", "grayscale photographs"),
        ("CMYK", "JPEG", "CMYK photographs"),
        ("CMYK", "TIFF", "CMYK photographs"),
        ("RGBA", "PNG", ""),
        ("P", "PNG", ""),
        ("P", "GIF", ""),
        ("YCbCr", "JPEG", ""),
    ],
)
def test_every_mode_becomes_rgb(tmp_path, mode, kind, words):
    suffix = photographs.SUFFIXES[kind][0]
    file = written(tmp_path / f"a{suffix}", PICTURE.convert(mode), kind)
    assert np.array_equal(read_photograph(file), pillows(file))
    assert [remark.startswith(words) for remark in remarks(file)] == [True] * bool(words)


def test_a_transparent_palette_is_read_without_a_warning(tmp_path):
    image = PICTURE.convert("P")
    file = written(tmp_path / "a.png", image, transparency=bytes(range(256)))
    assert np.array_equal(read_photograph(file), np.array(image.convert("RGB")))


def test_sixteen_bits_are_scaled(tmp_path):
    values = np.array([[0, 128, 129], [257, 65534, 65535]], np.uint16)
    for suffix, kind in ((".png", "PNG"), (".tif", "TIFF")):
        file = written(tmp_path / f"a{suffix}", Image.fromarray(values), kind)
        assert read_photograph(file)[..., 0].tolist() == [[0, 0, 1], [1, 255, 255]]
        assert "16-bit photographs, scaled to 8 bits" in remarks(file)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.full((2, 2), 70_000, np.int32), "holds 32-bit values"),
        (np.full((2, 2), -1, np.int32), "holds 32-bit values"),
        (np.zeros((2, 2), np.float32), "holds floating-point values"),
    ],
)
def test_values_without_a_range_are_refused(tmp_path, values, words):
    file = written(tmp_path / "a.tif", Image.fromarray(values), "TIFF")
    assert refusal(file).startswith(words)


def test_the_first_picture_of_several_is_read(tmp_path):
    others = [Image.new("RGB", (WIDTH, HEIGHT), color) for color in ("red", "blue")]
    file = written(tmp_path / "a.gif", PICTURE, "GIF", save_all=True, append_images=others)
    assert inspect(file).frames == 3
    assert np.array_equal(read_photograph(file), pillows(file))
    assert remarks(file) == ["files with several pictures, of which the first is read"]


# EXIF


def turned(file: Path, orientation: int) -> Path:
    exif = Image.Exif()
    exif[photographs.ORIENTATION] = orientation
    return written(file, exif=exif)


@pytest.mark.parametrize(("orientation", "turns"), [(6, 3), (8, 1)])
def test_a_rotation_is_applied_where_the_stated_size_says_so(tmp_path, orientation, turns):
    file = turned(tmp_path / "a.png", orientation)
    upright = read_photograph(file, size=(HEIGHT, WIDTH))
    assert np.array_equal(upright, np.rot90(PIXELS, turns))
    assert inspect(file).turned_size == (HEIGHT, WIDTH)
    assert remarks(file, (HEIGHT, WIDTH)) == ["EXIF rotations applied, as the stated sizes ask for"]


@pytest.mark.parametrize("size", [None, (0, 0), (WIDTH, HEIGHT)])
def test_a_rotation_is_not_applied_where_it_is_not_asked_for(tmp_path, size):
    file = turned(tmp_path / "a.png", 6)
    assert np.array_equal(read_photograph(file, size=size), PIXELS)
    [remark] = remarks(file, size)
    assert "not applied" in remark
    assert ("no stated size" in remark) == (size != (WIDTH, HEIGHT))


@pytest.mark.parametrize("orientation", [2, 3, 4, 0, 9, 77])
def test_what_keeps_the_size_is_never_applied(tmp_path, orientation):
    file = turned(tmp_path / "a.png", orientation)
    assert np.array_equal(read_photograph(file, size=(WIDTH, HEIGHT)), PIXELS)


def test_a_photograph_of_another_size_is_refused(tmp_path):
    file = written(tmp_path / "a.png")
    what = refusal(file, size=(WIDTH + 1, HEIGHT))
    assert what == f"is {WIDTH} x {HEIGHT}, where the annotations say {WIDTH + 1} x {HEIGHT}"


# What cannot be read


def test_what_is_no_photograph_is_named(tmp_path):
    empty, text, absent = (tmp_path / name for name in ("empty.jpg", "text.jpg", "absent.jpg"))
    empty.touch()
    text.write_text("<html>404</html>")
    assert refusal(empty) == "is empty"
    assert refusal(text) == "is not an image in a known format"
    assert "cannot be read (No such file" in refusal(absent)
    assert refusal(tmp_path).startswith("is a folder")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.jpg")
    assert refusal(tmp_path / "a.jpg") == "is not a plain file"


def test_formats_that_start_programs_are_not_tried(tmp_path):
    file = tmp_path / "a.jpg"
    file.write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n")
    assert refusal(file) == "is not an image in a known format"


def test_a_bomb_is_not_decoded(tmp_path, monkeypatch):
    file = written(tmp_path / "a.png")
    monkeypatch.setattr(photographs, "MOST_PIXELS", WIDTH * HEIGHT - 1)
    assert "million pixels, and was not decoded" in refusal(file)
    monkeypatch.setattr(photographs, "MOST_PIXELS", WIDTH * HEIGHT)
    assert read_photograph(file).shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM"])
def test_a_truncated_file_is_refused(tmp_path, kind, share):
    stream = BytesIO()
    PICTURE.save(stream, kind)
    data = stream.getvalue()
    file = tmp_path / f"a{photographs.SUFFIXES[kind][0]}"
    file.write_bytes(data[: int(len(data) * share)])
    refusal(file)


def test_a_checksum_that_is_wrong_is_noticed(tmp_path):
    file = written(tmp_path / "a.png")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert refusal(file) == "is damaged (wrong checksum)"


def encoded(kind: str) -> bytes:
    stream = BytesIO()
    PICTURE.save(stream, kind)
    return stream.getvalue()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from([encoded(kind) for kind in FORMATS]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4)), max_size=4),
    st.floats(0.2, 1),
)
def test_damage_gives_pixels_or_one_clear_line(tmp_path, data, damage, length):
    spoilt = bytearray(data)
    for place, written_over in damage:
        start = int(place * len(data))
        spoilt[start : start + len(written_over)] = written_over
    file = tmp_path / "a.bin"
    file.write_bytes(spoilt[: int(length * len(spoilt))])
    problems, *_ = problems_of(file)
    if problems:
        [problem] = problems
        assert str(problem).startswith(f"{file}: ")
        assert "\n" not in str(problem)
    else:
        pixels = read_photograph(file)
        assert pixels.dtype == np.uint8
        assert pixels.ndim == pixels.shape[2] == 3


def test_threads_may_read_at_the_same_time(tmp_path, recwarn):
    file = written(tmp_path / "a.png", PICTURE.convert("P"), transparency=bytes(256))
    found = []

    def read() -> None:
        found.extend(read_photograph(file).tobytes() for _ in range(20))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert len(set(found)) == 1
    assert not recwarn.list

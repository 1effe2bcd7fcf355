"""Hashes tell the same picture from another, and remember what they have seen."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageEnhance

from sightline.data.build import perceptual
from sightline.data.build.leakage import NEAR
from sightline.data.build.perceptual import (
    Fingerprint,
    fingerprint,
    fingerprints,
    near_pairs,
    perceptual_hash,
    repeats,
)
from sightline.errors import Problem

from .pictures import save, scene

STEADY = settings(derandomize=True, deadline=None, database=None, max_examples=40)
NUMBERS = st.integers(0, 10_000)


def hashed(picture: Image.Image) -> int:
    return perceptual_hash(np.asarray(picture.convert("L")))


def apart(first: Image.Image, second: Image.Image) -> int:
    return (hashed(first) ^ hashed(second)).bit_count()


@STEADY
@given(NUMBERS, st.integers(64, 400), st.integers(64, 400))
def test_a_hash_survives_another_size(number, width, height):
    large = scene(number, (300, 220))
    assert apart(large, large.resize((width, height), Image.Resampling.BICUBIC)) <= NEAR


@STEADY
@given(NUMBERS, st.integers(20, 95))
def test_a_hash_survives_compression(number, quality):
    picture, content = scene(number), io.BytesIO()
    picture.save(content, "JPEG", quality=quality)
    with Image.open(content) as compressed:
        assert apart(picture, compressed) <= NEAR


@STEADY
@given(NUMBERS, st.floats(0.7, 1.0))
def test_a_hash_survives_less_light(number, light):
    picture = scene(number)
    assert apart(picture, ImageEnhance.Brightness(picture).enhance(light)) <= NEAR


@STEADY
@given(NUMBERS, NUMBERS)
def test_other_pictures_differ_in_many_bits(first, second):
    if first != second:
        assert apart(scene(first), scene(second)) > 2 * NEAR


@STEADY
@given(NUMBERS)
def test_a_mirrored_picture_is_another(number):
    picture = scene(number)
    assert apart(picture, picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)) > NEAR


def test_the_formula_is_the_one_that_is_stated():
    x = np.arange(32)
    wave = np.cos(np.pi * (2 * x + 1) * 3 / 64)  # frequency 3 along the rows, alone
    grey = np.rint(128 + 100 * np.tile(wave, (32, 1))).astype(np.uint8)
    order = sorted(
        ((i, j) for i in range(32) for j in range(32)), key=lambda at: (at[0] + at[1], at)
    )
    place = order[1:65].index((0, 3))
    assert perceptual_hash(grey) >> (63 - place) & 1
    assert perceptual_hash(np.full((40, 50), 7, np.uint8)) == 0


def test_photographs_hash_as_people_see_them(tmp_path):
    turned, exif = scene(1, (64, 96)), Image.Exif()
    exif[0x0112] = 6  # a quarter turn clockwise shows it upright
    stored = turned.transpose(Image.Transpose.ROTATE_90)
    file = save(stored, tmp_path / "turned.jpg", exif=exif, quality=95)
    plain = save(turned, tmp_path / "plain.jpg", quality=95)
    one, other = fingerprint(file), fingerprint(plain)
    assert isinstance(one, Fingerprint)
    assert isinstance(other, Fingerprint)
    assert one.size == other.size == (64, 96)
    assert (one.bits ^ other.bits).bit_count() <= NEAR


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path):
    (tmp_path / "x.jpg").write_bytes(b"no picture")
    found = fingerprint(tmp_path / "x.jpg")
    assert isinstance(found, Problem)
    assert "x.jpg" in str(found)


def test_what_was_hashed_is_not_decoded_again_unless_it_changed(tmp_path, monkeypatch):
    files = [save(scene(i), tmp_path / f"{i}.png") for i in range(4)]
    before = fingerprints(files, 2, tmp_path / "out")
    with (tmp_path / "out" / perceptual.MEMORY).open("ab") as memory:
        memory.write(b'\n["cut by a ki')
    read = []
    monkeypatch.setattr(perceptual, "fingerprint", lambda file: read.append(file) or before[0])
    assert fingerprints(files, 2, tmp_path / "out") == before
    assert read == []
    save(scene(9), files[2])
    assert fingerprints(files, 2, tmp_path / "out")[2] == before[0]
    assert read == [files[2]]


@pytest.mark.parametrize("block", [1, 3, 1 << 22])
def test_near_pairs_are_those_of_two_loops(block, monkeypatch):
    monkeypatch.setattr(perceptual, "BLOCK", block)
    random = np.random.default_rng(3)
    first, second = (random.integers(0, 16, count, np.uint64) for count in (7, 5))
    expected = [
        (i, j, (int(a) ^ int(b)).bit_count())
        for i, a in enumerate(first)
        for j, b in enumerate(second)
        if (int(a) ^ int(b)).bit_count() <= 1
    ]
    assert list(map(tuple, near_pairs(first, second, 1).tolist())) == expected


def test_a_chain_of_small_changes_is_not_one_picture():
    chain = np.array([0b0, 0b1, 0b11, 0b111], np.uint64)
    assert repeats(chain, 1).tolist() == [-1, 0, -1, 2]
    assert repeats(chain, 0).tolist() == [-1] * 4

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.data.pipeline import cache as module
from sightline.data.pipeline.cache import Cache, clear, default_folder, kept

SIDE = 3  # 27 bytes: not a multiple of eight
SIZES = np.zeros((3, 2), np.int64)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    files = [tmp_path / f"{name}.jpg" for name in "abc"]
    for file in files:
        file.write_bytes(file.name.encode())
    return files


class Decoder:
    """Makes pixels of a file's content and notes for which."""

    def __init__(self, files: list[Path]) -> None:
        self.files, self.asked = files, []

    def __call__(self, index: int) -> np.ndarray:
        self.asked.append(index)
        seed = list(self.files[index].read_bytes())
        return np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)


def opened(folder: Path, files: list[Path], side: int = SIDE) -> Cache:
    return Cache(folder / "kept", files, SIZES[: len(files)], side)


def test_what_was_decoded_is_not_decoded_again(tmp_path, files):
    decode = Decoder(files)
    for cache in (opened(tmp_path, files), opened(tmp_path, files)):
        for index in (2, 0, 2):
            assert np.array_equal(cache.get(index, decode), Decoder(files)(index))
    assert decode.asked == [2, 0]
    assert not cache.complaint


def test_kept_pixels_cannot_be_written_to(tmp_path, files):
    cache = opened(tmp_path, files)
    cache.get(0, Decoder(files))
    assert not cache.get(0, Decoder(files)).flags.writeable


def test_pixels_outlive_their_cache(tmp_path, files):
    cache = opened(tmp_path, files)
    cache.get(0, Decoder(files))
    pixels = cache.get(0, Decoder(files))
    del cache
    clear(tmp_path / "kept")
    assert np.array_equal(pixels, Decoder(files)(0))


def change(file: Path) -> None:
    file.write_bytes(b"another")


def change_keeping_size_and_time(file: Path) -> None:
    before = file.stat()
    file.write_bytes(b"x.jpg")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def exchange(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"y.jpg")
    other.replace(file)


@pytest.mark.parametrize("deed", [change, change_keeping_size_and_time, exchange])
def test_a_changed_file_is_decoded_again(tmp_path, files, deed):
    cache, decode = opened(tmp_path, files), Decoder(files)
    first = cache.get(1, decode).copy()
    deed(files[1])
    second = cache.get(1, decode)
    assert not np.array_equal(first, second)
    assert np.array_equal(second, Decoder(files)(1))
    assert np.array_equal(cache.get(1, decode), second)
    assert decode.asked == [1, 1]


def test_a_file_that_is_gone_is_not_taken_from_the_cache(tmp_path, files):
    cache, decode = opened(tmp_path, files), Decoder(files)
    cache.get(1, decode)
    files[1].unlink()
    with pytest.raises(FileNotFoundError):
        cache.get(1, decode)


def test_what_decides_about_pixels_decides_about_the_file(tmp_path, files, monkeypatch):
    opened(tmp_path, files)
    opened(tmp_path, files, side=4)
    opened(tmp_path, files[::-1])
    opened(tmp_path, files[:2])
    Cache(tmp_path / "kept", files, SIZES + 1, SIDE)
    assert len(list(kept(tmp_path / "kept"))) == 5
    opened(tmp_path, [Path(os.path.relpath(file)) for file in files])
    assert len(list(kept(tmp_path / "kept"))) == 5
    monkeypatch.setattr(module.PIL, "__version__", "another")
    opened(tmp_path, files)
    assert len(list(kept(tmp_path / "kept"))) == 6


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.integers(0, 27 + 16 - 1),
    st.one_of(st.none(), st.binary(min_size=1, max_size=60)),
)
def test_damage_anywhere_in_a_slot_is_noticed(tmp_path, files, place, damage):
    """What a kill or a crash may leave: a prefix that is written, zeros, or something else."""
    shutil.rmtree(tmp_path / "kept", ignore_errors=True)
    cache, decode = opened(tmp_path, files), Decoder(files)
    expected = decode(1)
    cache.get(1, decode)
    [(file, _)] = kept(tmp_path / "kept")
    slot = cache._slot
    data = bytearray(file.read_bytes())
    rest = (place - slot) % slot if damage is None else len(damage)
    stop = slot + min(place + rest, 43)
    original = bytes(data[slot + place : stop])
    written = bytes(len(original)) if damage is None else damage[: len(original)]
    data[slot + place : stop] = written
    with file.open("r+b") as stream:
        stream.write(data)
    again = Decoder(files)
    assert np.array_equal(opened(tmp_path, files).get(1, again), expected)
    assert again.asked == ([] if written == original else [1])


@pytest.mark.parametrize("length", [0, 1, 4096, 10**6])
def test_a_file_of_another_length_is_mended(tmp_path, files, length):
    cache, decode = opened(tmp_path, files), Decoder(files)
    cache.get(2, decode)
    [(file, _)] = kept(tmp_path / "kept")
    os.truncate(file, length)
    again = opened(tmp_path, files)
    for index in range(3):
        assert np.array_equal(again.get(index, decode), Decoder(files)(index))
    assert file.stat().st_size == 3 * cache._slot


def test_nothing_is_kept_when_the_disk_is_nearly_full(tmp_path, files, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=module.RESERVE - 1)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: usage)
    cache, decode = opened(tmp_path, files), Decoder(files)
    for _ in range(2):
        assert np.array_equal(cache.get(0, decode), Decoder(files)(0))
    assert decode.asked == [0, 0]
    assert cache.complaint.endswith(
        f"decoded photographs are not kept ({os.strerror(errno.ENOSPC)})"
    )


def test_a_write_that_fails_is_survived_and_said(tmp_path, files, monkeypatch):
    cache, decode = opened(tmp_path, files), Decoder(files)
    cache.get(0, decode)
    monkeypatch.setattr(module.os, "pwritev", lambda *_: 10)  # what a full disk does
    assert np.array_equal(cache.get(1, decode), Decoder(files)(1))
    assert "No space left" in cache.complaint
    monkeypatch.undo()
    assert np.array_equal(cache.get(1, decode), Decoder(files)(1))
    assert np.array_equal(cache.get(0, decode), Decoder(files)(0))
    assert decode.asked == [0, 1, 1]


def test_a_file_that_may_not_grow_is_survived_and_said(python, tmp_path, files):
    code = f"""
import resource, numpy as np
from pathlib import Path
from sightline.data.pipeline.cache import Cache
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
cache = Cache(Path({str(tmp_path)!r}), [Path({str(files[0])!r})] * 3, np.zeros((3, 2)), 3)
print(cache.get(0, lambda _: np.ones((3, 3, 3), np.uint8)).sum(), cache.complaint)
"""
    answer = python("-c", code)
    assert answer.err == ""
    assert answer.out.startswith("27 ")
    assert answer.out.endswith("are not kept (File too large)\n")


def test_a_folder_that_is_none_is_survived_and_said(tmp_path, files):
    (tmp_path / "kept").write_text("a file")
    cache = opened(tmp_path, files)
    assert np.array_equal(cache.get(0, Decoder(files)), Decoder(files)(0))
    assert str(tmp_path / "kept") in cache.complaint


def test_clear_deletes_caches_and_nothing_else(tmp_path, files):
    folder = tmp_path / "kept"
    opened(tmp_path, files).get(0, Decoder(files))
    other = folder / "thesis.txt"
    other.write_text("mine")
    [(_, size)] = kept(folder)
    assert 0 < size < 20_000  # slots that are not filled take up nothing
    clear(folder)
    assert [*folder.iterdir()] == [other]
    clear(tmp_path / "nowhere")


def test_where_caches_lie(monkeypatch):
    monkeypatch.setenv("SIGHTLINE_HOME", "/home")
    assert default_folder() == Path("/home/photographs")
    monkeypatch.delenv("SIGHTLINE_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert default_folder() == Path("/caches/sightline/photographs")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == Path.home() / ".cache/sightline/photographs"

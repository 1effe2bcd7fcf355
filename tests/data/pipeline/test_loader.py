import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline.data.pipeline.loader import Batch, Loader, Reading
from sightline.data.pipeline.transforms import Geometry, Transform
from sightline.errors import DataError, Problem, UsageError

SMALL = Transform(resize=24, crop=20, test_resize=20)


def assert_same(ours: list[Batch], theirs: list[Batch]) -> None:
    assert [batch.number for batch in ours] == [batch.number for batch in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.indices.tolist() == other.indices.tolist()
        assert one.images.tobytes() == other.images.tobytes()
        assert (one.masks is None) == (other.masks is None)
        assert one.masks is None or one.masks.tobytes() == other.masks.tobytes()


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_pixels_are_those_of_the_plain_definition(album, cache, training):
    loader = album.loader(training=training, cache=cache, seed=7)
    for epoch in range(2):
        seen = []
        for batch in loader.epoch(epoch):
            for index, image in zip(batch.indices.tolist(), batch.images, strict=True):
                part = album.part(index, epoch=epoch, seed=7) if training else Geometry(0, 0, False)
                expected = album.plain(index, part, SMALL, training)
                assert np.array_equal(image, expected)
                seen.append(index)
        assert sorted(seen) == list(range(len(album.files)))
        assert (seen == sorted(seen)) != training
    assert not loader.complaint


def test_the_papers_sizes(album):
    [batch, *_] = album.loader(transform=Transform(), batch=2, workers=0).epoch()
    assert batch.images.shape == (2, 3, 224, 224)
    assert batch.images.flags.writeable  # or else torch warns
    index = int(batch.indices[0])
    part = album.part(index, transform=Transform())
    assert np.array_equal(batch.images[0], album.plain(index, part, Transform()))


@pytest.mark.parametrize("workers", [0, 1, 5])
def test_any_number_of_workers_gives_the_same(album, workers, tmp_path):
    expected = list(album.loader(seed=1).epoch(3))
    other = album.loader(seed=1, workers=workers, cache_folder=tmp_path / "other")
    assert_same(list(other.epoch(3)), expected)
    assert_same(list(other.epoch(3)), expected)


@pytest.mark.parametrize("start", [0, 1, 2, 3])
def test_an_epoch_can_be_taken_up_in_the_middle(album, start):
    whole = list(album.loader().epoch(1))
    assert_same(list(album.loader().epoch(1, start=start)), whole[start:])


@pytest.mark.parametrize("world", [2, 3, 5])
def test_parts_together_are_the_batches_of_one_process(album, world):
    whole = list(album.loader().epoch(2))
    ranks = [list(album.loader().epoch(2, part=(rank, world))) for rank in range(world)]
    joined = [
        Batch(
            parts[0].number,
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.images for part in parts]),
        )
        for parts in zip(*ranks, strict=True)
    ]
    assert_same(joined, whole)
    for parts in zip(*ranks, strict=True):
        counts = [len(part.indices) for part in parts]
        assert max(counts) - min(counts) <= 1


def test_epochs_and_seeds_differ(album):
    orders = {
        tuple(index for batch in album.loader(seed=seed).epoch(epoch) for index in batch.indices)
        for seed in range(3)
        for epoch in range(3)
    }
    assert len(orders) == 9


def test_length_and_the_last_batch(album):
    assert len(album.loader()) == len(list(album.loader().epoch())) == 3
    assert [len(batch.indices) for batch in album.loader().epoch()] == [4, 4, 3]
    whole = album.loader(drop_last=True)
    assert [len(batch.indices) for batch in whole.epoch()] == [4, 4]
    assert len(whole) == 2


def test_no_photographs_are_no_batches(tmp_path):
    loader = Loader([], reading=Reading(cache_folder=tmp_path))
    assert (len(loader), list(loader.epoch())) == (0, [])


@pytest.mark.parametrize("training", [False, True])
def test_masks_move_with_their_pixels(album, training):
    """A mask in every color channel goes the way of the photograph that shows it."""

    def plane(index: int) -> np.ndarray:
        codes = np.zeros((120, 96), np.uint8)
        codes[20 + index : 70, 30:80] = 1
        codes[:12] = 255
        return codes

    for index, file in enumerate(album.files):
        image = Image.fromarray(np.where(plane(index) == 1, 255, 0).astype(np.uint8))
        image.convert("RGB").save(file, format="PNG")
    codes = set()
    unit = Transform(resize=80, crop=64, test_resize=64, mean=(0, 0, 0), std=(1, 1, 1))
    for batch in album.loader(planes=plane, training=training, transform=unit).epoch():
        assert batch.masks.shape == (len(batch.indices), 64, 64)
        assert (batch.masks[batch.images[:, 0] == 1] == 1).all()
        assert (batch.masks[batch.images[:, 0] == 0] != 1).all()
        codes |= {*batch.masks.flat}
    assert codes == {0, 1, 255}


def test_a_rotation_follows_the_stated_size(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    upright = Image.fromarray(np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3))
    upright.save(tmp_path / "a.png", exif=exif)
    images = {}
    for size in ((30, 20), (20, 30), (0, 0)):
        loader = Loader(
            [tmp_path / "a.png"],
            sizes=np.array([size]),
            transform=SMALL,
            training=False,
            reading=Reading(cache_folder=tmp_path / "cache"),
        )
        for _ in range(2):
            [batch] = loader.epoch()
            images.setdefault(size, batch.images)
            assert np.array_equal(images[size], batch.images)
    assert np.array_equal(images[30, 20], images[0, 0])
    assert not np.array_equal(images[20, 30], images[0, 0])


def test_a_broken_photograph_stops_and_is_named(album):
    album.files[5].write_bytes(album.files[5].read_bytes()[:60])
    for workers in (0, 2):
        with pytest.raises(DataError, match=re.escape(str(album.files[5]))):
            list(album.loader(workers=workers).epoch())
    assert not [t for t in threading.enumerate() if t.name.startswith("sightline")]


def test_broken_photographs_are_left_out_and_listed(album):
    whole = list(album.loader(seed=2).epoch())
    album.files[5].write_bytes(album.files[5].read_bytes()[:60])
    album.files[0].unlink()
    loader = album.loader(seed=2, on_error="skip")
    for _ in range(2):
        for batch, full in zip(loader.epoch(), whole, strict=True):
            kept = ~np.isin(full.indices, [0, 5])
            assert batch.indices.tolist() == full.indices[kept].tolist()
            assert np.array_equal(batch.images, full.images[kept])
        assert sorted(loader.left_out) == [0, 5]
        assert str(album.files[0]) in str(loader.left_out[0][0])


def test_a_batch_of_broken_photographs_alone_is_empty_but_there(tmp_path, save):
    files = [tmp_path / "absent.jpg", save(tmp_path / "b.png")]
    reading = Reading(batch=1, on_error="skip", cache_folder=tmp_path / "cache")
    batches = list(Loader(files, training=False, transform=SMALL, reading=reading).epoch())
    assert [len(batch.images) for batch in batches] == [0, 1]


def test_a_broken_mask_leaves_its_photograph_out(album):
    def plane(index: int) -> np.ndarray:
        if index == 3:
            raise DataError([Problem("mask is broken", "3.png")])
        return np.full((2, 2), index, np.uint8)

    loader = album.loader(planes=plane, on_error="skip")
    for batch in loader.epoch():
        assert 3 not in batch.indices
        assert (batch.masks == batch.indices[:, None, None]).all()
    assert [str(problem) for problem in loader.left_out[3]] == ["3.png: mask is broken"]
    with pytest.raises(DataError, match="mask is broken"):
        list(album.loader(planes=plane).epoch())


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_that_is_left_leaves_no_threads(album, workers):
    batches = album.loader(workers=workers).epoch()
    next(batches)
    batches.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("sightline")]
    for _ in album.loader(workers=workers).epoch():
        break
    assert not [t for t in threading.enumerate() if t.name.startswith("sightline")]


def test_a_cache_that_cannot_be_written_is_said(album, tmp_path):
    (tmp_path / "file").write_text("")
    loader = album.loader(cache_folder=tmp_path / "file")
    assert_same(list(loader.epoch()), list(album.loader().epoch()))
    assert "are not kept" in loader.complaint


@pytest.mark.parametrize(
    "options", [{"batch": 0}, {"workers": -1}, {"on_error": "ignore"}], ids=lambda o: next(iter(o))
)
def test_readings_that_mean_nothing_are_refused(options):
    with pytest.raises(UsageError):
        Reading(**options)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"part": (2, 2)}, "no part 2 of 2"),
        ({"part": (-1, 2)}, "no part -1 of 2"),
        ({"part": (0, 0)}, "no part 0 of 0"),
        ({"start": 4}, "none numbered 4"),
        ({"start": -1}, "none numbered -1"),
    ],
)
def test_places_that_do_not_exist_are_refused_at_once(album, where, words):
    with pytest.raises(UsageError, match=words):
        album.loader().epoch(**where)


def test_no_framework_is_needed(python):
    answer = python("-c", "import sys, sightline.data.pipeline.loader; print(*sys.modules)")
    assert not {"torch", "torchvision", "pandas", "pyarrow"} & set(answer.out.split())


ENDLESS = """
import sys
from pathlib import Path
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Transform
folder, cache = map(Path, sys.argv[1:3])
files = sorted(folder.rglob("*.png"))
small = Transform(resize=24, crop=20, test_resize=20)
for epoch in range(int(sys.argv[3])):
    reading = Reading(batch=4, workers=2, cache_folder=cache)
    loader = Loader(files, transform=small, reading=reading)
    for batch in loader.epoch(epoch):
        print(batch.number, float(batch.images.sum()), flush=True)
"""


def started(folder: Path, cache: Path, epochs: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(folder), str(cache), str(epochs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_share_a_cache_and_one_may_be_killed(tmp_path, save):
    for index in range(60):
        save(tmp_path / "pictures" / f"{index}.png", index)
    running = [started(tmp_path / "pictures", tmp_path / "cache", n) for n in (10**6, 1, 1)]
    running[0].stdout.readline()
    running[0].kill()
    answers = [process.communicate(timeout=60) for process in running][1:]
    assert [err for _, err in answers] == ["", ""]
    alone = started(tmp_path / "pictures", tmp_path / "alone", 1).communicate(timeout=60)[0]
    assert answers[0][0] == answers[1][0] == alone != ""
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_ctrl_c_ends_a_process_at_once(tmp_path, save):
    save(tmp_path / "pictures" / "a.png")
    process = started(tmp_path / "pictures", tmp_path / "cache", 10**9)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert err.count("Traceback") == 1
    assert process.returncode == -signal.SIGINT


MEMORY = """
import sys
from pathlib import Path
from sightline.data.pipeline.loader import Loader, Reading
from sightline.data.pipeline.transforms import Transform

def resident():
    fields = Path("/proc/self/status").read_text().split("VmRSS:")[1]
    return int(fields.split()[0]) // 1024

files = sorted(Path(sys.argv[1]).iterdir())
reading = Reading(batch=100, workers=2, cache_folder=Path(sys.argv[2]))
small = Transform(resize=48, crop=40)
loader = Loader(files, transform=small, reading=reading)
for epoch in range(2):
    for batch in loader.epoch(epoch):
        if batch.number in (20, len(loader) - 1):
            print(resident())
print(loader.complaint)
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_memory_does_not_grow_with_the_number_of_photographs(python, tmp_path, save):
    """Reads 50,000 photographs twice, 350 MB of pixels."""
    photograph = save(tmp_path / "a.jpg", size=(16, 16))
    (tmp_path / "many").mkdir()
    for index in range(50_000):
        os.link(photograph, tmp_path / "many" / f"{index}.jpg")
    answer = python("-c", MEMORY, tmp_path / "many", tmp_path / "cache")
    assert answer.err == ""
    early, late, early_again, late_again = map(int, answer.out.split())
    assert late - early < 20
    assert late_again - early_again < 20
    assert max(late, late_again) - early < 20

"""Score sources: which map belongs to which image, and files that are damaged in any way."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.data.memory import truth_from_arrays
from sightline.errors import DataError, UsageError
from sightline.evaluation.sources import ArraySource, open_source


@pytest.fixture
def split(scene):
    return sl.read_truth(scene.truth).split


def test_a_folder_gives_the_map_of_every_item_and_its_place(scene, split):
    source = open_source(scene.maps)
    assert source.match(split) == []
    for i in range(6):
        scores, place = source.read(i)
        np.testing.assert_array_equal(scores, scene.scores(i))
        assert place == str(scene.file(i))


def test_a_baseline_gives_every_item_the_same(split):
    source = open_source("baseline:center-gaussian", {"center": 100, "size": 50})
    assert source.constant
    assert source.match(split) == []
    scores, _ = source.read(0)
    assert source.read(5)[0] is scores
    assert (scores.shape, scores.min(), scores.max()) == ((50, 50), 0, 1)
    assert np.unravel_index(scores.argmax(), scores.shape) == (22, 22)  # 100 * 50 / 224 = 22.3


def test_the_middle_of_the_pixels_is_half_a_pixel_before_the_middle_of_the_grid():
    maps = {
        center: open_source("baseline:center-gaussian", {"center": center}).read(0)[0]
        for center in (111.5, 112.0)
    }
    np.testing.assert_array_equal(maps[111.5], maps[111.5][::-1, ::-1])
    assert maps[112.0][112, 112] == 1
    assert maps[112.0][111, 112] == maps[112.0][113, 112]


@pytest.mark.parametrize(
    ("place", "options", "what"),
    [
        ("baseline:nothing", {}, "sightline list baseline"),
        ("baseline:center-gaussian", {"middle": 3}, "middle"),
        ("baseline:center-gaussian", {"size": 0}, "positive"),
        ("maps", {"center": 3}, "--center"),
    ],
)
def test_options_that_fit_nothing(scene, monkeypatch, place, options, what):
    monkeypatch.chdir(scene.root)
    with pytest.raises(UsageError, match=what):
        open_source(place, options)


def test_arrays_are_counted_before_they_are_scored(split):
    with pytest.raises(DataError, match="5 maps were given for 6 images"):
        ArraySource([np.ones((2, 2))] * 5).match(split)
    problems = ArraySource({"birds/0.jpg": np.ones((2, 2)), "other": 1}).match(split)
    assert [problem.image for problem in problems] == [*split.ids[1:], "other"]


def test_a_map_of_a_refused_image_is_no_stranger(scene, split):
    np.save(scene.maps / "refused.npy", np.ones((2, 2)))
    source = open_source(scene.maps)
    assert ["unknown image" in str(problem) for problem in source.match(split)] == [True]
    for name in ("refused", "refused.jpg", "refused.jpg/4"):
        assert source.match(split, {name}) == []


class Counted(tuple):
    """Ids that count how often somebody walks through them all."""

    walks = 0

    def __iter__(self):
        Counted.walks += 1
        return super().__iter__()


@pytest.mark.parametrize("suffix", ["folder", ".npz", ".parquet", "arrays"])
def test_matching_walks_through_all_names_a_few_times_not_once_for_each(
    tmp_path, monkeypatch, suffix
):
    maps = {f"i{i}": np.zeros((1, 1)) for i in range(200)}
    known = truth_from_arrays({name: [[0, 0, 1, 1]] for name in maps}).split
    source = _source(tmp_path / "maps", suffix, maps)
    lists = []
    if suffix != "arrays":
        real = source.places
        monkeypatch.setattr(source, "places", lambda: lists.append(1) or real())
    monkeypatch.setattr(Counted, "walks", 0)
    assert source.match(replace(known, ids=Counted(known.ids))) == []
    assert len(lists) <= 2
    assert Counted.walks <= 5


def _source(folder, suffix, maps):
    folder.mkdir()
    if suffix == "arrays":
        return ArraySource(maps)
    if suffix == "folder":
        for name in maps:
            (folder / f"{name}.npy").touch()
    elif suffix == ".npz":
        np.savez(folder / "maps.npz", **maps)
    else:
        columns = {"height": 1, "width": 1, "dtype": "float64", "scores": b"\0" * 8}
        pd.DataFrame({"id": list(maps), **columns}).to_parquet(folder / "maps.parquet")
    return open_source(folder)


def test_shards_are_read_by_several_threads_at_once(scene, tmp_path):
    """An archive has one position in its file; every thread needs its own."""
    ids = [f"{i}" for i in range(300)]
    maps = {name: np.full((30, 30), i / 300) for i, name in enumerate(ids)}
    for i, scores in enumerate(maps.values()):
        scores[i % 20 : i % 20 + 8, 4:9] = 1
    np.savez_compressed(tmp_path / "maps.npz", **maps)
    boxes = {name: [[4, i % 20, 9, i % 20 + 8]] for i, name in enumerate(ids)}
    expected = sl.evaluate(maps, boxes, threads=1).result
    for _ in range(3):
        result = sl.evaluate(str(tmp_path / "maps.npz"), truth_from_arrays(boxes), threads=8).result
        for key in ("value", "mean_iou", "energy"):
            assert result[key] == expected[key]


# Damage


def written(kind):
    """Write a map of (9, 7) in a format, as bytes."""
    scores = np.random.default_rng(0).random((9, 7))
    stream = io.BytesIO()
    if kind == ".npy":
        np.save(stream, scores)
    elif kind == ".npz":
        np.savez_compressed(stream, x=scores)
    elif kind == ".parquet":
        row = {"id": "x", "height": 9, "width": 7, "dtype": "float64", "scores": scores.tobytes()}
        pd.DataFrame([row]).to_parquet(stream)
    else:
        import cv2

        stream.write(cv2.imencode(".png", (255 * scores).astype(np.uint8))[1].tobytes())
    return stream.getvalue()


def scored(folder):
    """Score the one map of a folder; a refusal is as good as a score, any other end is not."""
    message = ""
    try:
        return sl.evaluate(str(folder), {"x": [[1, 1, 4, 4]]}, normalize="min-max").result
    except DataError as error:
        message = str(error)
    assert "\n" not in message
    assert str(folder) in message
    return None


KINDS = pytest.mark.parametrize("kind", [".npy", ".png", ".npz", ".parquet"])


@KINDS
def test_a_file_cut_anywhere_is_refused_by_name(tmp_path, kind):
    data = written(kind)
    file = tmp_path / f"x{kind}"
    file.write_bytes(data)
    assert scored(tmp_path)["images"] == 1
    cuts = range(0, len(data) - 1, max(1, len(data) // 60))
    for cut in cuts:
        file.write_bytes(data[:cut])
        assert scored(tmp_path) is None, cut


@KINDS
def test_a_damaged_file_is_refused_or_scored_but_never_a_crash(tmp_path, kind):
    data = written(kind)
    file = tmp_path / f"x{kind}"
    rng = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(data)
        # the first bytes tell what follows: damage there does most
        places = rng.integers(len(data) if rng.random() < 0.5 else 128, size=rng.integers(1, 4))
        for place in places:
            damaged[place % len(data)] = rng.integers(256)
        file.write_bytes(damaged)
        scored(tmp_path)


@pytest.mark.filterwarnings("ignore:Reading `.npy`:UserWarning")  # of 9L, which is read
@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999, 999999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 7), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9L, 7L), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9.0, 7), }",
        "{'descr': 'O', 'fortran_order': False, 'shape': (9, 7), }",
        "{'descr': '|V8', 'fortran_order': False, 'shape': (9, 7), }",
        "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (9, 7), }",
        "{'descr': '', 'fortran_order': False, 'shape': (9, 7), }",
        "{'shape': (9, 7)}",
        "[]",
        "__import__('os').system('true')",
        "(" * 200,
        "'",
        "",
        "\x00",
    ],
)
def test_a_header_that_lies_is_refused_by_name(tmp_path, header):
    text = header.encode("latin-1").ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(9 * 7 * 8)
    (tmp_path / "x.npy").write_bytes(data)
    result = scored(tmp_path)
    assert result is None or "L" in header

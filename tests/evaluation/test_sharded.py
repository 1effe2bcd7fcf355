"""Shares of the images in several processes: the very result of one pass."""

import importlib.util
import json

import numpy as np
import pytest

from sightline import rows
from sightline.errors import DataError
from sightline.metrics import states
from sightline.metrics.protocol import preset

TIMES = ("seconds", "images_per_second")


@pytest.fixture
def both(scene, sightline):
    """Evaluate in one pass and in shares, and make sure that both say the same."""

    def call(*flags, truth=None):
        place = (scene.maps, truth or scene.truth)
        alone = sightline("evaluate", *place, *flags, "--json", "-").json
        shared = sightline("evaluate", *place, *flags, "--workers", 2, "--json", "-").json
        for name in TIMES:
            alone.pop(name), shared.pop(name)
        assert shared == alone
        return shared

    return call


def test_boxes(both):
    assert both()["images"] == 6


def test_masks(both, scene):
    told = both("--masks", scene.add_masks())
    assert told["metric"] == "PxAP"
    assert told["images"] == 6


def test_predictions_and_a_second_set_of_maps(both, scene, tmp_path):
    scene.maps.rename(tmp_path / "first")
    for i in range(6):
        scene.save(i, np.flip(scene.scores(i)))
    scene.maps.rename(tmp_path / "second")
    (tmp_path / "first").rename(scene.maps)
    predictions = scene.predictions("012012")
    told = both("--predictions", predictions, "--against", tmp_path / "second")
    assert told["against"]["value"] != told["value"]


def test_what_is_left_out_is_told_once(both, scene):
    scene.save(1, np.full((24, 32), np.nan))
    scene.file(4).unlink()
    told = both("--on-error", "skip")
    assert (told["images"], told["skipped"]) == (4, 2)


def test_a_baseline_that_needs_no_maps(scene, sightline):
    flags = ("baseline:center-gaussian", scene.truth, "--center", 111.5, "--json", "-")
    alone, shared = sightline("evaluate", *flags), sightline("evaluate", *flags, "--workers", 1)
    assert shared.json["value"] == alone.json["value"]


def test_overlaps_at_every_threshold(scene, sightline, tmp_path):
    found = {}
    for workers in (0, 2):
        file = tmp_path / f"{workers}.npz"
        flags = ("--per-threshold", file, "--workers", workers)
        assert sightline("evaluate", scene.maps, scene.truth, *flags).code == 0
        with np.load(file) as arrays:
            found[workers] = {name: arrays[name] for name in arrays.files}
    assert found[0].keys() == found[2].keys()
    for name, values in found[0].items():
        assert np.array_equal(values, found[2][name])


def test_a_row_does_not_depend_on_who_scored_and_nothing_else_is_left(scene, sightline, tmp_path):
    for name, workers in (("a", 0), ("b", 2)):
        flags = ("--out", tmp_path / name, "--workers", workers)
        assert sightline("evaluate", scene.maps, scene.truth, *flags).code == 0
    a, b = (sorted(f.suffixes for f in (tmp_path / name).iterdir()) for name in "ab")
    assert a == b
    (one,), (two,) = (list(rows.find([tmp_path / name])) for name in "ab")
    assert rows.result_hash(rows.load(one)) == rows.result_hash(rows.load(two))


def test_the_first_problem_stops_and_is_one_line(scene, sightline):
    scene.save(3, np.full((24, 32), 2.0))
    refusal = sightline("evaluate", scene.maps, scene.truth, "--workers", 2).refusal()
    assert "birds/3.jpg" in refusal
    assert "--normalize" in refusal


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--workers", -1), "--workers starts at 0"),
        (("--engine", "ray"), "goes with --workers"),
        (("--engine", "ray", "--workers", 1), "needs --out"),
    ],
)
def test_flags_that_do_not_go_together(scene, sightline, flags, said):
    assert said in sightline("evaluate", scene.maps, scene.truth, *flags).refusal()


@pytest.mark.long
@pytest.mark.skipif(
    not importlib.util.find_spec("ray"), reason="needs Ray: pip install 'sightline[ray]'"
)
@pytest.mark.filterwarnings("ignore")
def test_shares_on_ray(scene, sightline, tmp_path):
    flags = (scene.maps, scene.truth, "--json", "-")
    alone = sightline("evaluate", *flags).json
    ray = ("--engine", "ray", "--workers", 2, "--out", tmp_path / "out")
    shared = json.loads(sightline("evaluate", *flags, *ray).out)
    assert {k: v for k, v in shared.items() if k not in TIMES} == {
        k: v for k, v in alone.items() if k not in TIMES
    }


def test_a_file_that_is_no_part_is_said_to_be_none(tmp_path):
    file = tmp_path / "part.npz"
    for content in (b"", b"PK"):
        file.write_bytes(content)
        with pytest.raises(DataError, match="is no part of an evaluation"):
            states.load(preset("reference-v2"), file)
    np.savez(file, ids=np.array(["a"]))
    with pytest.raises(DataError, match="is no part of an evaluation"):
        states.load(preset("pixels"), file)

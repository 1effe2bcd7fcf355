"""What the released evaluator printed for 24 maps, at each of its 1,000 thresholds."""

import json

import numpy as np
import pytest

from sightline.metrics.box import measure
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.geometry import iou, to_frame
from sightline.metrics.kernels import reference
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import preset, threshold_grid

from .maps import picture

MAPS = 24
VERSIONS = {"v1": "reference-v1", "v2": "reference-v2"}


@pytest.fixture(scope="module")
def released(shared):
    file = shared / "fixtures" / "evaluator.npz"
    if not file.is_file():
        pytest.skip("needs fixtures/evaluator.npz of the data for checks")
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


@pytest.fixture(scope="module")
def printed(shared):
    return json.loads((shared / "fixtures" / "evaluator.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def boxes(released):
    ends = np.cumsum(released["n_boxes"])
    return np.split(released["boxes"].astype(float), ends[:-1])


def accumulated(released, boxes, protocol):
    collected = BoxAccumulator(protocol)
    for score_map, truth in zip(released["scoremaps"], boxes, strict=True):
        collected.update(score_map, truth)
    return collected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("i", range(MAPS))
def test_best_iou_at_every_threshold(released, boxes, version, i):
    found = measure(released["scoremaps"][i], boxes[i], preset(VERSIONS[version])).overlaps
    assert found.astype(np.float32).tolist() == released[f"best_iou_{version}"][i].tolist()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_fixture_could_tell_a_difference(released, version):
    assert len(released["scoremaps"]) == MAPS
    stored = released[f"best_iou_{version}"]
    assert stored.shape == (MAPS, 1000)
    assert len(np.unique(stored)) > 500


@pytest.mark.parametrize("version", VERSIONS)
def test_accuracy_with_a_threshold_for_each_iou(released, boxes, printed, version):
    choices = {"iou_thresholds": (30, 50, 70)}
    result = accumulated(released, boxes, preset(VERSIONS[version], **choices)).compute()
    for delta, value in result["per_delta"].items():
        assert value == pytest.approx(printed[version][delta], abs=1e-9)
    assert result["value"] == pytest.approx(printed[version]["mean_per_delta"], abs=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_accuracy_with_one_threshold_for_all(released, boxes, printed, version):
    choices = {"iou_thresholds": (30, 50, 70), "threshold_choice": "joint"}
    result = accumulated(released, boxes, preset(VERSIONS[version], **choices)).compute()
    assert result["value"] == pytest.approx(printed[version]["joint_tau"], abs=1e-9)


def test_the_first_version_is_scored_at_half_alone(released, boxes, printed):
    result = accumulated(released, boxes, preset("reference-v1")).compute()
    assert result["value"] == pytest.approx(printed["v1"]["50"], abs=1e-9)


def test_pixel_average_precision(released, printed):
    collected = MaskAccumulator()
    for score_map, mask in zip(released["scoremaps"], released["gt"], strict=True):
        collected.update(score_map, mask)
    assert collected.compute()["value"] == pytest.approx(printed["pxap"], abs=1e-9)


def test_thresholds_run_from_0_to_below_1():
    grid = threshold_grid()
    assert grid.tolist() == np.arange(0, 1, 0.001).tolist()
    assert (len(grid), grid[0], grid[-1]) == (1000, 0.0, 0.999)


def test_a_box_is_resized_corner_by_corner_and_cut():
    assert to_frame(np.array([[1.0, 2, 4, 3]]), (10, 20), (35, 10), "reference").tolist() == [
        [3, 1, 14, 1]
    ]


def test_iou_counts_both_ends():
    first, second = np.array([[1.0, 2, 5, 6]]), np.array([[3.0, 1, 4, 5]])
    assert iou(first, second, "reference").tolist() == [[8 / 27]]


def test_two_empty_boxes_coincide():
    empty = np.zeros((1, 4))
    assert iou(empty, empty, "reference").tolist() == [[1.0]]


@pytest.mark.parametrize("name", VERSIONS.values())
def test_an_empty_map_gives_the_empty_box_at_every_threshold(name):
    empty, protocol = np.zeros((3, 3)), preset(name)
    for t in threshold_grid()[::37]:
        assert reference.boxes_at(empty, t, protocol).tolist() == [[0, 0, 0, 0]]
    assert measure(empty, np.zeros((1, 4)), protocol).overlaps.tolist() == [1.0] * 1000
    assert measure(empty, np.array([[0.0, 0, 1, 0]]), protocol).overlaps.tolist() == [0.5] * 1000


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0, [1, 1, 4, 3]),
        (0.2, [1, 1, 4, 3]),
        (0.4, [2, 1, 4, 3]),
        (0.6, [2, 2, 4, 3]),
        (0.8, [2, 2, 3, 3]),
    ],
)
def test_boxes_of_the_small_map_of_its_unit_test(threshold, expected):
    score_map = picture("00000", "04446", "04#86", "04446")
    protocol = preset("reference-v1", threshold_choice="fixed", thresholds=(threshold,))
    assert reference.boxes_at(score_map, threshold, protocol).tolist() == [expected]
    assert measure(score_map, np.array([expected], float), protocol).overlaps.tolist() == [1.0]


@pytest.mark.parametrize("ignored", [0.0, 0.3, 1.0])
def test_a_perfect_map_has_full_precision_whatever_the_ignored_pixels_hold(ignored):
    mask = np.array([[1, 1, 0, 255], [0, 1, 255, 0]], np.uint8)
    collected = MaskAccumulator()
    collected.update(np.where(mask == 255, ignored, mask), mask)
    assert collected.compute()["value"] == 100


@pytest.mark.parametrize("level", [0.0, 0.4, 1.0])
def test_a_constant_map_has_the_share_of_the_foreground(level):
    mask = np.array([[1, 1, 0, 255], [0, 1, 0, 0]], np.uint8)
    collected = MaskAccumulator()
    collected.update(np.full(mask.shape, level), mask)
    assert collected.compute()["value"] == pytest.approx(100 * 3 / 7, abs=1e-12)

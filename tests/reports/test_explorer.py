"""The files behind the explorer say what the evaluator says, at every threshold."""

import base64
import json
import re

import numpy as np
import pytest

from sightline.drawing.scenes import Scene, Shown, Stage, View
from sightline.errors import DataError, Problem
from sightline.metrics.box_accumulator import BoxAccumulator
from sightline.metrics.geometry import iou
from sightline.metrics.mask import MaskAccumulator
from sightline.metrics.protocol import preset, threshold_grid
from sightline.progress import silent
from sightline.reports.explorer import STEPS, TOP, explore, see_boxes, see_mask
from sightline.reports.failures import failures

RNG = np.random.default_rng(0)
PROTOCOLS = ("reference-v2", "reference-v1", "exact", "center-row-conference")


def smooth(side=32):
    import cv2

    raw = cv2.resize(RNG.random((5, 5)), (side, side), interpolation=cv2.INTER_CUBIC)
    return (raw - raw.min()) / (raw.max() - raw.min())


def a_scene(number, boxes=True, side=32):
    truth = np.array([[4.0, 6.0, 20.0, 25.0]])
    mask = np.zeros((side, side), np.uint8)
    mask[6:25, 4:20] = 1
    views = {
        "reference-v2": {m: View(smooth(side), boxes=truth) for m in ("cam", "has")},
        "pixels": {"cam": View(smooth(side), mask=mask)},
    }
    kept = views if boxes else {"pixels": views["pixels"]}
    picture = RNG.integers(0, 255, (48, 64, 3)).astype(np.uint8)
    return Scene(f"a/{number}.jpg", "cat", picture, kept)


def a_stage(count):
    return Stage(
        title="pets, test",
        images=count,
        of=count,
        seed=0,
        protocols={name: preset(name) for name in ("reference-v2", "pixels")},
        shown={
            "reference-v2": (
                Shown("cam", "MaxBoxAccV2", 50.0, {"30": 0.2, "50": 0.3, "70": 0.4}),
                Shown("has", "MaxBoxAccV2", 40.0, {"30": 0.2, "50": 0.3, "70": 0.4}),
            ),
            "pixels": (Shown("cam", "PxAP", 30.0, {"mean_iou": 0.5}),),
        },
    )


@pytest.mark.parametrize("name", PROTOCOLS)
def test_overlaps_are_the_evaluators(name):
    protocol, truth = preset(name), np.array([[3.0, 3.0, 17.0, 20.0], [1.0, 20.0, 9.0, 30.0]])
    for _ in range(5):
        scores = smooth()
        seen = see_boxes(scores, truth, protocol)
        whole = BoxAccumulator(preset(name, thresholds=(), threshold_choice="per-delta"))
        whole.update(scores, truth, image="a")
        expected = whole.mean_overlap()[:: len(threshold_grid()) // STEPS]
        assert np.abs(seen.overlaps / TOP - expected).max() <= 1.1 / TOP


@pytest.mark.parametrize("name", ["reference-v2", "exact"])
def test_the_best_box_that_is_drawn_reaches_the_overlap(name):
    protocol, truth = preset(name), np.array([[3.0, 3.0, 17.0, 20.0]])
    for _ in range(5):
        seen = see_boxes(smooth(), truth, protocol)
        for step in range(STEPS):
            here = seen.boxes[(seen.boxes[:, 0] <= step) & (step <= seen.boxes[:, 1])]
            reached = here[:, 6].max(initial=0)
            assert abs(int(reached) - int(seen.overlaps[step])) <= 1
            if len(here):
                best = here[here[:, 6].argmax(), 2:6].astype(float) * 32 / TOP
                assert iou(best[None], truth, protocol.box_ends)[0, 0] == pytest.approx(
                    reached / TOP, abs=2e-3
                )


def test_few_boxes_are_drawn_at_once():
    seen = see_boxes(RNG.random((64, 64)), np.array([[3.0, 3.0, 17.0, 20.0]]), preset("exact"))
    first, last = seen.boxes[:, 0], seen.boxes[:, 1]
    assert max(((first <= t) & (t <= last)).sum() for t in range(STEPS)) < 40


def test_a_masks_overlaps_are_the_evaluators():
    scores, mask = smooth(), np.zeros((32, 32), np.uint8)
    mask[5:20, 5:20], mask[20:22] = 1, 255
    seen = see_mask(scores, mask, preset("pixels"))
    whole = MaskAccumulator()
    whole.update(scores, mask)
    expected = whole.mean_overlap()[:-1][:: len(threshold_grid()) // STEPS]
    assert np.abs(seen.overlaps / TOP - expected).max() <= 1.1 / TOP


def held(file):
    key, text = re.fullmatch(r'sightline\.take\("([^"]+)",(.*)\);\n', file.read_text()).groups()
    return key, json.loads(text)


def test_the_files_hold_everything_in_the_order_of_the_images(tmp_path):
    made = [a_scene(i) for i in range(23)]
    explored = explore(a_stage(23), made.__getitem__, tmp_path, "explorer-0", silent)
    key, index = held(tmp_path / "explorer-0" / "index.js")
    assert key == "explorer-0"
    assert [image["id"] for image in index["images"]] == [scene.image for scene in made]
    for protocol in index["protocols"]:
        for method in protocol["methods"]:
            raw = np.frombuffer(base64.b64decode(method["overlaps"]), "<u2").reshape(23, STEPS)
            assert (raw == explored.overlaps[protocol["name"], method["name"]]).all()
    for number in (0, 22):
        view = made[number].views["reference-v2"]["has"]
        expected = see_boxes(view.scores, view.boxes, preset("reference-v2"))
        _, chunk = held(tmp_path / "explorer-0" / f"boxes-{number // 20}.js")
        raw = np.frombuffer(
            base64.b64decode(chunk[number % 20]["reference-v2"]["has"]), "<u2"
        ).reshape(-1, 7)
        assert (raw == expected.boxes).all()
        assert (tmp_path / "explorer-0" / f"{number}.jpg").is_file()
        assert (tmp_path / "explorer-0" / f"{number}-1.png").is_file()


def test_an_image_that_is_gone_is_left_out_and_listed(tmp_path):
    def scene(number):
        if number == 1:
            raise DataError([Problem("image is gone", image="a/1.jpg")])
        return a_scene(number)

    explored = explore(a_stage(3), scene, tmp_path, "explorer-0", silent)
    assert [fact.image for fact in explored.facts] == ["a/0.jpg", "a/2.jpg"]
    assert [problem.image for problem in explored.problems] == ["a/1.jpg"]
    assert explored.overlaps["reference-v2", "cam"].shape == (2, STEPS)
    assert not (tmp_path / "explorer-0" / "2.jpg").exists()


def test_the_images_that_all_miss_are_counted_with_what_they_have_in_common(tmp_path):
    explored = explore(a_stage(4), a_scene, tmp_path, "explorer-0", silent)
    overlaps = {"cam": [9000, 1000, 1000, 9000], "has": [9000, 1000, 9000, 1000]}
    for method, values in overlaps.items():
        table = np.repeat(np.array(values, np.uint16)[:, None], STEPS, axis=1)
        explored.overlaps["reference-v2", method] = table
    for number, fact in enumerate(explored.facts):
        fact.area = 0.05 if number == 1 else 0.3
    (found,) = failures(explored)
    assert found.missed.tolist() == [False, True, False, False]
    assert found.expected == pytest.approx(0.5 * 0.5 * 4)
    assert found.lines[0] == {
        "the object is": "small: less than 10% of the image",
        "images": "1",
        "missed by all": "100.0 %",
        "of the other images": "0.0 %",
    }

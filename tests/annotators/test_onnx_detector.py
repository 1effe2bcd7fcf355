"""Detectors as ONNX files, whose answers are written into the graph."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from sightline.annotators import onnx_detector
from sightline.annotators.answers import ranked
from sightline.annotators.contract import Item
from sightline.errors import SightlineError, UsageError
from sightline.types import Split


def read(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


small = read("small_onnx")
NO_SPLIT = Split("own", "val", (), (), np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
BEST = [[8, 6, 24, 18], [0, 0, 4, 4], [20, 2, 30, 22]]  # the third goes: it is nearly the first


def ask(file, image=None, **options):
    source = onnx_detector.open(onnx_detector.Options(model=str(file), **options), NO_SPLIT)
    shown = np.zeros((24, 32, 3), np.uint8) if image is None else image
    return source.propose(shown, Item("a.png"))


@pytest.mark.parametrize("batch", [True, False], ids=["batch", "no batch"])
@pytest.mark.parametrize("joined", ["", "rows"])
def test_boxes_and_the_best_of_their_scores(tmp_path, batch, joined):
    options = {"table": "rows"} if joined else {}
    made = ask(small.detector(tmp_path / "m.onnx", batch=batch, joined=joined), **options)
    np.testing.assert_allclose(made.boxes, BEST)
    np.testing.assert_allclose(made.scores, [0.8, 0.6, 0.5])


def test_scores_are_read_as_told(tmp_path):
    file = small.detector(tmp_path / "m.onnx")
    first = ask(file, score="first")
    np.testing.assert_allclose(first.scores, [0.6, 0.5, 0.2])
    np.testing.assert_allclose(first.boxes[0], [0, 0, 4, 4])
    np.testing.assert_allclose(ask(file, score="not-first").scores, [0.9, 0.5, 0.4])
    single = small.detector(tmp_path / "s.onnx", scores=small.SCORES[:, :1])
    np.testing.assert_allclose(ask(single, score="not-first").scores, [0.6, 0.5, 0.2])


def test_overlap_and_number(tmp_path):
    file = small.detector(tmp_path / "m.onnx")
    assert len(ask(file, overlap=1).boxes) == 4
    np.testing.assert_allclose(ask(file, most=2).boxes, BEST[:2])


def many(count=9):
    boxes = np.arange(4 * count).reshape(count, 4).astype(np.float32) % 7
    boxes[:, 2:] += boxes[:, :2] + 1
    return boxes, np.linspace(1, 0, count, dtype=np.float32)[:, None]


def test_a_table_lies_along_its_longer_side(tmp_path):
    boxes, scores = many()
    rows, columns = (
        ask(small.detector(tmp_path / f"{j}.onnx", boxes=boxes, scores=scores, joined=j), overlap=1)
        for j in ("rows", "columns")
    )
    np.testing.assert_allclose(rows.boxes, boxes)
    np.testing.assert_allclose(columns.boxes, boxes)
    np.testing.assert_allclose(columns.scores, scores[:, 0])
    told = small.detector(tmp_path / "few.onnx", joined="columns")
    np.testing.assert_allclose(ask(told, table="columns").boxes, BEST)


def written(boxes, form):
    x0, y0, x1, y1 = boxes.T
    return {
        "down-first": np.stack([y0, x0, y1, x1], 1),
        "center": np.stack([(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0], 1),
        "corner-size": np.stack([x0, y0, x1 - x0, y1 - y0], 1),
    }[form]


@pytest.mark.parametrize("form", ["down-first", "center", "corner-size"])
@pytest.mark.parametrize("unit", ["input", "share"])
def test_forms_and_units(tmp_path, form, unit):
    boxes = small.FOUND / [32, 24, 32, 24] if unit == "share" else small.FOUND
    file = small.detector(tmp_path / "m.onnx", boxes=written(boxes, form))
    np.testing.assert_allclose(ask(file, form=form, unit=unit).boxes, BEST, rtol=1e-5, atol=1e-5)


def test_boxes_come_back_to_the_photograph(tmp_path):
    file = small.detector(tmp_path / "m.onnx")
    image = np.zeros((48, 160, 3), np.uint8)
    np.testing.assert_allclose(ask(file, image).boxes[0], [8 * 5, 6 * 2, 24 * 5, 18 * 2])
    padded = ask(file, image, fit="pad").boxes[0]  # 160 x 48 becomes 32 x 10 of 32 x 24
    np.testing.assert_allclose(padded, [40, 6 * 4.8, 120, 18 * 4.8])


def test_input_is_normalized_and_padded(tmp_path):
    source = onnx_detector.open(
        onnx_detector.Options(
            model=str(small.detector(tmp_path / "m.onnx")),
            mean=(0.5, 0, 0),
            std=(2, 1, 1),
            fit="pad",
        ),
        NO_SPLIT,
    )
    made, _ = source._input(np.full((24, 64, 3), 255, np.uint8))
    assert made.shape == (24, 32, 3)
    np.testing.assert_allclose(made[:12], np.broadcast_to([0.25, 1, 1], (12, 32, 3)))
    np.testing.assert_allclose(made[12:], np.broadcast_to([-0.25, 0, 0], (12, 32, 3)))


def test_an_open_input_is_of_the_size_given(tmp_path):
    file = small.detector(tmp_path / "m.onnx", shape=(1, 3, None, None))
    made = ask(file, np.zeros((20, 40, 3), np.uint8), size=64)
    np.testing.assert_allclose(
        made.boxes[0], [8 / 64 * 40, 6 / 64 * 20, 24 / 64 * 40, 18 / 64 * 20]
    )


def test_nothing_found(tmp_path):
    none = np.zeros((0, 4), np.float32)
    made = ask(small.detector(tmp_path / "m.onnx", boxes=none, scores=np.zeros((0, 3), np.float32)))
    assert made.boxes.shape == (0, 4)
    assert made.scores.shape == (0,)


def test_boxes_that_are_none_are_left_to_be_counted(tmp_path):
    boxes = small.FOUND.copy()
    boxes[0, 0], boxes[1] = np.nan, [-9, -9, -2, -2]
    made = ask(small.detector(tmp_path / "m.onnx", boxes=boxes))
    kept, dropped = ranked(made, 32, 24)
    np.testing.assert_allclose(kept.boxes, [[9, 6, 24, 18], [20, 2, 30, 22]])
    assert dropped == 2


def test_outputs_that_do_not_exist(tmp_path):
    file = small.detector(tmp_path / "m.onnx")
    with pytest.raises(UsageError, match=r"^--boxes: .* has boxes, scores, labels, no 'dets'$"):
        ask(file, boxes="dets")
    with pytest.raises(UsageError, match=r"^--scores: .* no 'conf'$"):
        ask(file, scores="conf")


def test_answers_that_cannot_be_told_apart(tmp_path):
    file = small.detector(tmp_path / "m.onnx", scores=np.ones((4, 4), np.float32))  # 4 classes
    with pytest.raises(SightlineError, match="needed is one output of boxes; name it with --boxes"):
        ask(file)
    assert len(ask(file, boxes="boxes", overlap=1).boxes) == 4


def test_a_model_of_another_kind(tmp_path):
    with pytest.raises(SightlineError) as caught:
        ask(small.brightness(tmp_path / "m.onnx"))
    told = "gives mask 1x1x24x32, twice 1x2x24x32, single 1; needed is boxes, (N, 4), and scores"
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_scores_that_are_lacking(tmp_path):
    file = small.detector(tmp_path / "m.onnx", scores=np.ones((4, 2), np.float32))
    with pytest.raises(SightlineError, match="one output of scores for 4 boxes; name it with"):
        ask(file, scores="labels")

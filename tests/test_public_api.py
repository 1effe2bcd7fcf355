"""The public API is one list; the calls of the interface work."""

import numpy as np
import pytest

import sightline as sl
from sightline.errors import DataError, UsageError
from sightline.types import LedgerEntry

PUBLIC = [
    "BoxAccumulator",
    "MaskAccumulator",
    "Protocol",
    "ResultRow",
    "evaluate",
    "gallery",
    "localize",
    "prepare",
    "preset",
    "read_truth",
]


def test_the_public_names_are_these():
    assert sl.__all__ == PUBLIC
    assert dir(sl) == PUBLIC
    for name in PUBLIC:
        assert getattr(sl, name).__doc__


def test_no_other_name():
    with pytest.raises(AttributeError, match="localise"):
        sl.localise  # noqa: B018
    assert not hasattr(sl, "numpy")


def test_the_package_tells_its_types():
    from importlib.resources import files

    assert files("sightline").joinpath("py.typed").is_file()


# Arrays


@pytest.fixture
def arrays(scene):
    """Give maps with their boxes, in the maps' own pixels."""
    return [scene.scores(i) for i in range(6)], [[box] for box in scene.boxes]


def test_arrays_in_a_row_out(arrays):
    row = sl.evaluate(*arrays, protocol="reference-v2")
    assert isinstance(row, sl.ResultRow)
    assert (row.result["metric"], row.result["images"]) == ("MaxBoxAccV2", 6)
    assert row.ledger[0].labels == 6
    assert row.provenance["seconds"] > 0


def test_arrays_and_folders_agree(arrays, scene):
    from_folders = sl.evaluate(scene.maps, scene.truth).result
    from_text = sl.evaluate(str(scene.maps), str(scene.truth)).result
    from_arrays = sl.evaluate(*arrays).result
    for key in ("value", "per_delta", "threshold", "mean_iou", "pointing", "energy", "interval"):
        assert from_folders[key] == from_text[key] == from_arrays[key]


def test_one_stack_of_maps_and_one_of_boxes(arrays):
    maps, boxes = arrays
    stacked = sl.evaluate(np.stack(maps), np.array(boxes)).result
    assert stacked["value"] == sl.evaluate(maps, boxes).result["value"]
    single = sl.evaluate(np.stack(maps), [box[0] for box in boxes]).result
    assert single["value"] == stacked["value"]


def test_arrays_by_id_in_any_order(arrays):
    maps, boxes = ({f"im{i}": one for i, one in enumerate(given)} for given in arrays)
    expected = sl.evaluate(*arrays).result
    mixed = dict(reversed(maps.items()))
    assert sl.evaluate(mixed, boxes).result["value"] == expected["value"]


def test_lists_of_numbers(arrays):
    maps, boxes = arrays
    nested = [one.tolist() for one in maps]
    assert sl.evaluate(nested, boxes).result["value"] == sl.evaluate(maps, boxes).result["value"]


def test_masks_as_arrays():
    mask = np.zeros((6, 8), np.uint8)
    mask[2:4, 3:6] = 1
    row = sl.evaluate([mask.astype(float)], [mask])
    assert (row.result["metric"], row.result["value"]) == ("PxAP", 100)
    assert sl.evaluate([mask.astype(float)], [mask > 0]).result["value"] == 100
    ignored = mask.copy()
    ignored[0] = 255
    scores = mask.astype(float)
    scores[0] = 1
    assert sl.evaluate([scores], [mask]).result["value"] < 100
    assert sl.evaluate([scores], [ignored]).result["value"] == 100


def test_more_is_a_keyword(arrays, scene):
    maps, boxes = arrays
    row = sl.evaluate(
        [7 * one for one in maps],
        boxes,
        normalize="max",
        choices={"contours": "largest"},
        against=[one[::-1] / 2 for one in maps],
        seed=3,
        resamples=50,
    )
    assert row.result["protocol"]["name"] == "reference-v2 (contours=largest)"
    assert row.result["against"]["maps"] == "arrays"
    assert row.result["interval_method"] == {"level": 0.95, "resamples": 50, "seed": 3}
    baseline = sl.evaluate("baseline:center-gaussian", scene.truth, baseline={"center": 111.5})
    assert baseline.result["baseline"] == {"center": 111.5, "sigma": 80.0, "size": 224}


def test_a_row_gives_its_thresholds_to_another_split(arrays):
    chosen = sl.evaluate(*arrays, split="val", purpose="threshold")
    row = sl.evaluate(*arrays, split="test", threshold_from=chosen)
    assert row.result["threshold"] == chosen.result["threshold"]
    assert [entry.split for entry in row.ledger] == ["val", "test"]
    assert sl.evaluate(*arrays, threshold_from=0.4).result["threshold"]["50"] == 0.4


def test_a_protocol_of_ones_own(arrays):
    mine = sl.preset("exact", iou_thresholds=(25,), pointing_tolerance=3)
    assert isinstance(mine, sl.Protocol)
    row = sl.evaluate(*arrays, protocol=mine)
    assert list(row.result["per_delta"]) == ["25"]
    assert row.result["protocol"]["name"] == "exact (iou_thresholds=25, pointing_tolerance=3)"
    with pytest.raises(UsageError, match="pointing_tolerence"):
        sl.preset("exact", pointing_tolerence=3)


def test_a_truth_that_is_read_once_serves_many_times(scene):
    truth = sl.read_truth(scene.truth, split="val")
    assert sl.evaluate(scene.maps, truth).result["truth"]["split"] == "val"
    assert sl.evaluate("baseline:center-gaussian", truth).result["images"] == 6


def test_maps_are_prepared_as_their_makers_do():
    raw = np.random.default_rng(0).normal(size=(7, 7))
    prepared = sl.prepare(raw)
    assert prepared.shape == (224, 224)
    assert (prepared.min(), prepared.max()) == (0, 1)
    assert sl.prepare(raw, size=(40, 30), normalize="none").shape == (30, 40)


# Arrays that are wrong


@pytest.mark.parametrize(
    ("maps", "boxes", "what"),
    [
        ([np.ones((4, 4))], [], "no image|1 maps were given for 0 images"),
        ([], [], "no image"),
        ({}, {}, "no image"),
        ([np.ones((4, 4))] * 2, [[[0, 0, 2, 2]]], "2 maps were given for 1 images"),
        ({"a": np.ones((4, 4))}, {"b": [[0, 0, 2, 2]]}, "b: no score map"),
        ([np.full((4, 4), np.nan)], [[[0, 0, 2, 2]]], "NaN"),
        ([np.full((4, 4), 5)], [[[0, 0, 2, 2]]], "normalize"),
        ([np.ones((4, 4, 1))], [[[0, 0, 2, 2]]], "3 dimensions"),
        ([np.ones((0, 4))], [[[0, 0, 2, 2]]], "empty"),
        ([None], [[[0, 0, 2, 2]]], "0 dimensions"),
        ([np.ones((4, 4))], [[[3, 0, 2, 2]]], "inverted"),
        ([np.ones((4, 4))], [[[-1, 0, 2, 2]]], "negative"),
        ([np.ones((4, 4))], [[[0, 0, np.nan, 2]]], "not finite"),
        ([np.ones((4, 4))], [[[7, 0, 9, 2]]], "outside"),
        ([np.ones((4, 4))], [[]], "no ground truth"),
    ],
)
def test_wrong_arrays_are_named(maps, boxes, what):
    with pytest.raises(DataError, match=what):
        sl.evaluate(maps, boxes)


def test_masks_that_are_no_codes_are_refused():
    """0.7 would become background and 255.0 would be ignored, without a word."""
    for wrong in (np.full((6, 8), 0.7), np.full((6, 8), 300), np.full((6, 8), -1)):
        with pytest.raises(DataError, match="0, 1 and 255"):
            sl.evaluate([np.ones((6, 8))], [wrong])


def test_arrays_are_skipped_and_counted(arrays):
    maps, boxes = arrays
    maps[2] = maps[2] * np.nan
    row = sl.evaluate(maps, boxes, on_error="skip")
    assert (row.result["images"], row.result["skipped"]) == (5, 1)
    assert "NaN" in row.provenance["left_out"][0]


# Accumulators


@pytest.mark.parametrize("protocol", ["reference-v1", "reference-v2", "exact"])
def test_a_box_accumulator_gives_what_evaluate_gives(arrays, protocol):
    whole, left, right = (sl.BoxAccumulator(protocol) for _ in range(3))
    for i, (scores, boxes) in enumerate(zip(*arrays, strict=True)):
        whole.update(scores, boxes)
        (left if i % 2 else right).update(scores, boxes)
    right.merge(left)
    computed = whole.compute()
    result = sl.evaluate(*arrays, protocol=protocol).result
    for key in ("value", "per_delta", "threshold", "mean_iou", "pointing"):
        assert computed[key] == result[key] == right.compute()[key]


def test_a_mask_accumulator_gives_what_evaluate_gives(arrays):
    maps, boxes = arrays
    masks = []
    for scores, ((x0, y0, x1, y1),) in zip(maps, boxes, strict=True):
        masks.append(np.zeros(scores.shape, np.uint8))
        masks[-1][y0:y1, x0:x1] = 1
    accumulator = sl.MaskAccumulator()
    for scores, mask in zip(maps, masks, strict=True):
        accumulator.update(scores, mask)
    result = sl.evaluate(maps, masks).result
    computed = accumulator.compute()
    for key in ("value", "mean_iou", "threshold", "pointing", "energy"):
        assert computed[key] == result[key]


@pytest.mark.parametrize(
    ("scores", "what"),
    [
        (np.full((4, 4), np.nan), "NaN"),
        (np.full((4, 4), np.inf), "infinite"),
        (np.ones((4, 4, 1)), "3 dimensions"),
        (np.ones((0, 4)), "empty"),
        (np.full((4, 4), 3.0), "outside"),
    ],
)
def test_accumulators_refuse_what_is_no_map(scores, what):
    with pytest.raises(DataError, match=what):
        sl.BoxAccumulator().update(scores, [[0, 0, 2, 2]])
    with pytest.raises(DataError, match=what):
        sl.MaskAccumulator().update(scores, np.ones((4, 4), np.uint8))


def test_a_box_accumulator_refuses_boxes_that_cannot_be():
    for wrong in ([[3, 0, 2, 2]], [[-1, 0, 2, 2]], [[0, 0, np.nan, 2]], [[7, 0, 9, 2]], []):
        with pytest.raises(DataError):
            sl.BoxAccumulator().update(np.ones((4, 4)), wrong)


def test_accumulators_refuse_the_other_kind_of_protocol():
    with pytest.raises(UsageError, match="masks"):
        sl.BoxAccumulator("pixels")
    with pytest.raises(UsageError, match="boxes"):
        sl.MaskAccumulator("reference-v2")


def test_only_equal_protocols_merge():
    with pytest.raises(ValueError, match="same protocol"):
        sl.BoxAccumulator("exact").merge(sl.BoxAccumulator())


def test_nothing_accumulated_is_no_score():
    with pytest.raises(ValueError, match="no image"):
        sl.BoxAccumulator().compute()
    with pytest.raises(ValueError, match="no image"):
        sl.MaskAccumulator().compute()


# Notebooks


def test_a_row_shows_itself(arrays):
    shown = sl.evaluate(*arrays)._repr_html_()
    assert shown.startswith("<table>")
    assert "MaxBoxAccV2" in shown
    assert "6 boxes of arrays" in shown


def test_what_a_row_shows_is_escaped():
    evil = "<script>alert('&')</script>"
    entry = LedgerEntry(evil, evil, evil, evil, 1, 1, (1, 1))
    row = sl.ResultRow({evil: evil, "nested": {evil: [evil, (evil,)]}}, {}, (entry,))
    shown = row._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown

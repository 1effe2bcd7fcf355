"""Printed numbers that can be recomputed without a GPU, to the printed digit."""

import pytest

import sightline as sl
from sightline.evaluation.evaluate import run
from sightline.evaluation.predicted_boxes import evaluate_boxes
from sightline.evaluation.request import Extras, Request

CENTER = "baseline:center-gaussian"


@pytest.fixture(scope="module")
def truth(shared):
    """Read a split once."""
    known = {}

    def read(name, split):
        place = f"{name}:{shared}/data/wsol_metadata/{name.upper()}"
        if (name, split) not in known:
            known[name, split] = sl.read_truth(place, split=split)
        return known[name, split]

    return read


@pytest.mark.parametrize(
    ("dataset", "protocol", "printed", "exact"),
    [
        ("cub", "reference-v1", 59.7, 59.717),
        ("cub", "center-row-conference", 59.7, 59.717),
        ("cub", "center-row-journal", 54.4, 54.40),
        ("ilsvrc", "center-row-conference", 52.5, 52.52),
        ("ilsvrc", "center-row-journal", 48.9, 48.90),
    ],
)
def test_the_center_rows_of_the_papers(truth, dataset, protocol, printed, exact):
    row = sl.evaluate(CENTER, truth(dataset, "test"), protocol, resamples=1)
    assert round(row.result["value"], 1) == printed
    assert row.result["value"] == pytest.approx(exact, abs=0.006)
    assert row.result["skipped"] == 0


ROWS = [  # data set, center, boxes; IoU .3, .5, .7; mean with a threshold each; with one for all
    ("cub", 111.5, "best", (93.907, 59.596, 17.000), 56.835, 54.36),
    ("cub", 112.0, "best", (93.856, 59.717, 17.328), 56.967, 54.40),
    pytest.param(
        *("ilsvrc", 111.5, "best", (76.814, 54.062, 29.280), 53.385, 50.13),
        marks=pytest.mark.long,
    ),
    pytest.param(
        *("ilsvrc", 112.0, "best", (76.82, 54.08, 29.44), 53.447, 50.34), marks=pytest.mark.long
    ),
    pytest.param(
        *("ilsvrc", 112.0, "first", (73.50, 52.52, 28.79), 51.60, 48.90), marks=pytest.mark.long
    ),
]


@pytest.mark.parametrize(("dataset", "center", "boxes", "deltas", "each", "joint"), ROWS)
def test_what_the_choices_make_of_the_center_rows(
    truth, dataset, center, boxes, deltas, each, joint
):
    extras = Extras("reference-v2", {"truth_boxes": boxes}, {"center": center})
    found = run(CENTER, truth(dataset, "test"), Request(resamples=1), extras)
    result = found.row.result
    assert list(result["per_delta"].values()) == pytest.approx(deltas, abs=0.006)
    assert result["value"] == pytest.approx(each, abs=0.006)
    at_one_threshold = found.scored.accumulator.curve().mean(axis=0).max()
    assert at_one_threshold == pytest.approx(joint, abs=0.006)


@pytest.mark.parametrize(
    ("dataset", "annotator", "iou", "deltas"),
    [
        ("cub", "clip", 68.29, (95.1, 88.5, 55.8)),
        ("cub", "rpn", 71.08, (90.5, 84.0, 67.5)),
        ("cub", "selective_search", 39.80, (62.0, 29.3, 10.5)),
        ("ilsvrc", "clip", 64.19, (83.71, 71.65, 54.96)),
        ("ilsvrc", "rpn", 60.91, (77.98, 66.14, 52.11)),
        ("ilsvrc", "selective_search", 44.93, (68.92, 43.37, 17.34)),
    ],
)
def test_the_quality_of_released_pseudo_boxes(shared, dataset, annotator, iou, deltas):
    folder = shared / "data/pseudo_boxes" / annotator / dataset.upper() / "val"
    place = f"{dataset}:{shared}/data/wsol_metadata/{dataset.upper()}"
    result = evaluate_boxes(str(folder), place, Request(split="val", resamples=1)).result
    assert result["value"] == pytest.approx(iou, abs=0.006)
    assert list(result["per_delta"].values()) == pytest.approx(deltas, abs=0.06)
    empty = {("cub", "clip"): 7, ("ilsvrc", "clip"): 21}
    assert result["warnings"].get("empty_boxes", 0) == empty.get((dataset, annotator), 0)
    at_edge = {("cub", "rpn"): 82, ("ilsvrc", "rpn"): 1705}
    if annotator == "rpn":
        assert result["warnings"]["predicted_at_or_past_edge"] == at_edge[dataset, annotator]
    assert result["skipped"] == 0


def test_the_command_prints_a_published_row(sightline, shared):
    answer = sightline(
        *("evaluate", CENTER, f"cub:{shared}/data/wsol_metadata/CUB", "--split", "test"),
        *("--center", "112", "--protocol", "center-row-conference", "--json", "-"),
    )
    result = answer.json
    assert round(result["value"], 1) == 59.7
    assert result["truth"]["dataset"] == "cub"
    assert result["ledger"]["labels"] == 5794
    assert result["interval"][0] < 59.7 < result["interval"][1]


def test_the_example_of_the_help_is_what_the_command_prints(sightline, shared):
    from sightline.cli.evaluate_command import DESCRIPTION

    place = f"cub:{shared}/data/wsol_metadata/CUB"
    printed = sightline("evaluate", CENTER, place, "--split", "test").out
    shown = [line[2:] for line in DESCRIPTION.split("--split test\n")[1].splitlines() if line]
    assert len(shown) > 5
    assert [line for line in shown if line != "..." and line not in printed.splitlines()] == []


@pytest.mark.parametrize(
    ("dataset", "split"), [("cub", "train"), ("cub", "val"), ("ilsvrc", "val")]
)
def test_the_released_lists_are_whole(sightline, shared, dataset, split):
    place = f"{dataset}:{shared}/data/wsol_metadata/{dataset.upper()}"
    answer = sightline("data", "check", place, "--split", split)
    assert (answer.code, answer.err) == (0, "")
    assert "whole" in answer.out
